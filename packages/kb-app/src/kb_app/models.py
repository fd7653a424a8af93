"""Speech models: what there is, getting more, and which one is used."""

from __future__ import annotations

from pathlib import Path

from kb_app.container import Container
from kb_app.wire import FindingV1, ModelListV1, ModelV1
from kb_config import write_setting
from kb_core import CancelToken
from kb_core.errors import ModelMissing
from kb_core.ports.models import ByteProgress, ModelInfo


def list_models(container: Container) -> ModelListV1:
    """Return all models of the chosen engine, marking the one in use."""
    return _listed(container, container.model_registry.list_models(), container.settings.asr.model)


def pull_model(
    container: Container,
    name: str,
    *,
    use: bool,
    progress: ByteProgress,
    cancel: CancelToken | None = None,
) -> ModelListV1:
    """Fetch a published model and, if asked, use it from now on."""
    info = container.model_registry.pull(name, progress=progress, cancel=cancel)
    return _added(container, info, use=use)


def add_model(container: Container, file: Path, *, name: str | None, use: bool) -> ModelListV1:
    """Take a model file into the registry and, if asked, use it from now on."""
    return _added(container, container.model_registry.add(file, name=name), use=use)


def use_model(container: Container, name: str) -> ModelListV1:
    """Use a model that is here from now on.

    Raises:
        ModelMissing: no such model is here.
    """
    known = {info.name: info for info in container.model_registry.list_models()}
    info = known.get(name)
    if info is None or info.status == "available":
        way_out = f"`kb models pull {name}`" if info else "`kb models list` shows what there is"
        raise ModelMissing(f"no model {name!r} on this machine", hint=way_out)
    return _added(container, info, use=True)


def verify_models(container: Container, name: str | None) -> tuple[FindingV1, ...]:
    """Compare model files with their digests."""
    models = {info.name: info for info in container.model_registry.list_models()}
    return tuple(
        FindingV1(
            code="model_digest",
            ok=check.ok,
            message=f"model {check.name}: {check.detail}",
            hint=None if check.ok else _way_out(models.get(check.name)),
        )
        for check in container.model_registry.verify(name)
    )


def _way_out(info: ModelInfo | None) -> str:
    if info is None or info.source == "added":
        return "delete its file and add it again with `kb models add FILE`"
    if info.source == "embedded":
        return "the next `kb ingest` unpacks it again"
    return f"delete its file, then `kb models pull {info.name}`"


def _added(container: Container, info: ModelInfo, *, use: bool) -> ModelListV1:
    in_use = container.settings.asr.model
    if use:
        container.settings.data_dir.mkdir(parents=True, exist_ok=True)
        write_setting(container.settings.config_path, "asr.model", info.name)
        in_use = info.name
    return _listed(container, [info], in_use)


def _listed(container: Container, infos: list[ModelInfo], in_use: str) -> ModelListV1:
    return ModelListV1(
        models=tuple(
            ModelV1(
                name=info.name,
                engine=info.engine,
                status=info.status,
                source=info.source,
                in_use=info.name == in_use,
                byte_len=info.byte_len,
                digest_sha256=info.digest_sha256,
                path=info.path,
            )
            for info in infos
        )
    )
