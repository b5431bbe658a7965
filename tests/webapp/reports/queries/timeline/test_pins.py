"""Victims of incidents have lanes of their own, which people can name, and the records that are about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.other_dumps import only_in_other_dumps
from webapp.reports.queries.timeline.pins import PINS, Pins, pins_of
from webapp.reports.report import read_report
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
HERE = {"topic": "journal", "partition": 0, "replica": ""}


def victim(entity_type: str, entity_id: str) -> dict[str, Any]:
    return {
        "finding": "cause",
        "kind": "lost",
        "entity_type": entity_type,
        "entity_id": entity_id,
        "when": "already",
    }


def folder_of(folder: Path, victims: list[dict[str, Any]], **tables: Any) -> Path:
    entries: list[dict[str, Any]] = [
        {"offset": 0, "entry_type": "Content", "entry_action": "create", "entity_id": "48"},
        {"offset": 1, "entry_type": "Artifact", "entry_action": "create", "entity_id": "pay/invoice"},
        {
            "offset": 2,
            "entry_type": "ArtifactVersion",
            "entry_action": "update",
            "entity_id": "pay/invoice/1",
        },
        {"offset": 3, "entry_type": "GlobalId", "entry_action": "create", "entity_id": "48"},
        {"offset": 4, "entry_type": "Content", "entry_action": "update", "entity_id": "48"},
    ]
    rows = [{"key": b"k%d" % row["offset"], "entry_type": row["entry_type"]} for row in entries]
    incidents = [{"id": "i", "title": "", "findings": ["cause"], "victims": victims, "plan": []}]
    report = report_document(findings=[finding("cause", evidence=[4])], incidents=incidents)
    return write_results(
        folder,
        report,
        records=records_table(*rows),
        entries=other_table("entries", *entries, **HERE),
        **{name: other_table(name, *some, **HERE) for name, some in tables.items()},
    )


def pinned(folder: Path) -> Pins:
    with open_results(folder) as results:
        return pins_of(results.of(JOURNAL), read_report(results.document))


def test_a_victim_has_a_lane_with_its_records_and_no_others(tmp_path: Path) -> None:
    pins = pinned(folder_of(tmp_path, [victim("content", "48")]))
    assert [pin.lane for pin in pins.pins] == ["Content 48"]
    assert pins.offsets == [0, 4]  # a global id of the same number is another entity


def test_a_version_has_the_lane_of_its_artifact(tmp_path: Path) -> None:
    held = {
        "profile": "", "is_own": True, "view": "log", "entity_type": "artifact", "entity_id": "pay/invoice",
        "attributes": "{}", "valid_from_offset": 1, "origin_offset": 1,
    }  # fmt: skip
    pins = pinned(folder_of(tmp_path, [victim("version", "pay/invoice/1")], state=[held]))
    assert [pin.lane for pin in pins.pins] == ["Artifact pay/invoice"]
    assert pins.offsets == [1, 2]


def test_partitions_topics_and_records_are_no_lanes_of_their_own(tmp_path: Path) -> None:
    victims = [victim("partition", "journal-0"), victim("topic", "journal"), victim("record", "journal-0/4")]
    assert (
        pinned(folder_of(tmp_path, [*victims, victim("content", "48")])).pins
        == pinned(folder_of(tmp_path / "alone", [victim("content", "48")])).pins
    )


def test_at_most_eight_victims_are_pinned(tmp_path: Path) -> None:
    victims = [victim("content", str(number)) for number in range(40, 60)]
    pins = pinned(folder_of(tmp_path, victims))
    assert len(pins.pins) == PINS
    assert pins.more_victims == "12 contents"


def test_victims_of_other_types_than_those_with_lanes_are_not_counted_with_them(tmp_path: Path) -> None:
    contents = [victim("content", str(number)) for number in range(40, 50)]
    groups = [victim("group", str(number)) for number in range(3)]
    assert pinned(folder_of(tmp_path, [*contents, *groups])).more_victims == "2 contents"
    assert pinned(folder_of(tmp_path / "8", [*contents[:8], *groups])).more_victims == "3 groups"
    assert pinned(folder_of(tmp_path / "few", contents[:3])).more_victims == ""


def test_a_single_further_victim_has_a_lane_too(tmp_path: Path) -> None:
    contents = [victim("content", str(number)) for number in range(40, 49)]
    groups = [victim("group", str(number)) for number in range(3)]
    pins = pinned(folder_of(tmp_path, [*contents, *groups]))
    assert [pin.entity_id for pin in pins.pins] == [str(number) for number in range(40, 49)]
    assert pins.more_victims == "3 groups"


def test_a_victim_without_records_keeps_its_lane_with_the_proof(tmp_path: Path) -> None:
    pins = pinned(folder_of(tmp_path, [victim("group", "gone")]))
    assert (pins.offsets, pins.lanes) == ([4], ["Group gone"])


def test_a_report_without_incidents_pins_nothing(tmp_path: Path) -> None:
    assert pinned(folder_of(tmp_path, [])).pins == ()


def test_pinned_lanes_are_above_those_of_the_types_and_no_record_is_drawn_twice(tmp_path: Path) -> None:
    with open_results(folder_of(tmp_path, [victim("content", "48")])) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        pins = pins_of(results.of(JOURNAL), read_report(results.document))
        window = read_window(PartitionTables(results, JOURNAL, found), span, "entity", pins)
        small = read_window(PartitionTables(results, JOURNAL, found), span, "victims", pins)
    assert window.lanes[-1] == "Content 48"
    assert (window.total, window.records_by_lane["Content 48"]) == (5, 2)
    assert small.records_by_lane == {"all other records": 3, "Content 48": 2}


def test_records_that_only_an_older_dump_has_are_found_for_pinned_entities(tmp_path: Path) -> None:
    older = {
        "entity_type": "content", "entity_id": "48", "dump": "monday.json", "dumped_at_ms": 5, "attributes": "{}",
    }  # fmt: skip
    folder = folder_of(
        tmp_path,
        [victim("content", "48")],
        older_entities=[older | {"origin_offset": 9}, older | {"origin_offset": 4}],
    )
    with open_results(folder) as results:
        pins = pins_of(results.of(JOURNAL), read_report(results.document))
        records = only_in_other_dumps(results.of(JOURNAL), pins, 0, 20)
    assert [(one.offset, one.lane, one.dump) for one in records] == [(9, "Content 48", "monday.json")]
