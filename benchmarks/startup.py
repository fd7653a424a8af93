"""Time of `kb --help` against an equally small typer program, and of commands that only look.

    uv run python benchmarks/startup.py [--rounds 15]

Each round runs every command once, in turn. Prints medians and the median ratio to the peer.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = 14
"""As many commands as kb has."""


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(description="Time the start of the kb command.")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="kb-bench-") as scratch:
        peer = Path(scratch) / "peer.py"
        peer.write_text(_peer_source(), encoding="utf-8")
        kb = [sys.executable, "-m", "kb_cli", "--data-dir", scratch]
        subprocess.run([*kb, "init"], check=True, capture_output=True)  # noqa: S603 - our own command
        contenders = {
            "kb --help": [*kb, "--help"],
            "typer program --help": [sys.executable, str(peer), "--help"],
            "kb list": [*kb, "list"],
            "kb search WORD": [*kb, "search", "word"],
        }
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(rounds + 1):
            for name, command in contenders.items():
                seconds[name].append(_timed(command))
    warm = {name: values[1:] for name, values in seconds.items()}
    for name, values in warm.items():
        print(f"{name:<22} median {statistics.median(values) * 1000:6.0f} ms")
    pairs = zip(warm["kb --help"], warm["typer program --help"], strict=True)
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"kb --help / typer program --help: median ratio {ratio:.2f}")


def _timed(command: list[str]) -> float:
    started_s = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own commands
    return time.perf_counter() - started_s


def _peer_source() -> str:
    commands = "".join(
        f'\n@app.command()\ndef command{n}(name: str, flag: bool = False) -> None:\n    """Do."""\n'
        for n in range(COMMANDS)
    )
    return f"import typer\n\napp = typer.Typer()\n{commands}\napp()\n"


if __name__ == "__main__":
    main()
