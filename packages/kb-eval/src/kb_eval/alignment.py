"""Alignment of two sequences of words (or characters), by jiwer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import jiwer
from pydantic import Field

from kb_core import Model


class EditCounts(Model):
    """How one sequence was turned into another.

    Attributes:
        reference_length: words or characters of the reference.
    """

    substitutions: int = Field(default=0, ge=0)
    deletions: int = Field(default=0, ge=0)
    insertions: int = Field(default=0, ge=0)
    reference_length: int = Field(default=0, ge=0)

    @property
    def errors(self) -> int:
        """Substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """Errors by the length of the reference; None when that is empty. May be above 1."""
        return self.errors / self.reference_length if self.reference_length else None

    def __add__(self, other: EditCounts) -> EditCounts:
        return EditCounts(
            substitutions=self.substitutions + other.substitutions,
            deletions=self.deletions + other.deletions,
            insertions=self.insertions + other.insertions,
            reference_length=self.reference_length + other.reference_length,
        )


class Match(NamedTuple):
    """Places of an equal word in both sequences, counted from 0."""

    reference: int
    heard: int


class Alignment(NamedTuple):
    """The fewest edits, and what they leave as it is."""

    edits: EditCounts
    matches: tuple[Match, ...]


def align(reference: Sequence[str], heard: Sequence[str]) -> Alignment:
    """Align normalised words; none of them may be empty or hold a space."""
    output = jiwer.process_words(" ".join(reference), " ".join(heard))
    edits = EditCounts(
        substitutions=output.substitutions,
        deletions=output.deletions,
        insertions=output.insertions,
        reference_length=len(reference),
    )
    return Alignment(edits, tuple(_matches(output)))


def _matches(output: jiwer.WordOutput) -> Iterator[Match]:
    for chunk in output.alignments[0]:
        if chunk.type == "equal":
            heard = range(chunk.hyp_start_idx, chunk.hyp_end_idx)
            yield from map(Match, range(chunk.ref_start_idx, chunk.ref_end_idx), heard)
