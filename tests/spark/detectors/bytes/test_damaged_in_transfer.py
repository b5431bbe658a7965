"""A segment that a copy changed: one finding that speaks of the copy, and none of the broker's disk."""

from __future__ import annotations

from typing import Any

from spark.detectors.bytes import crc_mismatch, unreadable_bytes
from spark.detectors.bytes.damaged_in_transfer import detector
from spark.report.detect import answer
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from tests.builders import batches_table, damage_table, files_table, given_tables, other_table

FILE = {
    "file": 0,
    "name": "orders-0/00000000000000000000.log",
    "topic": "orders",
    "partition": 0,
    "replica": "",
}


def change(cause: str, is_undone: bool = True, detail: str = "", changed: int = 0) -> dict[str, Any]:
    return {**FILE, "cause": cause, "is_undone": is_undone, "detail": detail, "changed": changed}


def tables(
    *changes: dict[str, Any], crc_ok: bool = True, damage: tuple[dict[str, Any], ...] = ()
) -> ResultTables:
    rows = [{**FILE, "position": n * 80, "base_offset": n, "last_offset": n} for n in range(3)]
    rows[1]["crc_ok"] = crc_ok
    for row in rows:
        del row["name"]
    return given_tables(
        {
            "files": files_table({**FILE, "kind": "segment"}),
            "copy_changes": other_table("copy_changes", *changes),
            "batches": batches_table(*rows),
            "damage": damage_table(*damage),
        }
    )


def found(given: ResultTables) -> Finding:
    [finding] = [detector.describe(row) for row in detector.find(given)]
    return finding


def test_a_change_that_was_undone_is_hygiene() -> None:
    finding = found(tables(change("text_before", detail="Defaulted container", changed=20)))
    assert (finding.severity, finding.confidence) == ("low", "proven")
    assert (finding.first_offset, finding.last_offset) == (0, 2)
    assert "has text before its first batch: this was undone, and every checksum is correct" in finding.title
    assert "Defaulted container" in finding.explanation
    assert "No action is needed" in finding.remedy


def test_a_corrupt_batch_behind_an_undone_change_needs_a_look() -> None:
    finding = found(tables(change("text_before"), crc_ok=False))
    assert finding.severity == "medium"
    assert "1 does not" in finding.explanation


def test_lost_bytes_need_another_copy_and_nothing_on_the_broker() -> None:
    finding = found(tables(change("utf_8", False, changed=15), crc_ok=False))
    assert (finding.severity, finding.confidence) == ("medium", "likely")
    assert "15 bytes that are not UTF-8" in finding.explanation
    assert "Change nothing on the broker" in finding.remedy
    assert "leader" not in finding.remedy


def test_damage_of_a_damaged_copy_is_no_damage_of_a_disk() -> None:
    unreadable = {**FILE, "position": 80, "size_bytes": 80, "reason": "not_a_batch", "batches_after": True}
    del unreadable["name"]
    for is_undone, findings in ((False, 0), (True, 1)):
        given = tables(change("line_ends", is_undone), crc_ok=False)
        assert len(answer([crc_mismatch.detector], given)[0]) == findings
        given = tables(change("line_ends", is_undone), damage=(unreadable,))
        assert len(answer([unreadable_bytes.detector], given)[0]) == findings


def test_several_changes_of_one_copy_are_one_finding() -> None:
    finding = found(tables(change("text_before", detail="login"), change("line_ends", changed=3)))
    assert "has text before its first batch and has CR LF in place of LF" in finding.title
