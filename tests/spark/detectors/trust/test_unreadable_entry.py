"""Records that their service cannot read, and what it does then."""

from __future__ import annotations

import pytest

from spark.detectors.trust.unreadable_entry import detector
from spark.terms.marked import plain
from tests.builders import batches_table
from tests.spark.read_journals import call, findings, schema, typed

V2 = [typed(8, {"tenantId": "_", "uuid": f"u{n}"}, {"action": 1}) for n in range(3)]
SCHEMAS = [schema("a", n + 1, n + 1) for n in range(3)]
WEIRD = {"key": b'{"keytype":"WEIRD","subject":"x","magic":0}', "value": b'{"a":1}'}


def test_a_record_that_stops_the_registry_is_critical() -> None:
    (found,) = findings(detector, "schema-registry", *SCHEMAS, WEIRD, topic="_schemas")
    assert (found.severity, found.first_offset, found.last_offset) == ("critical", 3, 3)
    assert "cannot start" in found.title


def test_the_headline_says_where_the_service_ends() -> None:
    found = findings(detector, "schema-registry", *SCHEMAS, WEIRD, topic="_schemas")
    assert (
        plain(detector.headline(found))
        == "the service cannot start: unreadable record at offset 3 of _schemas-0"
    )
    assert plain(detector.headline(found * 2)) == "services cannot start: unreadable records in 2 journals"


def test_a_record_that_is_skipped_is_high() -> None:
    (found,) = findings(
        detector, "schema-registry", *SCHEMAS, {"key": b"not json", "value": b"{}"}, topic="_schemas"
    )
    assert (found.severity, found.evidence) == ("high", [3])
    assert "The service skips" in found.title


def test_thousands_of_a_kind_are_one_finding() -> None:
    bad = [{"key": b"\x08" + b'{"uuid":"%d"}' % n, "value": b""} for n in range(2000)]
    (found,) = findings(detector, "apicurio-v2", *V2, *bad)
    assert (found.first_offset, found.last_offset, len(found.evidence)) == (3, 2002, 10)
    assert "as a delete" in found.title


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


@pytest.mark.parametrize(
    ("topic", "dialect", "key", "value", "says", "advises"),
    [
        ("__consumer_offsets", "consumer-offsets", b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x00", b"\x00",
         "The group coordinator cannot load its partition because of 1 record", "kafka-consumer-groups.sh"),
        ("__consumer_offsets", "consumer-offsets", b"\x00\x63abc", b"x",
         "The group coordinator skips 1 record", "kafka-consumer-groups.sh"),
        ("__transaction_state", "transaction-state", b"\x00\x00\x00\x01a", b"\x00",
         "The transaction coordinator stops reading because of 1 record", "kafka-transactions.sh"),
        ("__transaction_state", "transaction-state", b"\x00\x07\x00\x01a", b"\x00",
         "The transaction coordinator skips 1 record", "transactional ID"),
        ("__cluster_metadata", "cluster-metadata", None, b"\x01\x7f",
         "Controllers and brokers stop because of 1 record", "kafka-features.sh"),
        ("__share_group_state", "share-group-state", b"\x00\x00\x00\x01g" + bytes(20), b"\x00",
         "The share coordinator cannot load its partition because of 1 record", "kafka-share-groups.sh"),
        ("__share_group_state", "share-group-state", b"\x00\x09", b"x",
         "The share coordinator skips 1 record", "share groups"),
        ("__remote_log_metadata", "remote-log-metadata", None, b"\x01\x00\x00",
         "Brokers stop reading the segments of tiered storage because of 1 record", "__remote_log_metadata"),
    ],
    ids=["an offset", "an unknown type", "a transaction", "a key of another version", "a metadata record", "a share partition",
         "an unknown record of shares", "a remote segment"],
)  # fmt: skip
def test_of_the_brokers_own_topics_it_says_which_broker_reads_them_and_what_that_does(
    topic: str, dialect: str, key: bytes | None, value: bytes, says: str, advises: str
) -> None:
    (found,) = findings(detector, dialect, {"key": key, "value": value}, topic=topic)
    assert found.title.startswith(says)
    assert advises in found.remedy
    for not_theirs in ("service", "fresh topic with the same settings", "through the service"):
        assert not_theirs not in found.title + found.explanation + found.remedy


def test_the_headline_of_a_coordinator_names_it() -> None:
    bad = {"key": b"\x00\x00\x00\x01a", "value": b"\x00"}
    found = findings(detector, "transaction-state", bad, topic="__transaction_state")
    assert plain(detector.headline(found)) == (
        "transactions can hang: the transaction coordinator cannot read __transaction_state-0 from offset 0"
    )
