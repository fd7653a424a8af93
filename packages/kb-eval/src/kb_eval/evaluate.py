"""`kb eval asr`: every recording of a folder that has a reference, transcribed and measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from kb_app.evaluation import AsrEvaluationServices
from kb_app.transcribe import MeasuredTranscript
from kb_app.wire_evaluation import AsrEvaluationV1, AsrFileV1, AsrFolderV1, AsrScoresV1
from kb_core.errors import Cancelled, EngineFailed, InputError
from kb_eval.find import find_reference
from kb_eval.heard import heard_in
from kb_eval.metrics import Score, pooled, score
from kb_eval.normalise import NORMALISER, NORMALISER_RULES, normalise
from kb_eval.reference import Reference
from kb_eval.report import Cost, scores_v1


@dataclass(frozen=True, slots=True)
class _Measured:
    file: AsrFileV1
    score: Score
    cost: Cost

    @property
    def folder(self) -> str:
        return PurePath(self.file.path).parent.as_posix()


def evaluate_asr(services: AsrEvaluationServices) -> AsrEvaluationV1:
    """Transcribe the recordings that have a reference, and measure; the entry point of kb-eval.

    A recording or reference that cannot be used is an item of the report; a stop leaves what was
    measured until then.

    Raises:
        InputError: no recording has a reference.
        ModelError: the recogniser failed.
    """
    return _Evaluation(services).run()


class _Evaluation:
    def __init__(self, services: AsrEvaluationServices) -> None:
        self._services = services
        self._measured: list[_Measured] = []
        self._failed: list[AsrFileV1] = []
        self._without_reference: list[str] = []

    def run(self) -> AsrEvaluationV1:
        tasks = self._tasks()
        if not tasks and not self._failed:
            raise InputError(
                self._services.folder,
                "no recording in it has a reference",
                hint="put NAME.txt with what is said beside NAME.wav; empty if nothing is",
            )
        load_ms, cancelled = 0, False
        try:
            load_ms = self._services.load() if tasks else 0
            for number, (path, reference) in enumerate(tasks, start=1):
                self._services.on_file(number, len(tasks), self._name(path))
                self._measure(path, reference)
        except Cancelled:
            cancelled = True
        return self._report(load_ms, cancelled)

    def _tasks(self) -> list[tuple[Path, Reference]]:
        tasks = []
        for path in self._services.recordings:
            try:
                reference = find_reference(path, self._services.folder)
            except InputError as error:
                self._fail(path, error)
                continue
            if reference is None:
                self._without_reference.append(self._name(path))
            else:
                tasks.append((path, reference))
        return tasks

    def _measure(self, path: Path, reference: Reference) -> None:
        try:
            measured = self._services.transcribe(path)
        except (InputError, EngineFailed) as error:
            self._fail(path, error)
        else:
            self._measured.append(_measured(self._name(path), reference, measured))

    def _fail(self, path: Path, error: InputError | EngineFailed) -> None:
        self._failed.append(
            AsrFileV1(
                path=self._name(path),
                error=error.message,
                error_code=error.code,
                error_hint=error.hint,
            )
        )

    def _name(self, path: Path) -> str:
        return path.relative_to(self._services.folder).as_posix()

    def _report(self, load_ms: int, cancelled: bool) -> AsrEvaluationV1:
        identity = self._services.identity
        folders = sorted({each.folder for each in self._measured})
        files = [*(each.file for each in self._measured), *self._failed]
        return AsrEvaluationV1(
            folder=str(self._services.folder),
            engine=identity.engine,
            engine_version=identity.engine_version,
            model_id=identity.model_id,
            model_version=identity.model_version,
            languages=self._services.languages,
            normaliser=NORMALISER,
            normaliser_rules=NORMALISER_RULES,
            total=_pooled(self._measured),
            folders=tuple(
                AsrFolderV1(
                    path=folder, scores=_pooled(m for m in self._measured if m.folder == folder)
                )
                for folder in folders
            ),
            files=tuple(sorted(files, key=lambda file: file.path)),
            without_reference=tuple(self._without_reference),
            load_ms=load_ms,
            cancelled=cancelled,
        )


def _measured(name: str, reference: Reference, measured: MeasuredTranscript) -> _Measured:
    heard = heard_in(measured.transcript, measured.duration_ms)
    its_score = score(reference, heard)
    cost = Cost(measured.elapsed_ms, measured.cpu_ms)
    file = AsrFileV1(
        path=name,
        reference_language=reference.language,
        heard_language=measured.transcript.language,
        scores=scores_v1(its_score, cost),
        reference_text=normalise(reference.text),
        heard_text=normalise(heard.text),
    )
    return _Measured(file, its_score, cost)


def _pooled(measured: Iterable[_Measured]) -> AsrScoresV1:
    chosen = list(measured)
    cost = sum((each.cost for each in chosen), start=Cost())
    return scores_v1(pooled(each.score for each in chosen), cost)
