"""What a PDF says about itself: title, dates, page labels, language, attachments."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from kb_core import nfc
from kb_parse_pdf.characters import clean
from kb_parse_pdf.file import PdfDocument, mupdf_errors

_NO_TITLE = frozenset({"untitled", "title", "document", "no title", "제목 없음", "无标题", "無題"})
_FILE_NAME = re.compile(
    r"(microsoft (word|powerpoint|excel|office)\s*-)|"
    r"(.*\.(docx?|dotx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|hwpx?|odt|odp|rtf|html?|fm|pages|key)$)|"
    r"([a-z]:\\)|(slide \d+$)|(powerpoint presentation$)|(untitled\b)",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"D?:?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)?(\d\d)?)?(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?"
)


def document_info(document: PdfDocument) -> dict[str, str]:
    """Return title, author, creationDate … as far as they are there; cleaned."""
    try:
        entries = document.metadata or {}
    except mupdf_errors():
        return {}
    return {
        key: text
        for key, value in entries.items()
        if isinstance(value, str) and (text := nfc(clean(value)).strip()) and "\ufffd" not in text
    }


def choose_title(info: dict[str, str], workspace_path: str) -> str:
    """Return the title that the PDF gives itself when it is one, else the file's stem."""
    title = info.get("title", "")
    is_one = title.casefold() not in _NO_TITLE and any(c.isalpha() for c in title)
    if is_one and not _FILE_NAME.match(title):
        return title
    return PurePosixPath(workspace_path).stem


def iso_date(pdf_date: str | None) -> str | None:
    """Return a PDF date in ISO 8601, as exact as it is, or None when it is none.

    >>> iso_date("D:20230709132517+09'00'")
    '2023-07-09T13:25:17+09:00'
    """
    match = _DATE.match(pdf_date or "")
    if match is None:
        return None
    year, month, day, hour, minute, second, utc, sign, zone_hours, zone_minutes = match.groups()
    limits = ((month, 1, 12), (day, 1, 31), (hour, 0, 23), (minute, 0, 59), (second, 0, 59))
    if any(part is not None and not low <= int(part) <= high for part, low, high in limits):
        return None
    date = "-".join(part for part in (year, month, day) if part)
    if not (day and hour):
        return date
    time = f"{hour}:{minute or '00'}:{second or '00'}"
    is_utc = utc or (sign and int(zone_hours) == int(zone_minutes or 0) == 0)
    zone = "Z" if is_utc else f"{sign}{zone_hours}:{zone_minutes or '00'}" if sign else ""
    return f"{date}T{time}{zone}"


def page_labels(document: PdfDocument) -> tuple[str, ...]:
    """Return what the PDF calls its pages; empty where that is 1, 2, 3 … or not said."""
    try:
        if not document.get_page_labels():
            return ()
        labels = [nfc(clean(document[i].get_label())).strip() for i in range(document.page_count)]
    except mupdf_errors():
        return ()
    numbers = [str(number) for number in range(1, len(labels) + 1)]
    return () if labels == numbers or not any(labels) else tuple(labels)


def declared_language(document: PdfDocument) -> str | None:
    """Return the ISO 639-1 code that the PDF names, or None."""
    try:
        _, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except mupdf_errors():
        return None
    match = re.match(r"([A-Za-z]{2})(?![A-Za-z])", value)
    return match[1].lower() if match else None


def attachment_names(document: PdfDocument) -> tuple[str, ...]:
    """Return the names of files inside the PDF."""
    try:
        return tuple(clean(name).strip() for name in document.embfile_names())
    except mupdf_errors():
        return ()
