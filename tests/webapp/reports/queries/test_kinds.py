"""Marks say what the service does, not what the bytes look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import add_marks, write_results
from webapp.reports.queries import marks
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.window import Window
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)
OWN = {"profile": "", "is_own": True, "view": "log", "topic": "journal", "partition": 0, "replica": ""}


def kinds(folder: Path, actions: list[str | None], **tables: Any) -> list[str]:
    """Kinds of records, one for each action, of which those that begin with - have a null value. With the table of marks and
    without it they are the same."""
    rows = [
        {"key": b"k%d" % n, "value": None if (action or "").startswith("-") else b"v"}
        for n, action in enumerate(actions)
    ]
    entries = [
        {
            "offset": n,
            "entry_type": "Group",
            "entry_action": action and action.lstrip("-"),
            "entity_id": f"g{n}",
        }
        for n, action in enumerate(actions)
    ]
    shared = {"topic": "journal", "partition": 0, "replica": ""}
    made = write_results(
        folder,
        records=records_table(*rows),
        entries=other_table("entries", *entries, **shared),
        **{name: other_table(name, *some, **OWN) for name, some in tables.items()},
    )
    without = drawn(made)
    add_marks(made)
    with_marks = drawn(made)
    assert with_marks.marks["kind"].tolist() == without.marks["kind"].tolist()
    return [str(kind) for kind in with_marks.marks["kind"]]


def drawn(folder: Path) -> Window:
    """All of the journal."""
    with open_results(folder) as results:
        found = survey(results)
        span = whole_span(found.facts[JOURNAL], "offset")
        assert span
        return read_window(PartitionTables(results, JOURNAL, found), span)


def test_an_action_that_deletes_is_a_delete_with_a_value_or_without(tmp_path: Path) -> None:
    assert kinds(tmp_path, ["delete", "-delete", "drop"]) == ["delete"] * 3


def test_an_update_whose_first_record_was_compacted_away_is_no_create(tmp_path: Path) -> None:
    assert kinds(tmp_path, ["create", "update"]) == ["create", "update"]


def test_a_record_that_the_service_does_not_apply_is_rejected(tmp_path: Path) -> None:
    refused = [{"offset": 1, "entity_type": "group", "entity_id": "g1", "reason": "content-null"}]
    assert kinds(tmp_path, ["create", "create"], refusals=refused) == ["create", "rejected"]


def test_a_record_of_which_a_part_is_applied_is_not_rejected(tmp_path: Path) -> None:
    refused = [{"offset": 0, "entity_type": "version", "entity_id": "g0/1", "reason": "content-null"}]
    held = [_state("g0", 0, None)]
    assert kinds(tmp_path, ["create"], refusals=refused, state=held) == ["create"]


def test_a_null_value_that_ends_an_entity_is_a_delete_and_any_other_a_tombstone(tmp_path: Path) -> None:
    ended = [_state("g0", 0, 1)]
    assert kinds(tmp_path, ["set", "-", "-"], state=ended) == ["create", "delete", "tombstone"]


def test_a_record_that_replaces_what_the_service_holds_is_an_update(tmp_path: Path) -> None:
    held = [_state("g", 0, 1), _state("g", 1, None)]
    assert kinds(tmp_path, ["set", "set"], state=held) == ["create", "update"]


def test_what_no_service_reads_is_named_by_its_bytes(tmp_path: Path) -> None:
    assert kinds(tmp_path, [None, "-"]) == ["create", "tombstone"]


def _state(entity_id: str, first: int, end: int | None) -> dict[str, Any]:
    return {
        "entity_type": "group",
        "entity_id": entity_id,
        "attributes": "{}",
        "valid_from_offset": first,
        "valid_to_offset": end,
        "origin_offset": first,
    }


@pytest.mark.parametrize(
    ("is_read", "has_marks", "is_exact", "kind"),
    [
        pytest.param(True, False, False, "create", id="results without marks"),
        pytest.param(True, True, True, "delete", id="results with marks"),
        pytest.param(False, False, True, "create", id="no service reads it"),
    ],
)
def test_a_window_of_too_many_records_to_read_says_whether_its_kinds_are_those_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_read: bool, has_marks: bool, is_exact: bool, kind: str
) -> None:
    entry = {"offset": 0, "entry_type": "Content", "entry_action": "delete", "entity_id": "1"}
    entries = {"entries": other_table("entries", entry, topic="journal", partition=0, replica="")}
    rows = [{"key": b"k%d" % n} for n in range(50)]
    folder = write_results(tmp_path, records=records_table(*rows), **(entries if is_read else {}))
    if has_marks:
        add_marks(folder)
    monkeypatch.setattr(marks, "MAX_READ", 10)
    window = drawn(folder)
    assert window.is_replayed is is_exact
    assert window.total == 50
    first = window.buckets["first_offset"] == 0
    assert kind in window.buckets["kind"][first].tolist()
