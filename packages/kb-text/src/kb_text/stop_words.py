"""Words that say how a question is asked, not what it is about.

In the forms that tokens have: English as it is written and as halves of `don't`, Korean and
Japanese verbs as in a dictionary.
"""

from __future__ import annotations

_ENGLISH = """
a an the this that these those there here it its i me my mine we us our ours you your yours he him
his she her hers they them their theirs who whom whose which what when where why how
is am are was were be been being do does did done doing have has had having can could may might
must shall should will would
and or but nor if then than so because as of at by for from in into on onto to with without about
over under between through during before after not no any some each every both either neither all
too very just also only again ever
don t s ll re ve d m didn doesn isn aren wasn weren won wouldn couldn shouldn haven hasn hadn
"""
_KOREAN = """
하다 되다 있다 없다 않다 대하다 위하다 관하다 이거 그거 저거 이것 그것 저것 무엇 뭐
누구 어디 언제 왜 어떻게 어떠하다 어떻다
"""
_CHINESE = """
的 了 是 在 和 与 或 也 都 就 吗 呢 吧 有 我 你 他 她 它 这 那
什么 怎么 怎样 为什么 谁 哪 哪里 哪个 如何
"""
_JAPANESE = """
為る 居る 有る 成る 何 誰 何処 何時 何故 如何 此れ 其れ 彼れ
"""

STOP_WORDS = frozenset(" ".join((_ENGLISH, _KOREAN, _CHINESE, _JAPANESE)).split())
