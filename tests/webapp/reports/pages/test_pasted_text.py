"""The text of a pasted upload in the tab Files: its parts marked, what was set aside and why, cut where a page ends."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.builders import files_table, other_table, records_table
from tests.spark.sources._wrapping.sorted_texts import kcat
from tests.webapp.reports.result_folder import write_results
from tests.webapp.sharing.conftest import share
from webapp.audit.models import Event
from webapp.journals import pasted
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Upload
from webapp.reports import pasted_text
from webapp.reports.pasted_text import TextPart, lines_of, parts_of, upload_of

__all__ = ["share"]

NAME = "ticket.txt"
TEXT = b"Look <here>:\n" + kcat(7) + b"\n```\n$ kcat -J -t orders\n" + kcat(8, "café") + b"\n"
STARTS = [0, *(place + 1 for place, letter in enumerate(TEXT) if letter == 10)]


def shape(text: bytes) -> Any:
    """What an inspection of the text writes: two parts, three lines set aside."""
    sha256 = hashlib.sha256(text).hexdigest()
    file = {
        "sha256": sha256,
        "kind": "export",
        "layout": "kcat-json",
        "layout_title": "kcat -J",
        "topic": "orders",
    }
    rows = [
        {"file": 0, "name": NAME, "line": line, "position": STARTS[line - 1], "kind": kind, "records": 0}
        | {"size_bytes": STARTS[line] - STARTS[line - 1], "text": ""}
        for line, kind in ((1, "text"), (3, "fence"), (4, "command"))
    ]
    records = [{"file": n, "offset": 7 + n, "batch_position": STARTS[line]} for n, line in enumerate((1, 4))]

    def write(folder: Path) -> None:
        write_results(
            folder,
            files=files_table(
                {"name": f"{NAME} (line 2)"}, {"name": f"{NAME} (line 5)"}, partition=0, **file
            ),
            set_aside=other_table("set_aside", *rows),
            records=records_table(*records, topic="orders"),
        )

    return write


@pytest.fixture
def ticket(inspected: Any, tmp_path: Path) -> Any:
    """An inspection of the text, whose bytes are in the store."""
    inspection = inspected(shape(TEXT))
    sha256 = hashlib.sha256(TEXT).hexdigest()
    path = tmp_path / "bytes"
    path.write_bytes(TEXT)
    storage.store_copy(path, sha256)
    blob = Blob.objects.create(sha256=sha256, size_bytes=len(TEXT))
    Upload.objects.create(journal=inspection.journal, name=NAME, size_bytes=len(TEXT), blob=blob)
    return inspection


def cells(page: str) -> list[tuple[str, ...]]:
    """Rows of the table as texts."""
    rows = re.findall(r'<tr class="[^"]*">(.*?)</tr>', page, re.DOTALL)
    return [tuple(re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)) for row in rows]


def test_each_line_has_its_part_or_the_reason_why_it_has_none(ticket: Any, get: Any) -> None:
    rows = cells(get(ticket, "report-text", 0).content.decode())
    assert [(number, part, words) for number, part, _, words in rows] == [
        ("1", "–", "other text"),
        ("2", "1", "kcat -J"),
        ("3", "–", "fence"),
        ("4", "–", "command"),
        ("5", "2", "kcat -J"),
    ]
    assert rows[0][2] == "Look &lt;here&gt;:"
    assert "café" in rows[4][2]


def test_the_tab_files_offers_the_text(ticket: Any, get: Any) -> None:
    assert reverse("report-text", args=[ticket.pk, 0]) in get(ticket, "report-files").content.decode()


def test_a_binary_upload_has_no_text(inspected: Any, get: Any) -> None:
    inspection = inspected()
    assert "Text as it was read" not in get(inspection, "report-files").content.decode()
    assert get(inspection, "report-text", 0).status_code == 404


def test_reading_the_text_stands_in_the_audit_log(ticket: Any, get: Any) -> None:
    get(ticket, "report-text", 0)
    assert Event.objects.filter(action="text.read").values_list("detail", flat=True)[0]["file"] == "0"


def test_a_text_that_was_deleted_is_offered_no_more(ticket: Any, get: Any) -> None:
    ticket.journal.uploads.all().delete()
    assert "Text as it was read" not in get(ticket, "report-files").content.decode()
    assert get(ticket, "report-text", 0).status_code == 404


@pytest.mark.parametrize("payloads", [True, False])
def test_a_share_neither_offers_nor_serves_the_text(ticket: Any, request: Any, payloads: bool) -> None:
    _, token = request.getfixturevalue("share")(ticket, payloads=payloads)
    guest = Client()
    page = guest.get(f"/s/{token}/files/")
    assert page.status_code == 200
    assert "Text as it was read" not in page.content.decode()
    assert guest.get(f"/s/{token}/files/0/text/").status_code == 404


def test_a_long_text_is_cut_and_says_so(ticket: Any, get: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(pasted_text, "MAX_LINES", 2)
    page = get(ticket, "report-text", 0).content.decode()
    assert len(cells(page)) == 2
    assert "Showing the first 2 lines of" in page
    monkeypatch.setattr(pasted_text, "MAX_BYTES", STARTS[1] + 5)
    page = get(ticket, "report-text", 0).content.decode()
    assert [row[0] for row in cells(page)] == ["1"]


def test_what_was_pasted_on_the_page_is_shown_even_without_wrapping(ticket: Any, get: Any) -> None:
    text = kcat(1) + b"\n" + kcat(2) + b"\n"
    part = TextPart(1, 0, "kcat -J", "kcat-json")
    lines = lines_of(text, True, [part], [], [], [0, len(kcat(1)) + 1])
    assert [(line.number, line.part, line.words) for line in lines] == [
        (1, part, "kcat -J"),
        (2, part, "record"),
    ]
    assert pasted.FILE == "pasted.txt"


def test_a_stretch_that_cannot_be_read_is_marked() -> None:
    text = kcat(1) + b"\n{broken\n"
    damage = [{"position": len(kcat(1)) + 1, "size_bytes": 8, "reason": "bad_line"}]
    lines = lines_of(text, True, [TextPart(1, 0, "kcat -J", "kcat-json")], [], damage, [0])
    assert [(line.words, line.is_damage) for line in lines] == [
        ("kcat -J", False),
        ("line cannot be read", True),
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig"])
def test_lines_of_other_encodings_have_the_same_numbers(encoding: str) -> None:
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    text = mark + "ĊhiĊ\nthere 日本\nend\n".encode(encoding)
    aside = {"line": 2, "position": 0, "size_bytes": len(text), "kind": "fence"}
    lines = lines_of(text, True, [TextPart(1, 0, "kcat -J", "kcat-json")], [aside], [], [])
    assert [(line.text, line.part is None) for line in lines] == [
        ("ĊhiĊ", False),
        ("there 日本", True),
        ("end", False),
    ]


def test_output_behind_a_command_in_its_line_belongs_to_the_part() -> None:
    text = b"$ kcat -J " + kcat(1) + b"\n"
    aside = {"line": 1, "position": 0, "size_bytes": 10, "kind": "command"}
    lines = lines_of(text, True, [TextPart(1, 0, "kcat -J", "kcat-json")], [aside], [], [10])
    assert lines[0].part is not None


def test_parts_are_found_by_their_names() -> None:
    rows = [
        {"file": number, "name": name, "kind": "export", "layout": "kcat-json", "layout_title": "kcat -J"}
        for number, name in enumerate(("a.txt (lines 3-9)", "a.txt (line 12)", "b (x).txt"))
    ]
    assert [(part.number, part.first, part.last) for part in parts_of("a.txt", rows)] == [
        (1, 3, 9),
        (2, 12, 12),
    ]
    assert [(part.number, part.last) for part in parts_of("b (x).txt", rows)] == [(1, None)]
    assert upload_of("b (x).txt") == "b (x).txt"
