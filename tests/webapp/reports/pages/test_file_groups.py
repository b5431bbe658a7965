"""Files as groups: by partition, by segment, those with faults first, a folder once."""

from __future__ import annotations

from typing import Any

from spark.sources._grammar.declared_tables import TOOL_PRINTS
from tests.webapp.reports.result_folder import finding
from webapp.reports.pages._file_groups import BROKER, NOT_READ, PRINTS, groups_of
from webapp.reports.report import ReportFinding


def file(name: str, kind: str = "companion", **members: Any) -> dict[str, Any]:
    usual = {"topic": "moves", "partition": 0, "replica": "", "size_bytes": 10, "note": "", "layout": kind}
    return {"name": name, "kind": kind, "damaged_ranges": 0, "damaged_bytes": 0, **usual, **members}


SEGMENTS = [
    file("moves-0/00000000000000000000.log", "segment"),
    file("moves-0/00000000000000000000.index", note="by its name: offset index"),
    file("moves-0/00000000000000000062.snapshot"),
    file("moves-0/00000000000000000097.log", "segment"),
    file("moves-0/00000000000000000097.timeindex"),
    file("moves-0/00000000000000000150.snapshot"),
    file("moves-0/leader-epoch-checkpoint"),
]


def test_a_segment_is_one_row_with_its_indexes_and_snapshots() -> None:
    (group,) = groups_of(SEGMENTS)
    assert (group.title, group.has_folder, group.files) == ("moves-0", False, 7)
    assert [(row.name, [file["base"] for file in row.files]) for row in group.rows] == [
        (
            "00000000000000000000",
            ["00000000000000000000.log", "00000000000000000000.index", "00000000000000000062.snapshot"],
        ),
        (
            "00000000000000000097",
            ["00000000000000000097.log", "00000000000000000097.timeindex", "00000000000000000150.snapshot"],
        ),
        ("leader-epoch-checkpoint", ["leader-epoch-checkpoint"]),
    ]
    assert [file["label"] for file in group.rows[0].files[:2]] == ["log", "offset index"]
    assert [row.is_segment for row in group.rows] == [True, True, False]


def test_damage_comes_first_then_the_partition_of_the_page() -> None:
    hurt = file("b-0/00000000000000000005.log", "segment", topic="b", damaged_ranges=1, damaged_bytes=7)
    whole = file("b-0/00000000000000000000.log", "segment", topic="b")
    other = file("a-0/00000000000000000000.log", "segment", topic="a")
    groups = groups_of([*SEGMENTS, other, whole, hurt], "moves-0")
    assert [group.title for group in groups] == ["b-0", "moves-0", "a-0"]
    assert [row.name for row in groups[0].rows] == ["00000000000000000005", "00000000000000000000"]


def test_what_belongs_to_no_partition_comes_last() -> None:
    files = [file("notes.txt", "ignored"), file("meta.properties", topic="?"), *SEGMENTS]
    assert [group.title for group in groups_of(files)] == ["moves-0", BROKER, NOT_READ]


def test_a_folder_that_is_not_the_partitions_is_named_once() -> None:
    (group,) = groups_of([file("broker-1/data/moves-0/00000000000000000000.log", "segment")])
    assert (group.folder, group.has_folder) == ("broker-1/data/moves-0", True)


def test_an_index_without_a_log_stands_for_itself() -> None:
    (group,) = groups_of([file("moves-0/00000000000000000007.index")])
    assert [row.name for row in group.rows] == ["00000000000000000007.index"]


def test_a_finding_stands_in_the_row_that_stores_its_offsets_or_else_over_the_group() -> None:
    files = [
        file("b/moves-0/00000000000000000000.log", "segment", replica="b", first_offset=0, last_offset=60),
        file("b/moves-0/00000000000000000097.log", "segment", replica="b", first_offset=97, last_offset=120),
        file("a/moves-0/00000000000000000000.log", "segment", replica="a", first_offset=0, last_offset=120),
    ]
    of_b = {"topic": "moves", "replica": "b", "copies": ["b"]}
    count = about(1, detector="record-count-mismatch", first_offset=99, last_offset=101, **of_b)
    gap = about(2, severity="high", detector="missing-segment", first_offset=61, last_offset=96, **of_b)
    faulty, intact = groups_of(files, "moves-0 (a)", [gap, count])
    assert (faulty.title, faulty.findings, faulty.has_folder) == ("moves-0 (b)", [gap], False)
    assert [(row.name, row.findings) for row in faulty.faulty] == [("00000000000000000097", [count])]
    assert [row.name for row in faulty.rest] == ["00000000000000000000"]
    assert (intact.title, intact.has_fault) == ("moves-0 (a)", False)


def about(identity: int, **members: Any) -> ReportFinding:
    return ReportFinding(**finding(str(identity), **members))


def test_what_was_not_read_is_one_group() -> None:
    (group,) = groups_of([file("a/notes.txt", "ignored"), file("b/notes.txt", "ignored")])
    assert [row.name for row in group.rows] == ["a/notes.txt", "b/notes.txt"]


def test_outputs_of_tools_are_one_group_and_say_what_stands_in_them() -> None:
    outputs = [
        file(
            "a.txt",
            topic=None,
            partition=None,
            layout="kafka-topics-describe",
            note="4 partitions of orders.",
        ),
        file("b.txt", topic=None, partition=None, layout="kafka-consumer-groups", note="[hidden]"),
    ]
    broker = file("meta.properties", topic=None, partition=None, layout="meta-properties", note="a note")
    groups = {group.title: group for group in groups_of([*outputs, broker])}
    assert groups.keys() == {"Output of tools", "Whole broker"}
    assert all(row.is_output for row in groups["Output of tools"].rows)
    assert not groups["Whole broker"].rows[0].is_output


def test_the_outputs_of_tools_are_those_that_are_declared() -> None:
    assert set(TOOL_PRINTS) == PRINTS


def test_outputs_of_tools_are_those_that_the_pipeline_declares() -> None:
    assert frozenset(TOOL_PRINTS) == PRINTS
