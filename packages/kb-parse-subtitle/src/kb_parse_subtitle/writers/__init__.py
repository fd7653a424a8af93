"""What `kb export` writes: one function per format, `CanonicalDocument` to the text of a file.

| format | holds | beyond what the row above loses |
|---|---|---|
| json | everything that is stored, suspects with their flags | nothing is lost |
| whisperx | times, text, words and their confidence, speakers, language | flags, other confidence |
| vtt | times, text, speakers, language | words, confidence |
| srt | times, text, speakers as `[Kim]: text` | language |
| lrc | starts, ends before a pause, text, speakers, language | line breaks, milliseconds |
| md, txt | starts, text, speakers; the text of any other document | ends, fractions of a second |

Segments that were probably not said are left out everywhere but in json, unless the person keeps
them. Text for people is written in lines without blanks around them and without empty ones; an
empty segment is no cue. Times are whole milliseconds all the way, so nothing is rounded, but where
the table says so.
"""

from kb_parse_subtitle.writers.reading import write_md, write_txt
from kb_parse_subtitle.writers.structured import write_json, write_whisperx
from kb_parse_subtitle.writers.subtitles import write_lrc, write_srt, write_vtt

__all__ = [
    "write_json",
    "write_lrc",
    "write_md",
    "write_srt",
    "write_txt",
    "write_vtt",
    "write_whisperx",
]
