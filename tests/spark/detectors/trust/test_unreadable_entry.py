"""Records that their service cannot read, and what it does then."""

from __future__ import annotations

from spark.detectors.trust.unreadable_entry import detector
from tests.builders import batches_table
from tests.spark.read_journals import call, findings, schema, typed

V2 = [typed(8, {"tenantId": "_", "uuid": f"u{n}"}, {"action": 1}) for n in range(3)]
SCHEMAS = [schema("a", n + 1, n + 1) for n in range(3)]
WEIRD = {"key": b'{"keytype":"WEIRD","subject":"x","magic":0}', "value": b'{"a":1}'}


def test_a_record_that_stops_the_registry_is_critical() -> None:
    (found,) = findings(detector, "schema-registry", *SCHEMAS, WEIRD, topic="_schemas")
    assert (found.severity, found.first_offset, found.last_offset) == ("critical", 3, 3)
    assert "does not start" in found.title


def test_the_headline_says_where_the_service_ends() -> None:
    found = findings(detector, "schema-registry", *SCHEMAS, WEIRD, topic="_schemas")
    assert detector.headline(found) == "the service does not start: it cannot read _schemas-0 at offset 3"
    assert detector.headline(found * 2) == "2 journals with a record that the service does not start with"


def test_a_record_that_is_skipped_is_high() -> None:
    (found,) = findings(
        detector, "schema-registry", *SCHEMAS, {"key": b"not json", "value": b"{}"}, topic="_schemas"
    )
    assert (found.severity, found.evidence) == ("high", [3])
    assert "it is skipped" in found.title


def test_thousands_of_a_kind_are_one_finding() -> None:
    bad = [{"key": b"\x08" + b'{"uuid":"%d"}' % n, "value": b""} for n in range(2000)]
    (found,) = findings(detector, "apicurio-v2", *V2, *bad)
    assert (found.first_offset, found.last_offset, len(found.evidence)) == (3, 2002, 10)
    assert "they are taken for a deletion" in found.title


def test_key_and_value_are_told_apart() -> None:
    found = findings(detector, "apicurio-v2", *V2, {"key": None, "value": b"x"}, {**V2[0], "value": b"\x08{"})
    assert [one.entity for one in found] == ["key:skipped", "value:tombstone"]


def test_what_other_detectors_say_is_not_said_again() -> None:
    foreign = {"key": b"\x63{}", "value": b"x"}
    assert findings(detector, "apicurio-v2", *V2, foreign) == []
    assert findings(detector, "apicurio-v3", call("Bootstrap", 0), call("Odd1Message", 1)) == []


def test_a_batch_with_a_wrong_checksum_says_it_itself() -> None:
    bad = {**V2[0], "value": b""}
    for is_sound, count in ((False, 0), (True, 1)):
        batches = batches_table(*({"crc_ok": True} for _ in range(3)), {"crc_ok": is_sound})
        assert len(findings(detector, "apicurio-v2", *V2, bad, extra={"batches": batches})) == count


def test_bytes_that_a_tool_replaced_are_the_tools_doing() -> None:
    assert findings(detector, "apicurio-v2", *V2, {**V2[0], "value": b"\x08{\xef\xbf\xbd"}) == []


def test_healthy_journals_have_none() -> None:
    assert findings(detector, "apicurio-v2", *V2) == []
    assert findings(detector, "schema-registry", *SCHEMAS, topic="_schemas") == []
