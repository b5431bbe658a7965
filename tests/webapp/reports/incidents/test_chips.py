"""Roles of the records that prove what happens to a victim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.reports.incidents.chips import (
    Chip,
    around,
    as_ranges,
    chips_of,
    deed_for,
    holder_of,
    role_for,
    with_deeds,
    with_roles_once,
    with_their_role,
)
from webapp.reports.proof import Proof
from webapp.reports.report import ReportFinding, read_report

PARTITION = {"entity_type": "partition", "entity_id": "steady-0"}
PROOF = Proof(88, True, None, "", "", "", "", writer="of producer 1")


def finding_at(first: int, last: int) -> ReportFinding:
    members = dict.fromkeys(
        ("severity", "confidence", "title", "explanation", "remedy", "topic", "detector"), ""
    )
    row = {**members, "id": "f", "partition": 0, "first_offset": first, "last_offset": last}
    (finding,) = read_report({"findings": [row]}).findings
    return finding


def test_a_lost_value_shows_where_it_was_and_what_superseded_it() -> None:
    row = {"entity_type": "value", "entity_id": "b/1", "kind": "lost"}
    proofs = [
        replace(PROOF, offset=6, key="b"),
        replace(PROOF, offset=7, key="c"),
        replace(PROOF, offset=1, exists=False, key="–", role="missing"),
    ]
    assert chips_of(row, None, proofs, []) == [Chip(6, "supersedes it"), Chip(1, "missing")]
    assert chips_of(row, None, [], []) == [Chip(1, "missing")]


def test_records_beside_a_missing_range_are_the_last_before_and_the_first_after() -> None:
    finding = finding_at(154, 229)
    roles = [chip.role for chip in around([Chip(153), Chip(160), Chip(230)], finding)]
    assert roles == ["last before", "", "first after"]
    assert around([Chip(3)], replace(finding, first_offset=None)) == [Chip(3)]


@pytest.mark.parametrize(
    ("kind", "role"),
    [("stuck", "of producer 1"), ("unreadable", ""), ("misread", ""), ("changed", "differs")],
)
def test_a_producer_is_named_only_where_it_explains_the_effect(kind: str, role: str) -> None:
    assert role_for({**PARTITION, "kind": kind}, PROOF, {"steady-0"}) == role


def test_only_equal_roles_are_joined_and_no_record_without_a_role_precedes_one_with() -> None:
    chips = with_roles_once(
        [Chip(161), Chip(166, "rejected"), Chip(276, "empties it"), Chip(279, "empties it")]
    )
    assert [(chip.offset, chip.role) for chip in chips] == [
        (166, "rejected"), (276, ""), (279, "empty it"), (161, ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entity_type", "victim", "owner", "deed"),
    [
        ("version", "team/a/1", "team/a", "creates it"),
        ("artifact", "team/a", "team", "creates team"),
        ("artifact", "team/a", "other", ""),
        ("registration", "shared-value/1/95", "shared-value/1", ""),
    ],
)
def test_a_record_says_what_it_does_to_the_victim(
    entity_type: str, victim: str, owner: str, deed: str
) -> None:
    proof = replace(PROOF, entity_id=owner, deed="creates it")
    assert deed_for({"entity_type": entity_type, "entity_id": victim}, proof) == deed


def test_records_that_roll_a_registration_back_say_which_record_they_repeat() -> None:
    row = {"entity_type": "registration", "entity_id": "shared-value/1/15", "kind": "lost"}
    deed = "writes 14 again"
    proofs = [replace(PROOF, offset=n, entity_id="shared-value/1", deed=deed) for n in (16, 17)]
    chips = with_roles_once(with_deeds([Chip(15), Chip(16), Chip(17)], row, proofs))
    assert [(chip.offset, chip.role) for chip in chips] == [(16, ""), (17, "write 14 again"), (15, "")]
    hidden = [replace(proof, deed="sets it again") for proof in proofs]
    chips = with_roles_once(with_deeds([Chip(16), Chip(17)], row, hidden))
    assert [(chip.offset, chip.role) for chip in chips] == [(16, ""), (17, "roll it back")]


def test_the_holder_of_an_id_may_be_an_earlier_text_of_the_same_version() -> None:
    row = {"entity_type": "registration", "entity_id": "shared-value/1/15", "kind": "lost"}
    proofs = [replace(PROOF, offset=offset, entity_id="shared-value/1") for offset in (14, 15, 16)]
    assert holder_of(row, proofs) == [Chip(14, "first schema")]


def test_the_ends_of_a_range_without_records_are_one_chip() -> None:
    ends = [Chip(98, "missing"), Chip(103, "missing")]
    assert as_ranges(ends, finding_at(98, 103)) == [Chip(98, "missing", 103)]
    assert as_ranges(ends, finding_at(98, 110)) == ends


def test_a_chip_stays_with_the_role_that_the_next_one_tells() -> None:
    chips = [Chip(6, "of green"), Chip(7), Chip(8), Chip(9, "delete it"), Chip(10)]
    groups = with_their_role(chips)
    assert [[chip.offset for chip in group] for group in groups] == [[6], [7], [8, 9], [10]]
