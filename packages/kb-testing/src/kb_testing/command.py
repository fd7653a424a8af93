"""Running the real `kb` command in a process of its own, as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a finished command left."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def json_lines(self) -> list[dict[str, Any]]:
        """Every line of stdout as JSON."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def json(self) -> dict[str, Any]:
        """The last line of stdout as JSON: the answer, after any progress lines."""
        return self.json_lines[-1]


@dataclass(frozen=True, slots=True)
class KbCommand:
    """The `kb` command on one knowledge base, away from the person's own settings.

    Attributes:
        data_dir: folder of the knowledge base.
        models_dir: folder of the speech models.
        cwd: folder that it is started in; relative paths and a new workspace begin there.
        embedding: engine of vectors; none for what is not about search by meaning, which would
            only take longer.
    """

    data_dir: Path
    models_dir: Path
    cwd: Path
    embedding: str = "none"

    def run(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = 300
    ) -> CommandResult:
        """Run `kb --data-dir DATA_DIR ARGUMENTS…` to its end."""
        done = subprocess.run(
            self.argv(*arguments),
            cwd=self.cwd,
            env=self.environment(env),
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        return CommandResult(
            exit_code=done.returncode,
            stdout=done.stdout.decode("utf-8"),
            stderr=done.stderr.decode("utf-8"),
        )

    def argv(self, *arguments: str | Path) -> list[str]:
        """Return the command line."""
        fixed = [sys.executable, "-m", "kb_cli", "--data-dir", str(self.data_dir)]
        return [*fixed, *(str(each) for each in arguments)]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment: the present one without kb's variables, then `more`."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        fixed = {
            "KB_MODELS_DIR": str(self.models_dir),
            "KB_EMBEDDING__ENGINE": self.embedding,
            "NO_COLOR": "1",
            "COLUMNS": "200",
        }
        return {**kept, **fixed, **(more or {})}
