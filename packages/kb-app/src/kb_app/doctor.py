"""Is everything well, and if not, what mends it."""

from __future__ import annotations

from kb_app.container import Container
from kb_app.library import status
from kb_app.models import verify_models
from kb_app.wire import DoctorReportV1, FindingV1
from kb_core.errors import KbError


def diagnose(container: Container) -> DoctorReportV1:
    """Check the store, the files, the installed parts and the model files."""
    findings = [*_store_findings(container), *_part_findings(container)]
    findings.extend(_model_findings(container))
    return DoctorReportV1(healthy=all(finding.ok for finding in findings), findings=tuple(findings))


def _store_findings(container: Container) -> list[FindingV1]:
    try:
        problems = container.store.check()
        present = status(container)
    except KbError as error:
        return [FindingV1(code=error.code, ok=False, message=error.message, hint=error.hint)]
    findings = [
        FindingV1(code=problem.code, ok=False, message=problem.message, hint=problem.hint)
        for problem in problems
    ]
    findings.extend(
        FindingV1(
            code="file_missing",
            ok=False,
            message=f"{path}: the file is gone; its text stays searchable, it cannot be played",
            hint="put it back, or run `kb ingest` on the folder that it was in",
        )
        for path in present.missing
    )
    if not findings:
        message = f"{present.documents} documents, {present.chunks} chunks, all indexes agree"
        findings.append(FindingV1(code="store", ok=True, message=message))
    return findings


def _part_findings(container: Container) -> list[FindingV1]:
    try:
        names = ", ".join(each.name for each in container.extractors) or "none"
        found = [FindingV1(code="extractors", ok=True, message=f"installed extractors: {names}")]
        identity = container.transcriber.identity
    except KbError as error:
        return [FindingV1(code=error.code, ok=False, message=error.message, hint=error.hint)]
    message = f"speech: {identity.engine} {identity.engine_version}, model {identity.model_id}"
    return [*found, FindingV1(code="transcriber", ok=True, message=message)]


def _model_findings(container: Container) -> list[FindingV1]:
    try:
        return list(verify_models(container, None))
    except KbError as error:
        return [FindingV1(code=error.code, ok=False, message=error.message, hint=error.hint)]
