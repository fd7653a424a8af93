"""Making a knowledge base."""

from __future__ import annotations

from pathlib import Path

from kb_app.container import Container
from kb_app.wire import InitReportV1
from kb_config import Settings, load_settings, write_initial_config, write_setting
from kb_core.errors import InputError


def init(settings: Settings, workspace_root: Path) -> InitReportV1:
    """Make a knowledge base for the files under `workspace_root`; an existing one stays as it is.

    Raises:
        InputError: the folder cannot be made.
        StoreError: the file cannot be made.
    """
    created = not settings.database_path.exists()
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "cannot be made").lower()
        raise InputError(
            settings.data_dir, reason, hint="name another folder with --data-dir"
        ) from error
    root = workspace_root.resolve()
    write_initial_config(settings.config_path, {"workspace.root": root})
    if load_settings(settings.data_dir).workspace.root is None:
        write_setting(settings.config_path, "workspace.root", root)
    container = Container(load_settings(settings.data_dir))
    container.create_store()
    container.close()
    return InitReportV1(
        data_dir=str(settings.data_dir),
        workspace_root=str(container.settings.workspace.root),
        created=created,
    )
