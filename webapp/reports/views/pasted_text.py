"""The text of an upload with its parts marked, below the tab Files. Its bytes come from the content store."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.shortcuts import render

from webapp.journals.disk import storage
from webapp.journals.models import Upload
from webapp.journals.pasted import FILE
from webapp.reports import pasted_text
from webapp.reports.pasted_text import TextPart
from webapp.reports.queries.damage import list_damage
from webapp.reports.queries.files import (
    list_files,
    positions_of_records,
    set_aside_names,
    set_aside_of,
)
from webapp.reports.results import Rows
from webapp.reports.views.page import Page, report_page


@dataclass(frozen=True)
class PastedUpload:
    """An upload that is shown as text: its number is that of its first file."""

    number: int
    name: str
    upload: Upload
    parts: list[TextPart]


@report_page
def text(page: Page, file: int) -> HttpResponse:
    """One text, line by line, as far as a page goes."""
    pasted = next((one for one in texts_of(page, list_files(page.results)) if one.number == file), None)
    if pasted is None:
        raise Http404("There is no such text.")
    size_bytes = pasted.upload.size_bytes
    try:
        head = storage.head(str(pasted.upload.blob_id), pasted_text.MAX_BYTES)
    except FileNotFoundError:
        raise Http404("The file was deleted.") from None
    files = [part.file for part in pasted.parts]
    of_text = [part.file for part in pasted.parts if part.layout not in pasted_text.OF_THE_LOG]
    asides = set_aside_of(page.results, pasted.name, pasted_text.MAX_LINES)
    records, damage = positions_of_records(page.results, of_text, len(head)), damage_of(page, files)
    lines = pasted_text.lines_of(head, len(head) == size_bytes, pasted.parts, asides, damage, records)
    context = {
        "text": pasted,
        "lines": lines,
        "is_cut": is_cut(head, size_bytes, len(lines)),
    }
    return render(page.request, "reports/parts/text.html", context)


def texts_of(page: Page, files: Rows) -> list[PastedUpload]:
    """Uploads with something around or between their dumps, and what was pasted on the page. None in a share."""
    if page.source.inspection is None:
        return []
    uploads = {one.name: one for one in page.inspection.journal.uploads.exclude(blob=None)}
    wrapped = set_aside_names(page.results)
    names = {pasted_text.upload_of(row["name"]) for row in files if row["name"] not in uploads}
    names = (names | wrapped | {FILE}) & uploads.keys()
    texts = []
    for name in sorted(names):
        parts = pasted_text.parts_of(name, files)
        if parts and all(
            row["sha256"] == uploads[name].blob_id for row in files if row["file"] == parts[0].file
        ):
            texts.append(PastedUpload(parts[0].file, name, uploads[name], parts))
    return texts


def damage_of(page: Page, files: list[int]) -> Rows:
    """Unreadable stretches of these files."""
    return [
        row for row in list_damage(page.results) if row["file"] in files and row["reason"] != "crc_mismatch"
    ]


def is_cut(head: bytes, size_bytes: int, lines: int) -> bool:
    """Whether the page shows less than the text has."""
    return len(head) < size_bytes or head.count(b"\n") > lines
