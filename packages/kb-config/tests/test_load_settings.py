"""Which source wins, and what an error says."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from kb_config import Settings, language_codes, load_settings
from kb_core.errors import ConfigError


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import os

    for name in list(os.environ):
        if name.upper().startswith("KB_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home" / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / "cache"))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "kb"
    folder.mkdir()
    return folder


def write_config(data_dir: Path, text: str) -> None:
    (data_dir / "config.toml").write_text(text, encoding="utf-8")


def error_of(data_dir: Path, **overrides: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load_settings(data_dir, {key.replace("__", "."): value for key, value in overrides.items()})
    assert "\n" not in caught.value.message
    return caught.value


def test_defaults_need_no_file_and_no_environment(data_dir: Path) -> None:
    settings = load_settings(data_dir)
    assert settings.asr.engine == "whisper.cpp"
    assert settings.asr.model == "base"
    assert settings.asr.languages == ()
    assert settings.asr.speakers == "none"
    assert not settings.asr.keep_suspect
    assert settings.asr.threads is None
    assert settings.search.limit == 10
    assert settings.workspace.root is None
    assert settings.database_path == data_dir / "kb.sqlite3"
    assert settings.config_path == data_dir / "config.toml"


def test_default_folders_are_those_of_the_platform(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.data_dir == tmp_path / "home" / "data" / "kb"
    assert settings.models_dir == tmp_path / "home" / "cache" / "kb" / "models"


def test_flag_beats_environment_beats_file_beats_default(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings(data_dir).asr.model == "base"
    write_config(data_dir, '[asr]\nmodel = "from-file"\nthreads = 2\n')
    assert load_settings(data_dir).asr.model == "from-file"
    monkeypatch.setenv("KB_ASR__MODEL", "from-env")
    assert load_settings(data_dir).asr.model == "from-env"
    settings = load_settings(data_dir, {"asr.model": "from-flag"})
    assert settings.asr.model == "from-flag"
    assert settings.asr.threads == 2, "other keys of the same table keep their source"


def test_a_flag_that_is_none_was_not_given(data_dir: Path) -> None:
    write_config(data_dir, "[asr]\nthreads = 3\n")
    assert load_settings(data_dir, {"asr.threads": None}).asr.threads == 3


def test_an_empty_variable_was_not_given(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(data_dir, '[asr]\nlanguages = ["ko"]\n')
    monkeypatch.setenv("KB_ASR__LANGUAGES", "")
    assert load_settings(data_dir).asr.languages == ("ko",)


@pytest.mark.parametrize(
    ("variable", "in_file", "languages"),
    [
        ("ko,en", '"ko,en"', ("ko", "en")),
        ('["ko", "en"]', '["ko", "en"]', ("ko", "en")),
        (" en , ko ,", '" en , ko ,"', ("en", "ko")),
        ("ko,en,ko", '["ko", "en", "ko"]', ("ko", "en")),
        ("yue", "['yue']", ("yue",)),
        ("auto", '"auto"', ()),
        ('["auto"]', '["auto"]', ()),
        ("[]", "[]", ()),
        (",", '""', ()),
    ],
)
def test_languages_are_a_list_in_a_variable_and_in_the_file(
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    in_file: str,
    languages: tuple[str, ...],
) -> None:
    write_config(data_dir, f"[asr]\nlanguages = {in_file}\n")
    assert load_settings(data_dir).asr.languages == languages
    write_config(data_dir, '[asr]\nlanguages = ["ja"]\n')
    monkeypatch.setenv("KB_ASR__LANGUAGES", variable)
    assert load_settings(data_dir).asr.languages == languages
    assert load_settings(data_dir, {"asr.languages": ["zh"]}).asr.languages == ("zh",)


def test_data_folder_comes_from_the_flag_or_the_environment(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(data_dir, "[search]\nlimit = 3\n")
    monkeypatch.setenv("KB_DATA_DIR", str(data_dir))
    assert load_settings().search.limit == 3
    assert load_settings(tmp_path / "other").search.limit == 10


def test_relative_folders_are_absolute_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = load_settings(Path("kb"))
    monkeypatch.chdir("/")
    assert settings.data_dir == tmp_path / "kb"


def test_a_relative_folder_in_the_file_is_taken_from_the_file(data_dir: Path) -> None:
    write_config(data_dir, 'models_dir = "weights"\n[workspace]\nroot = "~/notes"\n')
    settings = load_settings(data_dir)
    assert settings.models_dir == data_dir / "weights"
    assert settings.workspace.root == Path("~/notes").expanduser()


def test_a_table_in_one_variable_is_json(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_CHUNKING__AUDIO__OPTIONS", '{"mood": "calm"}')
    assert load_settings(data_dir).chunking.audio.options == {"mood": "calm"}
    monkeypatch.setenv("KB_CHUNKING__AUDIO__OPTIONS", "calm")
    assert "chunking" in error_of(data_dir).message


def test_settings_built_by_hand_read_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_ASR__MODEL", "small")
    assert Settings().asr.model == "base"


def test_settings_cannot_be_changed(data_dir: Path) -> None:
    settings = load_settings(data_dir)
    with pytest.raises(ValidationError):
        settings.data_dir = Path("/")
    with pytest.raises(ValidationError):
        settings.asr.model = "small"


@pytest.mark.parametrize(
    ("text", "key", "hint"),
    [
        ('[asr]\nmodle = "small"\n', "asr.modle", "asr.model"),
        ('[asrr]\nmodel = "small"\n', "asrr", "asr"),
        ("target_tokens = 5\n", "target_tokens", "target_tokens"),
        ("[chunking.audio]\noverlap = 5\n", "chunking.audio.overlap", "chunking.audio.overlap_to"),
        ('"a\\nb" = 1\n', "a\\x0ab", ""),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(
    data_dir: Path, text: str, key: str, hint: str
) -> None:
    write_config(data_dir, text)
    error = error_of(data_dir)
    assert str(data_dir / "config.toml") in error.message
    assert error.message.endswith(f"unknown setting {key}")
    assert hint in (error.hint or "")


def test_the_file_cannot_say_where_it_is_itself(data_dir: Path) -> None:
    write_config(data_dir, 'data_dir = "/elsewhere"\n')
    error = error_of(data_dir)
    assert "data_dir" in error.message
    assert "KB_DATA_DIR" in (error.hint or "")


def test_malformed_toml_is_named_with_its_line(data_dir: Path) -> None:
    write_config(data_dir, '[asr]\nmodel = "small"\nthreads = = 2\n')
    error = error_of(data_dir)
    assert str(data_dir / "config.toml") in error.message
    assert "line 3" in error.message


def test_text_that_is_not_utf8_is_named_with_its_line(data_dir: Path) -> None:
    (data_dir / "config.toml").write_bytes('[asr]\nmodel = "작은"\n'.encode("cp949"))
    assert "line 2 is not UTF-8" in error_of(data_dir).message


def test_a_byte_order_mark_is_no_part_of_the_file(data_dir: Path) -> None:
    (data_dir / "config.toml").write_bytes(b"\xef\xbb\xbf[search]\r\nlimit = 4\r\n")
    assert load_settings(data_dir).search.limit == 4


def test_a_folder_in_place_of_the_file_is_an_error(data_dir: Path) -> None:
    (data_dir / "config.toml").mkdir()
    assert "config.toml" in error_of(data_dir).message


@pytest.mark.parametrize("threads", ["0", "65", "many"])
def test_a_bad_value_in_the_environment_names_the_variable(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, threads: str
) -> None:
    monkeypatch.setenv("KB_ASR__THREADS", threads)
    message = error_of(data_dir).message
    assert message.startswith(f"KB_ASR__THREADS: asr.threads = '{threads}': ")


def test_a_misspelt_variable_of_a_table_is_named(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_ASR__MODLE", "small")
    error = error_of(data_dir)
    assert error.message == "KB_ASR__MODLE: unknown setting asr.modle"
    assert error.hint == "did you mean asr.model?"


@pytest.mark.parametrize(
    ("variable", "hint"),
    [
        ("KB_ASR_MODEL", "did you mean KB_ASR__MODEL?"),
        ("kb_asr_model", "did you mean KB_ASR__MODEL?"),
        ("KB_WORKSPACE_ROOT", "did you mean KB_WORKSPACE__ROOT?"),
        ("KB_CHUNKING_AUDIO_TARGET_TOKENS", "did you mean KB_CHUNKING__AUDIO__TARGET_TOKENS?"),
        ("KB_SEARCH_LIMIT", "did you mean KB_SEARCH__LIMIT?"),
        ("KB_ASR_" + 40 * "Q", "settings begin with KB_ASR__"),
    ],
)
def test_a_variable_with_a_single_underscore_is_refused(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, variable: str, hint: str
) -> None:
    monkeypatch.setenv(variable, "tiny")
    error = error_of(data_dir)
    assert error.message == f"{variable}: there is no such setting"
    assert error.hint == hint


def test_variables_of_other_programs_are_left_alone(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("KB_UPDATE_SNAPSHOTS", "KB_LAYOUT", "KB_ASRA", "KB_", "KB_SEARCHER_X"):
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("KB_ASR_MODEL", "")
    assert load_settings(data_dir) == Settings(data_dir=data_dir)


@pytest.mark.parametrize(
    "url",
    ["http://[::1", "ftp://host/x", "host/x", "https://", "http://host:port", "http://a b/", "é"],
)
def test_an_impossible_web_address_names_where_it_was_read(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("KB_MODELS_URL", url)
    message = error_of(data_dir).message
    assert message.startswith("KB_MODELS_URL: models_url = ")
    assert "no web address" in message


def test_the_mirror_of_models_is_a_setting(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(data_dir).models_url is None
    write_config(data_dir, 'models_url = "https://mirror.example/whisper"\n')
    assert load_settings(data_dir).models_url == "https://mirror.example/whisper"
    monkeypatch.setenv("KB_MODELS_URL", "http://[::1]:8080/")
    assert load_settings(data_dir).models_url == "http://[::1]:8080/"


def test_a_bad_value_in_the_file_names_the_file(data_dir: Path) -> None:
    write_config(data_dir, "[search]\nlimit = -1\n")
    message = error_of(data_dir).message
    assert message.startswith(f"{data_dir / 'config.toml'}: search.limit = '-1': ")


def test_a_bad_value_on_the_command_line_says_so(data_dir: Path) -> None:
    assert error_of(data_dir, search__limit="x").message.startswith(
        "the command line: search.limit = 'x'"
    )
    assert error_of(data_dir, asr__colour="x").message.startswith("the command line: unknown")


def test_an_impossible_folder_names_where_it_was_read(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(data_dir, 'models_dir = "a\\u0000b"\n')
    assert "config.toml: models_dir = 'a\\x00b': a path holds no NUL" in error_of(data_dir).message
    monkeypatch.setenv("KB_DATA_DIR", "~nobody-here/kb")
    with pytest.raises(ConfigError, match=r"KB_DATA_DIR: data_dir = '~nobody-here/kb': no such"):
        load_settings()


def test_a_value_in_place_of_a_table_is_an_error(data_dir: Path) -> None:
    write_config(data_dir, 'asr = "small"\n')
    assert "asr = 'small': must be a table" in error_of(data_dir).message


@pytest.mark.parametrize("language", ["Korean", "ko-KR", "k", "KO", "ko en", "한국", '["ko', "[1]"])
def test_what_is_no_language_code_names_where_it_was_read(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    start = "asr.languages = "
    assert error_of(data_dir, asr__languages=language).message.startswith(
        f"the command line: {start}"
    )
    write_config(data_dir, f"[asr]\nlanguages = ['en', '{language}']\n")
    assert f"config.toml: {start}" in error_of(data_dir).message
    write_config(data_dir, "")
    monkeypatch.setenv("KB_ASR__LANGUAGES", language)
    assert error_of(data_dir).message.startswith(f"KB_ASR__LANGUAGES: {start}")


def test_languages_that_were_named_one_by_one_are_a_list() -> None:
    assert language_codes(["ko", "en,ko", "ja"]) == ("ko", "en", "ja")
    assert language_codes(["auto"]) == ()
    with pytest.raises(ConfigError, match="no language code: ko,Korean") as caught:
        language_codes(["ko", "Korean"])
    assert "ja" in (caught.value.hint or "")


def test_a_way_of_telling_speakers_apart_that_there_is_not_names_those_that_there_are(
    data_dir: Path,
) -> None:
    write_config(data_dir, '[asr]\nspeakers = "voices"\n')
    message = error_of(data_dir).message
    assert "config.toml: asr.speakers = 'voices': " in message
    assert "'none' or 'channels'" in message


@pytest.mark.parametrize(("target", "overlap"), [(10, 10), (10, 11), (1, 1)])
def test_an_overlap_that_reaches_the_budget_is_refused_when_configured(
    data_dir: Path, target: int, overlap: int
) -> None:
    write_config(
        data_dir, f"[chunking.audio]\ntarget_tokens = {target}\noverlap_tokens = {overlap}\n"
    )
    message = error_of(data_dir).message
    assert f"overlap_tokens ({overlap}) must be smaller than target_tokens ({target})" in message
    assert "config.toml: chunking.audio: " in message


@pytest.mark.parametrize(
    "family", ["audio", "audio/mp4", "video/webm", "subtitle", "transcript-json"]
)
def test_all_that_holds_speech_is_cut_alike(data_dir: Path, family: str) -> None:
    write_config(data_dir, "[chunking.audio]\ntarget_tokens = 60\nmin_segments_per_chunk = 2\n")
    policy = load_settings(data_dir).chunking.policy_for(family, "audio-segment-v1")
    assert policy.chunker_version == "audio-segment-v1"
    assert policy.target_tokens == 60
    assert policy.overlap_tokens == 0
    assert policy.min_segments_per_chunk == 2


def test_a_family_without_settings_is_an_error(data_dir: Path) -> None:
    with pytest.raises(ConfigError, match="other"):
        load_settings(data_dir).chunking.policy_for("other", "x")
