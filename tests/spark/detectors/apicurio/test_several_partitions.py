"""Journals in several partitions."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.detectors.apicurio.several_partitions import detector
from spark.terms.findings import Finding
from tests.spark.read_journals import call, findings_in, schema, typed

V2 = [typed(8, {"tenantId": "_", "uuid": f"u{n}"}, {"action": 1}) for n in range(4)]
V3 = [call("CreateGroup1Message", n, group={"groupId": f"g{n}"}) for n in range(4)]
SCHEMAS = [schema("a", n + 1, n + 1) for n in range(4)]


def found(dialect: str, *parts: tuple[int, list[Any]], **shared: Any) -> list[Finding]:
    return findings_in(
        detector, [(dialect, rows, {"topic": "j", "partition": number, **shared}) for number, rows in parts]
    )


@pytest.mark.parametrize(
    ("dialect", "rows"), [("apicurio-v2", V2), ("apicurio-v3", V3), ("schema-registry", SCHEMAS)]
)
def test_records_in_a_second_partition_are_found_there(dialect: str, rows: list[Any]) -> None:
    (finding,) = found(dialect, (0, rows[:3]), (2, [{**rows[3], "offset": 7}]))
    assert (finding.severity, finding.partition, finding.first_offset) == ("high", 2, 7)
    assert "3 records in partition 0 and 1 record in partition 2" in finding.title


def test_an_upgraded_3x_journal_that_moved_is_found() -> None:
    (finding,) = found("apicurio-v3", (0, V3[:1]), (1, V3[1:]))
    assert finding.partition == 1
    assert "3.1.3" in finding.explanation


@pytest.mark.parametrize("partition", [0, 1])
def test_one_partition_is_right_whichever_it_is(partition: int) -> None:
    assert found("apicurio-v3", (partition, V3)) == []


def test_copies_of_one_partition_are_no_second_one() -> None:
    parts = [("apicurio-v2", V2, {"topic": "j", "replica": replica}) for replica in ("a", "b")]
    assert findings_in(detector, parts) == []


def test_events_may_lie_in_many_partitions() -> None:
    event = {"key": b"g", "value": b'{"groupId":"g","id":"1","eventType":"GROUP_CREATED"}'}
    assert found("apicurio-v3", (0, [event]), (1, [event])) == []


def test_a_type_that_several_services_write_counts_with_the_topics_service() -> None:
    restart = {"key": b'\x00{"bootstrapId":"b"}', "value": None}
    (finding,) = found("apicurio-v2", (0, V2), (1, [restart]))
    assert finding.partition == 1


def change(number: int, server: str = "shop") -> dict[str, Any]:
    value = {
        "source": {"server": server},
        "position": {"file": "mysql-bin.000003", "pos": number},
        "databaseName": "shop",
        "ddl": f"CREATE TABLE t{number} (id INT)",
    }
    return {"key": None, "value": json.dumps(value).encode()}


CHANGES = [change(number) for number in range(4)]


@pytest.mark.parametrize(
    ("first", "stray", "said"),
    [
        (CHANGES[:3], CHANGES[3:], "a copy or another program wrote the other records"),
        (CHANGES, CHANGES[:2], "So a copy of the topic added them"),
        (CHANGES, [change(9, "other")], "servers that partition 0 does not have (other). So another program"),
    ],
    ids=["spread", "copied", "of another server"],
)
def test_debezium_writes_to_partition_0_only(first: list[Any], stray: list[Any], said: str) -> None:
    (finding,) = found("debezium-history", (0, first), (2, stray))
    assert (finding.severity, finding.partition) == ("high", 2)
    assert said in finding.explanation
    assert "snapshot.mode=recovery" in finding.remedy


def test_a_history_in_another_partition_alone_is_found() -> None:
    (finding,) = found("debezium-history", (1, CHANGES))
    assert "4 records in partition 1" in finding.title


def test_a_history_in_partition_0_and_null_records_elsewhere_are_innocent() -> None:
    assert found("debezium-history", (0, CHANGES)) == []
    assert found("debezium-history", (0, CHANGES), (1, [{"key": None, "value": None}])) == []
