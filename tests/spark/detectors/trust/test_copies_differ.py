"""A dump beside the segments or another dump of its partition."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.trust.copies_differ import detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import files_table, given_tables, other_table, records_table

SEGMENTS, DUMP = ("", "log-segment", "segment"), ("dump", "kcat-json", "export")


def tables(*copies: tuple[tuple[str, str, str], list[dict[str, Any]]], topic: str = "t") -> ResultTables:
    """Copies with their records."""
    files, runs, rows = [], [], []
    for number, ((replica, layout, kind), records) in enumerate(copies):
        files.append(
            {"replica": replica, "layout": layout, "kind": kind, "layout_title": f"title of {layout}"}
        )
        offsets = [record["offset"] for record in records]
        runs.append(
            {"replica": replica, "file": number, "first_offset": min(offsets), "last_offset": max(offsets)}
        )
        rows += [{"replica": replica, "file": number, **record} for record in records]
    return given_tables(
        {
            "files": files_table(*files, topic=topic),
            "runs": other_table("runs", *runs, topic=topic, partition=0),
            "records": records_table(*rows, topic=topic),
        }
    )


def found(*copies: tuple[tuple[str, str, str], list[dict[str, Any]]], **more: Any) -> list[Finding]:
    return [detector.describe(row) for row in detector.find(tables(*copies, **more))]


def records(*offsets: int, value: bytes = b"value") -> list[dict[str, Any]]:
    return [{"offset": offset, "key": b"k%d" % offset, "value": value} for offset in offsets]


def test_what_a_dump_lacks_and_has_otherwise_is_one_note() -> None:
    dump = [*records(0, 1, 2, 3, 4), *records(6, value=b"changed"), *records(8, 9)]
    (finding,) = found((SEGMENTS, records(*range(8), 9)), (DUMP, dump))
    assert (finding.severity, finding.replica, finding.evidence) == ("info", "dump", [5, 6, 7, 8])
    assert finding.title == "dump differs from title of log-segment at 4 offsets of t-0"
    assert "dump lacks a record at offsets 5 and 7." in finding.explanation
    assert "dump has another key or value at offset 6." in finding.explanation
    assert "dump has a record more at offset 8." in finding.explanation


def test_equal_copies_are_innocent() -> None:
    assert found((SEGMENTS, records(*range(9))), (DUMP, records(*range(9)))) == []


def test_a_dump_that_begins_later_and_ends_earlier_is_innocent() -> None:
    assert found((SEGMENTS, records(*range(9))), (DUMP, records(*range(3, 7)))) == []


def test_a_layout_that_changes_values_is_compared_by_keys() -> None:
    console = ("dump", "console-consumer", "export")
    assert found((SEGMENTS, records(*range(9))), (console, records(*range(9), value=b"null"))) == []


def test_without_keys_a_layout_that_changes_values_tells_copies_by_equal_values_alone() -> None:
    console = ("dump", "console-consumer", "export")
    keyless = [{"offset": offset, "value": b"v%d" % offset} for offset in range(9)]
    others = [record | {"value": b"other"} if record["offset"] < 5 else record for record in keyless]
    assert found((SEGMENTS, keyless), (console, others)) == []
    changed = [record | {"value": b"other"} if record["offset"] < 2 else record for record in keyless]
    (finding,) = found((SEGMENTS, keyless), (console, changed[:-2] + changed[-1:]))
    assert finding.evidence == [7]


def test_a_log_of_other_records_is_no_copy() -> None:
    other = [{"offset": offset, "key": b"other%d" % offset} for offset in range(9)]
    assert found((SEGMENTS, records(*range(9))), (DUMP, other)) == []


def test_of_two_dumps_the_one_that_lacks_more_is_compared_with_the_other() -> None:
    bare = ("bare", "plain-json", "export")
    (finding,) = found((bare, records(*range(8))), (DUMP, records(0, 1, 2, 3, 4, 5, 7)))
    assert finding.title.startswith("bare differs from dump at 1 offset ")


@pytest.mark.parametrize(
    ("copies", "topic"),
    [
        ([(SEGMENTS, records(0, 1))], "t"),
        ([(SEGMENTS, records(0, 1)), (("b2", "log-segment", "segment"), records(0))], "t"),
        ([(SEGMENTS, records(0, 1)), (DUMP, records(0))], "?"),
    ],
    ids=["one copy", "replicas", "no topic"],
)
def test_without_a_dump_beside_another_copy_it_does_not_apply(copies: Any, topic: str) -> None:
    assert detector.absent(tables(*copies, topic=topic)) is not None


def test_many_offsets_are_counted() -> None:
    (finding,) = found((SEGMENTS, records(*range(50))), (DUMP, records(*range(20), *range(40, 50))))
    assert "and at 10 more" in finding.explanation
