"""What the global options said, and the parts that commands open with it.

One process runs one command, so the session is a module-level object; `main` resets it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb_cli.terminal import for_terminal

if TYPE_CHECKING:
    from kb_app.container import Container
    from kb_config import Settings
    from kb_core import Model


@dataclass
class Session:
    """Global options of the running command.

    Attributes:
        data_dir: folder of the knowledge base; None for the configured one.
        debug: print tracebacks.
        json_output: print wire objects on stdout.
    """

    data_dir: Path | None = None
    debug: bool = False
    json_output: bool = False

    def reset(self) -> None:
        """Forget what an earlier command of this process was given."""
        self.data_dir = None
        self.debug = False
        self.json_output = False

    def settings(self) -> Settings:
        """Return the settings that hold for this command."""
        from kb_config import load_settings

        return load_settings(self.data_dir)

    def open(self, *, create: bool = False) -> Container:
        """Return the knowledge base.

        Args:
            create: make one for the present folder where there is none yet.

        Raises:
            StoreMissing: there is none and `create` is off.
        """
        from kb_app.container import Container
        from kb_core.errors import StoreMissing

        container = Container(self.settings())
        try:
            _ = container.store
        except StoreMissing:
            if not create:
                raise
            from kb_app.setup import init

            report = init(container.settings, Path.cwd())
            self.note(f"made a knowledge base in {report.data_dir} for {report.workspace_root}")
            container = Container(self.settings())
        return container

    def note(self, text: str) -> None:
        """Tell the person something that is not the answer."""
        print(for_terminal(text), file=sys.stderr, flush=True)

    def print_json(self, wire: Model) -> None:
        """Print a wire object on one line."""
        print(wire.model_dump_json(), flush=True)


session = Session()
