"""Roles of the records that prove what happens to a victim."""

from __future__ import annotations

from dataclasses import replace

import pytest

from webapp.reports.incidents.chips import Chip, around, role_for
from webapp.reports.proof import Proof
from webapp.reports.report import read_report

PARTITION = {"entity_type": "partition", "entity_id": "steady-0"}
PROOF = Proof(88, True, None, "", "", "", "", writer="of producer 1")


def test_records_beside_a_missing_range_are_the_last_before_and_the_first_after() -> None:
    members = dict.fromkeys(
        ("severity", "confidence", "title", "explanation", "remedy", "topic", "detector"), ""
    )
    document = {"findings": [{**members, "id": "f", "partition": 0, "first_offset": 154, "last_offset": 229}]}
    (finding,) = read_report(document).findings
    roles = [chip.role for chip in around([Chip(153), Chip(160), Chip(230)], finding)]
    assert roles == ["last before", "", "first after"]
    assert around([Chip(3)], replace(finding, first_offset=None)) == [Chip(3)]


@pytest.mark.parametrize(
    ("kind", "role"),
    [("stuck", "of producer 1"), ("unreadable", ""), ("misread", ""), ("changed", "differs")],
)
def test_a_producer_is_named_only_where_it_explains_the_effect(kind: str, role: str) -> None:
    assert role_for({**PARTITION, "kind": kind}, PROOF, {"steady-0"}) == role
