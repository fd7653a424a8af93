"""Languages are told by letters, and by a model only where letters say nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kb_source_text import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("어제 회의에서 배포오류를 논의했다", "ko"),
        ("이번 sprint의 release plan을 review하고 deploy했습니다", "ko"),
        ("关于供应商合同的讨论", "zh"),
        ("關於供應商合約的討論", "zh"),
        ("会議で予算を確認した", "ja"),
        ("the plan is good and we go on with the budget", "en"),
        ("Wir gehen heute Abend ins Kino und danach essen.", "de"),
        ("La riunione di oggi è stata molto lunga e noiosa.", "it"),
        ("Release notes v1.2.3 배포", "ko"),
        ("우리는 API를 쓴다 (カタカナ)", "ko"),
        ("ｶﾀｶﾅ ﾃｽﾄ", "ja"),
        ("東京 meeting", "zh"),
        ("cela peut être fait en allant à la montagne", "fr"),
        ("Сегодня мы обсуждали бюджет проекта и сроки поставки", "ru"),
        ("that is what you can do on the day when they will be there — “now”", "en"),
        ("", None),
        ("12:30 -- 14:00", None),
        ("ok", None),
    ],
)
def test_the_language_of_a_text(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_one_quoted_word_changes_nothing() -> None:
    assert (
        language_of("关于供应商合同的讨论（カタ）我们今天开会讨论预算已经确定了这个项目很好")
        == "zh"
    )


def test_what_needs_no_model_loads_none() -> None:
    program = (
        "import sys; from kb_source_text import decode_text, language_of;"
        "language_of(decode_text('배포 일정'.encode(), 'a').text);"
        "language_of('the plan that we have is good and it was for you and with us');"
        "sys.exit(bool({'py3langid', 'numpy', 'charset_normalizer'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
