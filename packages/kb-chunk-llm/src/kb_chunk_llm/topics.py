"""Topics of a transcript: a model divides it block by block, rules do where the model cannot.

A transcript of hours fits into no model at once, so its whole text is cut into blocks at ends of
sentences, each block is a request of its own, and what comes back is joined. Chunks say which range
of the whole text they are, and map back to segments and their times.

A request that comes to nothing costs one block its topics and no more: the rules cut it, with a
warning. What would stop all requests alike, such as a server that is away, stops the module: else a
moment without a server would leave a transcript without topics, and nobody would notice.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import Field, JsonValue

from kb_chunk_llm.topic_blocks import blocks, sentences
from kb_chunk_llm.topic_prompt import Place, topic_prompt, topic_schema, topics_of
from kb_chunk_llm.topic_rules import rule_ranges
from kb_chunk_llm.topic_text import WholeText
from kb_core import (
    LANGUAGE_MODEL,
    TRANSCRIPT,
    CanonicalDocument,
    Chunk,
    ChunkModuleSpec,
    ChunkPolicy,
    ChunkRuntime,
    Model,
    ModuleProgress,
    SourceSpan,
    estimate_tokens,
    make_chunk_id,
    make_policy_hash,
    module_options,
)
from kb_core.boundaries import TextRange
from kb_core.errors import ChunkInputError, RequestFailed
from kb_core.ports.language_model import ModelLimits, StructuredLanguageModel
from kb_core.spans import cover

MODULE_KEY = "transcript/topics"
MODULE_VERSION = "transcript/topics-v1"
TOPICS = "transcript.topics"
"""What the chunks are beside chunks: each is a topic, or a part of one."""

_MIN_BLOCK_CHARS = 100
_log = logging.getLogger("kb_chunk_llm")
_log.addHandler(logging.NullHandler())


class TranscriptTopicsOptions(Model):
    """Options of `transcript/topics`."""

    max_block_chars: int = Field(
        default=5000,
        ge=_MIN_BLOCK_CHARS,
        le=1_000_000,
        description="Longest block that the model is shown at once, in characters; blocks are"
        " smaller where the model takes less.",
    )


class _Piece(NamedTuple):
    """A range of the whole text that becomes a chunk, and what is known of it."""

    stretch: TextRange
    metadata: dict[str, JsonValue]


class TranscriptTopicsChunker:
    """Chunker that divides any transcript by its topics."""

    spec = ChunkModuleSpec(
        key=MODULE_KEY,
        version=MODULE_VERSION,
        requires=(TRANSCRIPT,),
        uses=(LANGUAGE_MODEL,),
        provides=("chunks", TOPICS),
        options=TranscriptTopicsOptions,
    )

    def chunker_version(self) -> str:
        """Return the version that goes into every chunk id."""
        return self.spec.version

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex characters that stand for the policy."""
        return make_policy_hash(policy)

    def chunk(
        self, doc: CanonicalDocument, policy: ChunkPolicy, runtime: ChunkRuntime | None = None
    ) -> list[Chunk]:
        """Cut `doc` by topics, or by rules where the runtime holds no model.

        Every chunk keeps `target_tokens`: a longer topic becomes several with one title. Chunks
        never overlap, and together they hold all that is visible.

        Raises:
            ChunkInputError: the document holds no transcript.
            ConfigError: an option is unknown or cannot have that value.
            ModelError: the model server cannot be used at all.
            Cancelled: a stop was asked for.
        """
        if doc.audio is None or doc.audio.transcript is None:
            raise ChunkInputError("TranscriptTopicsChunker only handles documents of a transcript")
        options = TranscriptTopicsOptions.model_validate(module_options(self.spec, policy.options))
        whole = WholeText(doc.source_units())
        run = _Run(whole, policy.target_tokens, runtime or ChunkRuntime())
        pieces = run.pieces(options.max_block_chars)
        return list(_chunks(doc, whole, pieces, self.policy_hash(policy)))


class _Run:
    """One transcript on its way through the blocks."""

    def __init__(self, whole: WholeText, target_tokens: int, runtime: ChunkRuntime) -> None:
        self._whole = whole
        self._target_tokens = target_tokens
        self._runtime = runtime

    def pieces(self, max_block_chars: int) -> Iterator[_Piece]:
        """Yield what becomes a chunk, block by block."""
        model = self._runtime.language_model
        found = (
            blocks(self._whole, max_block_chars)
            if model is None
            else _fitting_blocks(self._whole, max_block_chars, model.limits)
        )
        for number, block in enumerate(found, start=1):
            self._runtime.cancel.raise_if_cancelled()
            place = Place(number, len(found))
            topics = None if model is None else self._ask(model, block, place)
            _log.info(
                "block %d/%d: offset %d, length %d, %s",
                number,
                len(found),
                block.char_start,
                block.char_end - block.char_start,
                "cut by rules" if topics is None else f"{len(topics)} topics",
            )
            yield from self._pieces_of(block, place, topics)
            self._runtime.on_progress(
                ModuleProgress(done=number, total=len(found), unit=str(place))
            )

    def _ask(
        self, model: StructuredLanguageModel, block: TextRange, place: Place
    ) -> list[tuple[TextRange, str | None]] | None:
        """Return the topics of a block; None when the request comes to nothing."""
        found = sentences(self._whole, block)
        prompt = topic_prompt(_texts(self._whole, found), place)
        try:
            reply = model.complete_json(
                prompt,
                topic_schema(),
                check=lambda reply: _check(reply, len(found)),
                cancel=self._runtime.cancel,
            )
        except RequestFailed as error:
            self._warn(block, place, error)
            return None
        return [
            (TextRange(found[topic.first].char_start, found[topic.last].char_end), topic.title)
            for topic in topics_of(reply, len(found))
        ]

    def _pieces_of(
        self,
        block: TextRange,
        place: Place,
        topics: Sequence[tuple[TextRange, str | None]] | None,
    ) -> Iterator[_Piece]:
        method = "rules" if topics is None else "model"
        for stretch, title in topics or [(block, None)]:
            ranges = list(rule_ranges(self._whole, stretch, self._target_tokens))
            is_cut = topics is not None and len(ranges) > 1
            for part, each in enumerate(ranges, start=1):
                yield _Piece(
                    each,
                    {
                        "char_start": each.char_start,
                        "char_end": each.char_end,
                        "block": place.number,
                        "method": method,
                        "title": title,
                        "part": part if is_cut else None,
                    },
                )

    def _warn(self, block: TextRange, place: Place, error: RequestFailed) -> None:
        offset, length = block.char_start, block.char_end - block.char_start
        _log.warning(
            "block %d/%d: offset %d, length %d, cut by rules: %s",
            place.number,
            place.total,
            offset,
            length,
            error.message,
        )
        self._runtime.warn(
            "topic_block_by_rules",
            f"{place} (offset {offset}, length {length}) was cut by rules, not by topics:"
            f" {error.message}",
            self._whole.moment_at(block.char_start),
        )


def _fitting_blocks(whole: WholeText, max_chars: int, limits: ModelLimits) -> list[TextRange]:
    """Return blocks whose prompts fit, as large as they may be.

    A model that takes next to nothing gets blocks that do not fit, and says so itself.
    """
    while True:
        found = blocks(whole, max_chars)
        largest = max(
            (
                topic_prompt(_texts(whole, sentences(whole, block)), Place(at, len(found)))
                for at, block in enumerate(found, start=1)
            ),
            key=lambda prompt: prompt.token_estimate,
            default=None,
        )
        if largest is None or largest.token_estimate <= limits.max_prompt_tokens:
            return found
        if max_chars == _MIN_BLOCK_CHARS:
            return found
        max_chars = max(_MIN_BLOCK_CHARS, max_chars * 3 // 4)


def _check(reply: JsonValue, sentence_count: int) -> None:
    topics_of(reply, sentence_count)


def _texts(whole: WholeText, ranges: Sequence[TextRange]) -> list[str]:
    return [whole.text[start:end] for start, end in ranges]


def _chunks(
    doc: CanonicalDocument, whole: WholeText, pieces: Iterator[_Piece], policy_hash: str
) -> Iterator[Chunk]:
    occurrences: Counter[SourceSpan] = Counter()
    for index, piece in enumerate(pieces):
        start, end = piece.stretch
        text, parts = whole.text[start:end], whole.parts(piece.stretch)
        span = cover([part.span for part in parts])
        block_ids = (whole.unit_at(start).block_id,)
        yield Chunk(
            chunk_id=make_chunk_id(
                doc_id=doc.doc_id,
                chunker_version=MODULE_VERSION,
                block_ids=block_ids,
                policy_hash=policy_hash,
                source_spans=[span],
                occurrence=occurrences[span],
            ),
            doc_id=doc.doc_id,
            index=index,
            block_ids=block_ids,
            unit_ids=tuple(part.unit_id for part in parts),
            text=text,
            source_spans=(span,),
            parts=parts,
            token_estimate=estimate_tokens(text),
            chunker_version=MODULE_VERSION,
            policy_hash=policy_hash,
            metadata=piece.metadata,
        )
        occurrences[span] += 1
