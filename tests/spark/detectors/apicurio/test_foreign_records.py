"""Records that the journal's service never writes."""

from __future__ import annotations

from spark.detectors.apicurio.foreign_records import detector
from tests.spark.read_journals import call, findings, schema, typed

V2 = [typed(6, {"tenantId": "_", "groupId": f"g{n}"}, {"action": 1}) for n in range(3)]
V2 += [typed(8, {"tenantId": "_", "uuid": f"u{n}"}, {"action": 1}) for n in range(3)]
V3 = [call("CreateGroup1Message", n, group={"groupId": f"g{n}"}) for n in range(3)]


def test_calls_of_the_next_generation_among_typed_records_are_one_finding() -> None:
    (found,) = findings(detector, "apicurio-v2", *V2, *V3)
    assert (found.severity, found.first_offset, found.last_offset) == ("high", 6, 8)
    assert "Apicurio Registry 3.x" in found.explanation


def test_typed_records_among_calls_are_named_as_what_they_are() -> None:
    (found,) = findings(detector, "apicurio-v3", *V3, *V2[:1])
    assert (found.first_offset, found.evidence) == (3, [3])
    assert "Apicurio Registry 2.x." in found.explanation


def test_keys_of_a_schema_registry_and_unknown_type_bytes_are_told() -> None:
    unknown = {"key": b"\x63{}", "value": b"x"}
    (found,) = findings(detector, "apicurio-v2", *V2, schema("a", 1, 1), unknown)
    assert "a schema registry" in found.explanation
    assert "type byte 99" in found.explanation


def test_a_snapshot_or_event_among_calls_is_astray_and_in_its_own_topic_at_home() -> None:
    name = b"0c2f10c4-7c0e-4f3b-9a55-2b9a5c0ce001"
    snapshot = {"key": name, "value": b"/s/" + name + b".sql"}
    assert [one.first_offset for one in findings(detector, "apicurio-v3", *V3, snapshot)] == [3]
    assert findings(detector, "apicurio-v3", snapshot) == []


def test_what_the_service_wrote_and_cannot_read_is_not_foreign() -> None:
    broken = {"key": b"\x06{", "value": b"x"}
    assert findings(detector, "apicurio-v2", *V2, broken, {"key": None, "value": b"x"}) == []
    assert findings(detector, "apicurio-v3", *V3) == []
