"""Is everything well, and if not, what mends it."""

from __future__ import annotations

from kb_app.container import Container
from kb_app.models import list_models, verify_models
from kb_app.wire import DoctorReportV1, FindingV1
from kb_core.errors import KbError, StoreMissing

WORD_INDEX_CODES = frozenset({"damaged_index", "index_mismatch"})
VECTOR_CODES = frozenset({"damaged_vectors"})
VECTOR_FILE_CODES = frozenset(
    {"vector_file_missing", "vector_file_behind", "vector_file_inaccurate"}
)


def diagnose(container: Container, *, mend: bool = False) -> DoctorReportV1:
    """Check the store, the installed parts and the model files.

    Args:
        container: of a knowledge base that need not be open.
        mend: make indexes that are wrong anew, take damaged vectors out, then look again.

    Raises:
        StoreMissing: there is no knowledge base to check.
    """
    store_findings = _store_findings(container)
    if mend and _mend(container, {finding.code for finding in store_findings}):
        store_findings = _store_findings(container)
    findings = [*store_findings, *_part_findings(container), *_model_findings(container)]
    return DoctorReportV1(healthy=all(finding.ok for finding in findings), findings=tuple(findings))


def _mend(container: Container, codes: set[str]) -> bool:
    """Mend what can be made anew from what is stored; True when there was something."""
    store = container.store
    if codes & WORD_INDEX_CODES:
        store.rebuild_lexical()
    if codes & VECTOR_CODES:
        store.remove_damaged_vectors()
    if codes & (VECTOR_CODES | VECTOR_FILE_CODES):
        store.rebuild_vector_file()
    return bool(codes & (WORD_INDEX_CODES | VECTOR_CODES | VECTOR_FILE_CODES))


def _store_findings(container: Container) -> list[FindingV1]:
    try:
        problems = container.store.check()
        counts = container.store.counts()
    except StoreMissing:
        raise
    except KbError as error:
        return [_bad(error)]
    if problems:
        return [
            FindingV1(code=problem.code, ok=False, message=problem.message, hint=problem.hint)
            for problem in problems
        ]
    message = f"{counts.documents} documents, {counts.chunks} chunks, all indexes agree"
    return [FindingV1(code="store", ok=True, message=message)]


def _part_findings(container: Container) -> list[FindingV1]:
    try:
        names = ", ".join(each.name for each in container.extractors) or "none"
        found = [FindingV1(code="extractors", ok=True, message=f"installed extractors: {names}")]
        identity = container.transcriber.identity
        message = f"speech: {identity.engine} {identity.engine_version}, model {identity.model_id}"
        found.append(_chosen_model(container, message))
        return [*found, *verify_models(container, None)]
    except KbError as error:
        return [_bad(error)]


def _model_findings(container: Container) -> list[FindingV1]:
    return [*_embedder_findings(container), *_language_model_findings(container)]


def _language_model_findings(container: Container) -> list[FindingV1]:
    """Ask the language model for a word, where there is one."""
    try:
        model = container.language_model_for(None)
        if model is None:
            return []
        elapsed_ms = model.probe()
    except KbError as error:
        return [_bad(error)]
    message = f"language model: {model.model_id} answered in {elapsed_ms} ms"
    return [FindingV1(code="language_model", ok=True, message=message)]


def _embedder_findings(container: Container) -> list[FindingV1]:
    """Make one vector, which reads and checks the model."""
    try:
        embedder = container.embedder
        if embedder is None:
            return []
        embedder.embed_query("kb")
        counts = container.store.vector_counts(embedder.identity.vector_version)
    except KbError as error:
        return [_bad(error)]
    message = f"meaning: model {embedder.identity.model_id}, {counts.embedded} of {counts.chunks} "
    return [FindingV1(code="embedder", ok=True, message=f"{message}chunks have its vectors")]


def _chosen_model(container: Container, message: str) -> FindingV1:
    chosen = next((each for each in list_models(container).models if each.in_use), None)
    if chosen is not None and chosen.status == "available":
        return FindingV1(
            code="model_missing",
            ok=False,
            message=f"{message}, which is not on this machine",
            hint=f"`kb models pull {chosen.name}`, or choose another with `kb models use`",
        )
    return FindingV1(code="transcriber", ok=True, message=message)


def _bad(error: KbError) -> FindingV1:
    return FindingV1(code=error.code, ok=False, message=error.message, hint=error.hint)
