"""Scenes of a role-playing session: a model says where they begin, and we hold it to that.

The scenes of a document cover all of it, from its first unit to its last, one after the other and
without overlap. A reply that is anything else is an error of the document: another module's chunks
in the place of scenes would be taken for scenes. A session that is longer than a model reads at
once is divided window by window; `scene_windows` states the rule.

What comes from the model are unit ids and words about scenes. Times, speakers, texts and chunk ids
come from our own units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field, JsonValue, model_validator

from kb_chunk_llm.module import reply_schema
from kb_chunk_llm.scene_policy import PlacedScene, place_scenes
from kb_chunk_llm.scene_prompt import ScenePrompts, moment
from kb_chunk_llm.scene_reply import SceneReply, read_reply
from kb_chunk_llm.scene_windows import CutScene, Window, WindowLimits, cut_into_scenes
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
    SourceUnit,
    make_policy_hash,
    module_options,
)
from kb_core.errors import ChunkInputError
from kb_core.fencing import one_line
from kb_core.ports.language_model import StructuredLanguageModel
from kb_core.unit_chunks import UnitGroup, chunks_of_groups

MODULE_KEY = "dnd/scenes"
MODULE_VERSION = "dnd/scenes-v1"
SCENES = "dnd.scenes"
"""What the chunks are beside chunks: each is a scene."""
CAVEAT = "scene_caveat"
"""Code of a warning in the model's own words about its boundaries."""


class DndScenesOptions(Model):
    """Options of `dnd/scenes`."""

    max_window_units: int = Field(
        default=400,
        ge=2,
        le=10_000,
        description="Most units that the model is shown at once; fewer where it takes less. Fewer"
        " units make shorter replies.",
    )
    overlap_units: int = Field(
        default=20,
        ge=1,
        description="Most units of a window that the next one shows again where a scene is too"
        " long to be shown again whole; at most half of max_window_units.",
    )
    notes: str = Field(
        default="",
        max_length=4000,
        description="What the model should know about the game, such as who plays whom.",
    )

    @model_validator(mode="after")
    def _overlaps_by_half_at_most(self) -> DndScenesOptions:
        if 2 * self.overlap_units > self.max_window_units:
            raise ValueError(
                f"overlap_units ({self.overlap_units}) must be at most half of max_window_units"
                f" ({self.max_window_units})"
            )
        return self


class DndScenesChunker:
    """Chunker that divides a role-playing session into scenes."""

    spec = ChunkModuleSpec(
        key=MODULE_KEY,
        version=MODULE_VERSION,
        requires=(TRANSCRIPT, LANGUAGE_MODEL),
        provides=("chunks", SCENES),
        options=DndScenesOptions,
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
        """Divide `doc` into scenes; no units give no scenes.

        A scene is as long as it is: `target_tokens` and `overlap_tokens` have no meaning here.

        Raises:
            ChunkInputError: the document holds no transcript.
            ConfigError: an option is unknown or cannot have that value.
            MissingCapability: the runtime holds no model.
            ModelError: the model cannot be used, or none of its replies (`ReplyUnusable`).
            Cancelled: a stop was asked for.
        """
        if doc.audio is None or doc.audio.transcript is None:
            raise ChunkInputError("DndScenesChunker only handles documents of a transcript")
        runtime = runtime or ChunkRuntime()
        model = runtime.require_language_model(MODULE_KEY)
        options = DndScenesOptions.model_validate(module_options(self.spec, policy.options))
        units = doc.source_units()
        if not units:
            return []
        scenes = _Run(doc.source_asset_id, units, options, model, runtime).scenes()
        spellings = _spellings(units)
        groups = (
            UnitGroup(units[scene.start : scene.end], _metadata(scene, spellings))
            for scene in scenes
        )
        return list(
            chunks_of_groups(
                doc.doc_id,
                groups,
                chunker_version=self.chunker_version(),
                policy_hash=self.policy_hash(policy),
            )
        )


class _Run:
    """One document on its way through the windows."""

    def __init__(
        self,
        asset_id: str,
        units: Sequence[SourceUnit],
        options: DndScenesOptions,
        model: StructuredLanguageModel,
        runtime: ChunkRuntime,
    ) -> None:
        self._units = units
        self._model = model
        self._runtime = runtime
        self._prompts = ScenePrompts(asset_id, units, options.notes, model.limits)
        self._limits = WindowLimits(
            max_tokens=self._prompts.max_unit_tokens,
            max_units=options.max_window_units,
            overlap_units=options.overlap_units,
        )

    def scenes(self) -> Iterable[CutScene]:
        """Return the scenes of the document, which are a partition of its units."""
        return cut_into_scenes(self._prompts.costs, self._limits, self._ask)

    def _ask(self, window: Window, open_scene: CutScene | None) -> list[PlacedScene]:
        self._runtime.cancel.raise_if_cancelled()
        unit_ids = self._prompts.unit_ids[window.start : window.end]

        def check(reply: JsonValue) -> None:
            place_scenes(read_reply(reply).scenes, unit_ids)

        reply = read_reply(
            self._model.complete_json(
                self._prompts.prompt(window, open_scene),
                reply_schema("dnd_scenes.v1.json"),
                check=check,
                cancel=self._runtime.cancel,
            )
        )
        placed = place_scenes(reply.scenes, unit_ids)
        self._warn(reply, window)
        self._runtime.on_progress(
            ModuleProgress(
                done=window.number,
                total=window.total,
                unit=f"window {window.number} of {window.total}",
            )
        )
        return placed

    def _warn(self, reply: SceneReply, window: Window) -> None:
        first, last = self._units[window.start], self._units[window.end - 1]
        where = f"{moment(first) or first.unit_id}-{moment(last) or last.unit_id}"
        for caveat in reply.caveats:
            self._runtime.warn(CAVEAT, caveat, where)


def _metadata(scene: CutScene, spellings: dict[str, str]) -> dict[str, JsonValue]:
    """Return the model's words about a scene.

    Where several windows saw parts of it, those about its beginning are of the first, who took part
    and what happened of all.
    """
    begin = scene.parts[0]
    participants = [
        spellings.get(_folded(name), name) for part in scene.parts for name in part.participants
    ]
    return {
        "title": begin.title,
        "primary_mode": begin.primary_mode,
        "participants": list(dict.fromkeys(participants)),
        "summary": " ".join(part.summary for part in scene.parts if part.summary),
        "boundary_note": begin.boundary_note,
        "boundary_confidence": begin.boundary_confidence,
    }


def _spellings(units: Iterable[SourceUnit]) -> dict[str, str]:
    """Return how the document spells its speakers, the first of several spellings."""
    spellings: dict[str, str] = {}
    for unit in units:
        if unit.speaker is not None:
            spellings.setdefault(_folded(unit.speaker), unit.speaker)
    return spellings


def _folded(name: str) -> str:
    # As a speaker is shown to the model, for that is what it can repeat.
    return one_line(name).replace("|", "¦").casefold()
