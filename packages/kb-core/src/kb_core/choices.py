"""What a person chose for one document, beside the settings that hold for all."""

from __future__ import annotations

from pydantic import Field, JsonValue

from kb_core.canonical import canonical_json
from kb_core.model import Model


class ModuleChoice(Model):
    """A chunk module that a person chose, with those of its options that they set."""

    key: str
    options: dict[str, JsonValue] = Field(default_factory=dict)

    def __hash__(self) -> int:
        """Hash what a dictionary alone would not let be hashed."""
        return hash((self.key, canonical_json(self.options)))


class DocumentChoices(Model):
    """Choices that stay with a document until others are made; None leaves it to the settings.

    They are stored with the document, so that a later run over its folder neither undoes them nor
    repeats the work for the sake of a setting that does not concern it.

    Attributes:
        languages: ISO 639-1 codes of what may be spoken; empty for any.
        speakers: name of the diarizer, `none` for none.
        keep_suspect: whether text that was probably not said is found like any other.
        encoding: of a text file, where telling it by the bytes goes wrong.
        transcribe: whether a recording is heard even though a subtitle file lies beside it.
        chunkers: chunk modules, whose chunks stand side by side.
    """

    languages: tuple[str, ...] | None = None
    speakers: str | None = None
    keep_suspect: bool | None = None
    encoding: str | None = None
    transcribe: bool | None = None
    chunkers: tuple[ModuleChoice, ...] | None = None

    def or_else(self, earlier: DocumentChoices) -> DocumentChoices:
        """Return these choices, and the earlier ones where none was made."""
        own = self.model_dump(exclude_none=True)
        return DocumentChoices.model_validate({**earlier.model_dump(exclude_none=True), **own})
