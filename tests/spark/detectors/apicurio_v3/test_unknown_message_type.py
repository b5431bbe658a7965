"""Calls that the registry cannot read back."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio_v3.unknown_message_type import detector
from tests.spark.read_journals import call, findings


def test_each_unknown_class_is_one_finding() -> None:
    records = [
        call("Bootstrap", 0),
        *(call("FreezeGroup2Message", n) for n in range(1, 31)),
        call("Odd1Message", 31),
    ]
    many, one = findings(detector, "apicurio-v3", *records)
    assert (many.severity, many.first_offset, many.last_offset, len(many.evidence)) == ("high", 1, 30, 10)
    assert "30 calls of FreezeGroup2Message: unknown message class (the first at offsets 1, 2" in many.title
    assert one.entity == "Odd1Message"


@pytest.mark.parametrize("name", ["RecordUsageEvent1Message", "DeleteAllOrphanedContent0Message"])
def test_classes_that_their_own_version_does_not_read_are_named_with_it(name: str) -> None:
    (finding,) = findings(detector, "apicurio-v3", call("Bootstrap", 0), call(name, 1))
    assert "write this class but cannot read it" in finding.explanation


def test_known_classes_and_records_without_header_are_not_meant() -> None:
    bare = {**call("CreateGroup1Message", 1), "headers": [{"key": b"req", "value": b"1"}]}
    assert (
        findings(detector, "apicurio-v3", call("CreateGroup1Message", 0, group={"groupId": "g"}), bare) == []
    )
