"""Writing settings keeps what the person wrote."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from kb_config import describe_settings, load_settings, write_initial_config, write_setting
from kb_core.errors import ConfigError

THEIRS = """\
# my settings
models_dir = "/big/disk"   # the SSD is full

[asr]  # speech
# model = "base"
threads = 2 # two cores, "no more"
languages = ['ko', 'en']

[search]
limit = 5
"""


def changed(tmp_path: Path, text: str, key: str, value: object) -> str:
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode())
    write_setting(path, key, value)  # type: ignore[arg-type]
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("asr.threads", 4, "threads = 2 #", "threads = 4 #"),
        ("asr.languages", ["ja", "en"], "['ko', 'en']", '["ja", "en"]'),
        ("asr.languages", [], "['ko', 'en']", "[]"),
        ("asr.keep_suspect", True, "# speech", "# speech\nkeep_suspect = true"),
        ("asr.model", "small", '# model = "base"', '# model = "base"\nmodel = "small"'),
        ("models_dir", Path("/m"), '"/big/disk"', '"/m"'),
        ("asr.engine", "x", "# speech", '# speech\nengine = "x"'),
        ("search.limit", 7, "limit = 5\n", "limit = 7\n"),
        (
            "chunking.audio.target_tokens",
            300,
            "limit = 5\n",
            "limit = 5\n\n[chunking.audio]\ntarget_tokens = 300\n",
        ),
    ],
)
def test_only_the_one_line_changes(
    tmp_path: Path, key: str, value: object, old: str, new: str
) -> None:
    assert changed(tmp_path, THEIRS, key, value) == THEIRS.replace(old, new)


def test_writing_the_same_value_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    once = changed(tmp_path, THEIRS, "asr.model", "small")
    assert changed(tmp_path, once, "asr.model", "small") == once


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing",
        'asr.engine = "x"\n',
        'asr.model = "base"\n',
        '[ asr ]\nmodel = "base"',
        "[asr]\r\nmodel = 'base'\r\n",
        "\ufeff[search]\nlimit = 3\n",
        '[chunking.audio]\nchunker = "x"\n[chunking.audio.options]\nmodel = "theirs"\n[asr]\n',
        '[chunking.audio.options]\nprompt = """\n[asr]\nmodel = "x"\n"""\n',
    ],
)
def test_a_setting_finds_its_place_in_any_layout(tmp_path: Path, text: str) -> None:
    before = tomllib.loads(text.removeprefix("\ufeff"))
    after = changed(tmp_path, text, "asr.model", "large-v3")
    expected = {**before, "asr": {**before.get("asr", {}), "model": "large-v3"}}
    assert tomllib.loads(after.removeprefix("\ufeff")) == expected
    if "\r\n" in text:
        assert after.count("\n") == after.count("\r\n")


def test_where_no_safe_edit_exists_the_file_stays_and_the_way_out_is_named(
    tmp_path: Path,
) -> None:
    text = 'asr = {engine = "x"}\n'
    with pytest.raises(ConfigError) as caught:
        changed(tmp_path, text, "asr.model", "small")
    assert caught.value.hint == 'set it by hand: asr.model = "small"'
    assert (tmp_path / "config.toml").read_text() == text


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("asr.modle", "x"),
        ("asr.threads", 0),
        ("asr.languages", ["Korean"]),
        ("data_dir", "/x"),
        ("asr", "x"),
        ("a b", 1),
    ],
)
def test_an_illegal_setting_leaves_the_file_alone(tmp_path: Path, key: str, value: object) -> None:
    with pytest.raises(ConfigError):
        changed(tmp_path, THEIRS, key, value)
    assert (tmp_path / "config.toml").read_text() == THEIRS
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


def test_a_broken_file_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 1"):
        changed(tmp_path, "asr = = 1\n", "asr.model", "small")
    assert (tmp_path / "config.toml").read_text() == "asr = = 1\n"


def test_a_link_to_the_file_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text(THEIRS)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    write_setting(link, "asr.threads", 8)
    assert link.is_symlink()
    assert "threads = 8 #" in real.read_text()


def test_access_rights_of_the_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(THEIRS)
    path.chmod(0o600)
    write_setting(path, "asr.threads", 8)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        write_initial_config(tmp_path / "file" / "kb" / "config.toml")


def test_the_initial_file_explains_every_setting_and_changes_none(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config.toml"
    assert write_initial_config(path)
    text = path.read_text()
    assert not any(isinstance(value, str | int) for value in tomllib.loads(text).values())
    flat = " ".join(line.removeprefix("# ") for line in text.splitlines())
    for info in describe_settings():
        assert (info.doc in flat) == info.in_file
    assert load_settings(path.parent) == load_settings(path.parent / "empty", {}).model_copy(
        update={"data_dir": path.parent}
    )


def test_the_initial_file_holds_the_given_values(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    write_initial_config(path, {"asr.model": "small", "workspace.root": tmp_path / '한 "글"'})
    settings = load_settings(tmp_path)
    assert settings.asr.model == "small"
    assert settings.workspace.root == tmp_path / '한 "글"'
    assert '# model = "base"\nmodel = "small"\n' in path.read_text()


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(THEIRS)
    assert not write_initial_config(path, {"asr.model": "small"})
    assert path.read_text() == THEIRS


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_is_written_and_read_back(
    tmp_path_factory: pytest.TempPathFactory, model: str
) -> None:
    folder = tmp_path_factory.mktemp("config")
    changed(folder, THEIRS, "asr.model", model)
    assert load_settings(folder).asr.model == model


def test_every_setting_is_described() -> None:
    infos = {info.key: info for info in describe_settings()}
    assert infos["asr.threads"].type == "whole number"
    assert infos["asr.languages"].type == "list"
    assert infos["asr.languages"].default == "[]"
    assert infos["asr.speakers"].type == "one of none, channels"
    assert infos["asr.keep_suspect"].default == "false"
    assert infos["asr.model"].default == '"base"'
    assert infos["asr.model"].env == "KB_ASR__MODEL"
    assert infos["workspace.root"].env == "KB_WORKSPACE__ROOT"
    assert infos["data_dir"].env == "KB_DATA_DIR"
    assert [key for key, info in infos.items() if not info.in_file] == ["data_dir"]
    assert all(info.doc.endswith(".") for info in infos.values())


def test_every_described_variable_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = {
        "text": ("xx", "xx"),
        "whole number": ("8", 8),
        "number": ("0.5", 0.5),
        "true or false": ("true", True),
        "list": ("xx,yy", ("xx", "yy")),
        "path": (str(tmp_path), tmp_path),
        "table": ('{"a": 1}', {"a": 1}),
    }
    for info in describe_settings():
        if info.key in ("models_url", "embedding.url", "llm.url"):
            sample: tuple[str, object] = ("https://xx", "https://xx")
        elif info.key in ("embedding.api_key", "llm.api_key"):
            sample = ("xx", SecretStr("xx"))
        elif info.key == "llm.context_tokens":
            sample = ("9000", 9000)
        elif info.key == "llm.max_reply_tokens":
            sample = ("64", 64)
        elif info.type.startswith("one of "):
            last = info.type.rpartition(" ")[2]
            sample = (last, last)
        else:
            sample = samples[info.type]
        with monkeypatch.context() as patch:
            patch.setenv(info.env, sample[0])
            settings: object = load_settings()
            for name in info.key.split("."):
                settings = getattr(settings, name)
            assert settings == sample[1]
