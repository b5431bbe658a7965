"""What gave one id to two schemas: each kind of evidence, and what is said without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from spark.detectors.schemas.schema_id_collision import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS
from tests.spark.schema_journals import NOOP, Record, by, found, schema, sequenced, setting, tombstone

INVOICE, LEDGER = '"int"', '"long"'
HOUR_MS = 3_600_000


def holder(**more: Any) -> Record:
    return schema("invoice", 1, 23, INVOICE, **more)


def newcomer(**more: Any) -> Record:
    return schema("ledger", 1, 23, LEDGER, **more)


def mode(name: str, subject: str | None = None) -> Record:
    return setting("MODE", subject, mode=name)


def the(*journal: Record) -> Finding:
    (finding,) = found(detector, *journal)
    return finding


@pytest.mark.parametrize("subject", [None, "ledger"])
def test_an_import_over_a_soft_deleted_version(subject: str | None) -> None:
    finding = the(
        holder(), holder(deleted=True), mode("IMPORT", subject), newcomer(), mode("READWRITE", subject)
    )
    assert finding.evidence == [1, 3, 2]
    assert "mode IMPORT was in force since offset 2" in finding.explanation
    assert "A soft-deleted version keeps its ID" in finding.explanation
    assert "subjects/SUBJECT?permanent=true" in finding.remedy
    assert "Only one registry" not in finding.remedy


def test_an_import_over_a_live_version() -> None:
    finding = the(holder(), mode("IMPORT"), newcomer())
    assert "mode IMPORT was in force" in finding.explanation
    assert "soft-deleted version keeps" not in finding.explanation


@pytest.mark.parametrize(
    "modes",
    [
        [mode("IMPORT"), mode("READWRITE")],
        [mode("IMPORT", "invoice")],
        [mode("IMPORT"), mode("READWRITE", "ledger")],
        [],
    ],
    ids=["set back", "of another subject", "the subject's own goes before", "none"],
)
def test_without_import_in_force_no_import_is_said(modes: Sequence[Record]) -> None:
    assert "An import gave the ID" not in the(holder(), *modes, newcomer()).explanation


def test_records_that_are_older_than_those_before_them_were_copied() -> None:
    finding = the(holder(timestamp_ms=SOME_TIME_MS), newcomer(timestamp_ms=SOME_TIME_MS - 2 * HOUR_MS))
    assert "was not written here first" in finding.explanation
    assert "Restore a backup into a new, empty topic" in finding.remedy
    clocks = the(holder(timestamp_ms=SOME_TIME_MS), newcomer(timestamp_ms=SOME_TIME_MS - HOUR_MS // 2))
    assert "not written here first" not in clocks.explanation


def test_seqs_above_their_offsets_were_copied() -> None:
    others = [
        sequenced(f"t{n}", 1, 40 + n, id=n, text=f'{{"type":"fixed","name":"T{n}","size":1}}')
        for n in range(4)
    ]
    own = [schema(f"u{n}", 1, 90 + n, f'{{"type":"fixed","name":"U{n}","size":1}}') for n in range(5)]
    records = [schema("invoice", 1, 2, INVOICE), *others, NOOP, *own]
    assert "belongs to a copied part" in the(*records).explanation


def test_two_hosts_are_two_leaders() -> None:
    finding = the(holder(headers=by("127.0.0.2")), newcomer(headers=by("127.0.0.3")))
    assert "127.0.0.2 and 127.0.0.3 wrote the two records within a minute" in finding.explanation
    assert "Make sure that only one registry can be the leader" in finding.remedy


def test_hosts_that_follow_each_other_are_a_failover() -> None:
    first, later = holder(headers=by("a")), newcomer(headers=by("b"), timestamp_ms=SOME_TIME_MS + HOUR_MS)
    assert "So two registries were leaders" not in the(first, later).explanation
    again = schema("other", 1, 24, '"bytes"', headers=by("a"), timestamp_ms=SOME_TIME_MS + HOUR_MS)
    assert "Hosts a and b wrote in turns" in the(first, later, again).explanation


def test_two_rollbacks_are_two_leaders_if_the_version_lets_only_leaders_roll_back() -> None:
    finding = the(holder(), newcomer(), tombstone("ledger", 1), tombstone("ledger", 1))
    assert finding.explanation.startswith(
        "The record at offset 1 gave ID 23 again and was rolled back 2 times (offsets 2 and 3). In Confluent 6.2 or later, only a leader"
    )
    assert "Before 6.2, every registry does so" in finding.explanation
    assert "rolled back 1" not in the(holder(), newcomer(), tombstone("ledger", 1)).explanation


def test_versions_that_a_user_deleted_were_not_rolled_back() -> None:
    deleted = [schema("ledger", 1, 23, LEDGER, deleted=True), tombstone("ledger", 1)]
    assert "rolled back" not in the(holder(), newcomer(), *deleted, *deleted).explanation


def test_rollbacks_with_the_offset_of_the_record_before_are_of_leaders() -> None:
    rollback = schema("invoice", 1, 23, INVOICE, value={"offset": 0, "ts": 1})
    finding = the(holder(), schema("invoice", 1, 23, LEDGER), rollback, rollback)
    assert (
        "The version that wrote these records is later than 6.2: in it, only a leader" in finding.explanation
    )
    assert "Before 6.2" not in finding.explanation


def test_versions_that_are_written_again_as_they_were_are_a_restore() -> None:
    old = [schema(f"t{n}", 1, n, f'{{"type":"fixed","name":"T{n}","size":1}}') for n in range(1, 4)]
    finding = the(*old, holder(), *old, newcomer())
    assert "3 records near it (offsets 4, 5 and 6) repeat versions" in finding.explanation
    assert "repeat versions" not in the(*old, holder(), *old[:2], newcomer()).explanation


def test_the_highest_id_given_again_is_a_takeover_or_two_leaders() -> None:
    assert "started or took over at offset 1" in the(holder(), NOOP, newcomer()).explanation
    assert "No registry started between the two" in the(holder(), newcomer()).explanation


def test_an_id_below_the_highest_was_given_by_someone() -> None:
    other = schema("other", 1, 90, '"bytes"')
    assert "a leader had not read" in the(holder(), other, newcomer()).explanation
    deleted = the(holder(), holder(deleted=True), other, newcomer())
    assert "this ID was given by a client" in deleted.explanation
    assert "permanent=true" in deleted.remedy
