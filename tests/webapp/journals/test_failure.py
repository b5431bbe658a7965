"""A failed inspection: the reason as heading, the place where reading stopped, the nearest formats, no retry that cannot help."""

from __future__ import annotations

from typing import Any

from spark.sources._not_a_journal.words import Identified, dump
from webapp.journals.models import Inspection
from webapp.journals.outcome.failure import failure_of

CHECKED = "\n\nFormats checked:\n- kcat -J: not text: zero bytes\n- AKHQ download: not text\n- rpk: no line begins with `{}`\n1 more:\n- other: none"
UNKNOWN = f"Unknown file format: a.txt is not a known journal dump or log segment.{CHECKED}"
IDENTIFIED = f"a.png is a picture. Send the dump itself.{CHECKED}"
BINARY = {
    "file": "a.png",
    "is_text": False,
    "rows": [[0, "89 50", ".P"], [16, "0a 1a", ".."]],
    "stopped": 16,
}
TEXT = {"file": "a.txt", "is_text": True, "rows": [[1, "", "<hello>"]], "stopped": 1}


def failed(inspection: Inspection, error: str, **summary: Any) -> Inspection:
    inspection.state, inspection.error, inspection.summary = Inspection.State.FAILED, error, summary
    inspection.save()
    return inspection


def page_of(inspection: Inspection, client: Any) -> str:
    return client.get(f"/inspections/{inspection.pk}/").content.decode()


def test_reason_and_nearest_formats_are_told_apart() -> None:
    unknown = f"Unknown file format: a.bin is not a known journal dump or log segment. Send another.{CHECKED}"
    failure = failure_of(Inspection(error=unknown, summary={"unread": BINARY}))
    assert failure.reason == "Unknown file format: a.bin is not a known journal dump or log segment."
    assert failure.advice == "Send another."
    assert [format.title for format in failure.nearest] == ["kcat -J", "AKHQ download", "rpk"]
    assert failure.nearest[0].missing == "not text: zero bytes"
    assert failure.nearest[0].address == "/catalogue/sources/kcat-json/"
    assert [format.title for format in failure.others] == ["other"]


def test_what_is_known_to_be_something_else_is_near_no_format() -> None:
    failure = failure_of(Inspection(error=IDENTIFIED, summary={"unread": BINARY}))
    assert (failure.reason, failure.advice) == ("a.png is a picture.", "Send the dump itself.")
    assert (failure.nearest, failure.others) == ([], [])


def test_another_message_has_no_formats() -> None:
    failure = failure_of(Inspection(error="The disk is full."))
    assert (failure.reason, failure.nearest, failure.others) == ("The disk is full.", [], [])
    assert not failure.is_of_input


def test_bytes_are_shown_where_reading_stopped_and_nothing_asks_for_a_text_format(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    page = page_of(failed(inspection, IDENTIFIED, unread=BINARY), sign_in(owner))
    assert page.index("a.png is a picture.") < page.index("The inspection stopped without a report")
    assert "a.png, byte 16" in page
    assert "89 50" in page
    assert page.count("Reading stopped here") == 1
    assert 'name="format"' not in page


def test_a_command_is_advice_below_the_reason_with_a_button_that_copies_it(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    error = Identified("a picture", dump(["orders"])).sentence("a.png")
    page = page_of(failed(inspection, error, unread=BINARY), sign_in(owner))
    heading, rest = page.split("</h1>", 1)
    assert "a.png is a picture and contains no records." in heading
    assert "kcat" not in heading
    assert 'data-copy-text="kcat -C -b BROKER:9092 -t orders ' in rest
    assert "js/report" in page, "which copies"


def test_a_text_asks_for_the_format_and_is_escaped(inspection: Inspection, owner: Any, sign_in: Any) -> None:
    page = page_of(failed(inspection, IDENTIFIED, unread=TEXT), sign_in(owner))
    assert "&lt;hello&gt;" in page
    assert 'name="format"' in page


def test_retry_is_the_next_step_only_where_it_can_help(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    filled = '<button class="btn btn-primary" type="submit">Retry</button>'
    assert filled in page_of(failed(inspection, "The server's disk is full."), sign_in(owner))
    page = page_of(failed(inspection, UNKNOWN, unread=TEXT), sign_in(owner))
    assert filled not in page
    assert page.index("Choose other files") < page.index(">Files</a>") < page.index(">Retry</button>")
    assert "no line begins with <code>{}</code>" in page


def test_a_file_that_was_not_read_at_all_is_shown_as_it_begins(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    page = page_of(failed(inspection, IDENTIFIED, unread=TEXT), sign_in(owner))
    assert "The file begins with" in page
    assert "Reading stopped here" not in page
    assert "<details" in page[: page.index('name="format"')]


def test_a_table_that_contains_no_records_has_a_command_too(
    inspection: Inspection, owner: Any, sign_in: Any
) -> None:
    question = {"sentence": "a.csv is a table.", "columns": [], "format": "%k %s"}
    page = page_of(failed(inspection, "a.csv is a table.", question=question), sign_in(owner))
    assert "If the rows are not records, send a dump of the topic:" in page
    assert 'data-copy-text="kcat -C -b BROKER:9092 -t TOPIC ' in page
