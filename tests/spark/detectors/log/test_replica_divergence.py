"""Two copies of a partition: what is divergence and what is not."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from spark.detectors.log.replica_divergence import detector
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.marked import plain
from spark.terms.wording import moment
from tests.builders import SOME_TIME_MS, batches_table, files_table, given_tables, other_table, records_table

CODES = {"a": 0, "b": 1, "c": 2}
NO_REPLICAS = "the input contains no two replicas of a partition whose logs can be compared"
KINDS = {"a": "dump-log-text", "b": "dump-log-batches"}


def log(replica: str, *batches: dict[str, Any]) -> dict[str, pa.Table]:
    """A copy: batches of `offsets` whose records carry `value` (the same at every offset unless said)."""
    file = CODES[replica]
    records, headers = [], []
    for batch in batches:
        offsets, value, more = batch["offsets"], batch.get("value", b"same"), dict(batch)
        del more["offsets"]
        more.pop("value", None)
        crc = hash((tuple(offsets), value)) % 2**32
        place = {"replica": replica, "file": file}
        known = {"base_offset": offsets[0], "last_offset": offsets[-1], "record_count": len(offsets)}
        headers.append({**place, **known, "position": offsets[0] * 100, "crc_stored": crc, **more})
        records += [
            {**place, "offset": offset, "batch_position": offsets[0] * 100, "value": value}
            for offset in offsets
        ]
    return {"batches": batches_table(*headers), "records": records_table(*records)}


def tables(*logs: dict[str, pa.Table], **others: pa.Table) -> ResultTables:
    names = [f"{letter}/journal-0/00000000000000000000.log" for letter in CODES]
    joined = {name: pa.concat_tables(log[name] for log in logs) for name in ("batches", "records")}
    files = files_table(*({"name": name, "replica": name[0]} for name in names))
    return given_tables({"files": files, **joined, **others})


def renamed(log: dict[str, pa.Table], **members: str) -> dict[str, pa.Table]:
    """The same rows at another place."""
    for name, table in log.items():
        for column, text in members.items():
            at = table.schema.get_field_index(column)
            table = table.set_column(at, column, pa.array([text] * table.num_rows))
        log = {**log, name: table}
    return log


def found(*logs: dict[str, pa.Table], **others: pa.Table) -> list[Finding]:
    asked = tables(*logs, **others)
    assert detector.absent(asked) is None
    return [detector.describe(row) for row in detector.find(asked)]


def span(first: int, last: int, **more: Any) -> dict[str, Any]:
    return {"offsets": list(range(first, last + 1)), **more}


def test_different_records_at_one_offset_name_the_epochs_and_where_they_parted() -> None:
    left = log("a", span(0, 11), span(12, 17, value=b"lost", leader_epoch=1))
    right = log("b", span(0, 11), span(12, 17, value=b"kept", leader_epoch=3), span(18, 23, leader_epoch=3))
    (finding,) = found(left, right)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("critical", 12, 17)
    assert (
        finding.title
        == f"Consumers of journal-0 get different records at offsets 12-17, depending on the leader: the replicas diverged at {moment(SOME_TIME_MS + 12_000)}"
    )
    assert plain(detector.headline([finding])) == (
        "consumers get different records of journal-0 at the same offsets, depending on the leader: the replicas "
        f"diverged at {moment(SOME_TIME_MS + 12_000)}"
    )
    assert finding.explanation.startswith(
        "At offset 12, a contains a batch of leader epoch 1 and b contains "
    )
    assert "are equal up to offset 11 (leader epoch 0)." in finding.explanation
    assert (
        "a contains a batch of leader epoch 1 and b contains a batch of leader epoch 3" in finding.explanation
    )
    assert "Only b contains 6 records at offsets 18-23" in finding.explanation
    assert finding.evidence == [12, 13, 14, 15, 16, 17]


def test_batches_of_format_1_have_no_epoch_and_ask_for_an_upgrade() -> None:
    left = log("a", span(0, 14), span(15, 17, value=b"v2"), span(18, 19))
    right = log("b", span(0, 14), span(15, 17, value=b"v1", magic=1, leader_epoch=-1), span(18, 19))
    (finding,) = found(left, right)
    assert "are equal up to offset 14 (leader epoch 0)." in finding.explanation
    assert "b contains a batch without leader epoch (message format 1)" in finding.explanation
    assert "log.message.format.version" in finding.remedy


def test_replicas_that_are_equal_again_say_from_where_on() -> None:
    left, right = (
        log(name, span(0, 14), span(15, 17, value=value), span(18, 29))
        for name, value in (("a", b"one"), ("b", b"two"))
    )
    (finding,) = found(left, right)
    assert "From offset 18 on, the records that both logs contain are equal again." in finding.explanation
    corrupt = log("b", span(0, 14), span(15, 17, value=b"two"), span(18, 29, crc_ok=False))
    (finding,) = found(left, corrupt)
    assert "equal again" not in finding.explanation


def test_a_log_whose_format_was_lowered_leaves_the_format_to_the_finding_about_it() -> None:
    left = log("a", span(0, 14), span(15, 17, value=b"v2"))
    lowered = log(
        "b", span(0, 14), span(15, 17, value=b"v1", magic=1, leader_epoch=-1), span(18, 29, magic=1)
    )
    (finding,) = found(left, lowered)
    assert len(finding.remedy.split("\n")) == 3


def test_one_copy_against_two_is_one_finding_that_names_all_three() -> None:
    odd = log("b", span(0, 4), span(5, 9, value=b"odd"))
    (finding,) = found(log("a", span(0, 4), span(5, 9)), odd, log("c", span(0, 4), span(5, 9)))
    assert finding.title.startswith("Consumers of journal-0 get different records at offsets 5-9, depending")
    assert finding.explanation.startswith("Replicas a and c diverged from b. ")


def test_a_record_of_its_own_at_one_offset_is_enough() -> None:
    (finding,) = found(log("a", span(0, 9)), log("b", span(0, 8), span(9, 9, value=b"other")))
    assert (finding.first_offset, finding.last_offset) == (9, 9)
    assert "at offset 9," in finding.title


def test_equal_copies_are_fine_whatever_epoch_is_stamped_on_their_batches() -> None:
    assert found(log("a", span(0, 9, leader_epoch=1)), log("b", span(0, 9, leader_epoch=2))) == []


def test_a_shorter_copy_is_behind_and_no_more() -> None:
    assert found(log("a", span(0, 9), span(10, 19)), log("b", span(0, 9))) == []


def test_a_deleted_head_is_no_difference() -> None:
    assert found(log("a", span(0, 9), span(10, 19)), log("b", span(10, 19))) == []


def test_a_cleaned_copy_holds_equal_records_in_other_batches() -> None:
    cleaned = log("b", {"offsets": [2, 7], "base_offset": 0, "last_offset": 9}, span(10, 19))
    assert found(log("a", span(0, 4), span(5, 9), span(10, 19)), cleaned) == []


def test_a_batch_with_a_wrong_checksum_is_damage_and_named_as_such() -> None:
    broken = log("b", span(0, 4), span(5, 9, value=b"bits", crc_computed=1))
    assert found(log("a", span(0, 4), span(5, 9)), broken) == []


def test_the_same_offsets_twice_in_one_copy_agree_when_one_of_them_does() -> None:
    twice = log("b", span(0, 4), span(0, 4, value=b"again"))
    assert found(log("a", span(0, 4)), twice) == []


def test_a_topic_made_anew_under_its_name_is_another_log() -> None:
    ids = [{"replica": name, "file": 9, "name": "topic_id", "value": f"id-{name}"} for name in "ab"]
    properties = other_table("properties", *ids)
    left, right = log("a", span(0, 4)), log("b", span(0, 4, value=b"new"))
    assert detector.absent(tables(left, right, properties=properties)) is not None
    one_known = other_table("properties", ids[0])
    assert len(found(left, right, properties=one_known)) == 1


def test_one_copy_of_each_partition_cannot_be_compared() -> None:
    assert detector.absent(tables(log("a", span(0, 9)))) == NO_REPLICAS


@pytest.mark.parametrize(
    "name",
    ["orders-0.51c8c1c3-delete", "orders-0.51c8c1c3-future", "orders-0.51c8c1c3-stray"],
)
def test_a_folder_left_over_is_no_replica(name: str) -> None:
    leftover = renamed(log("b", span(0, 9, value=b"other")), replica=name)
    assert detector.absent(tables(log("a", span(0, 9)), leftover)) == NO_REPLICAS


def test_a_copy_of_another_cluster_is_no_replica() -> None:
    here = renamed(log("a", span(0, 9)), replica="n1 (cluster A)")
    there = renamed(log("b", span(0, 9, value=b"other")), replica="n1 (cluster B)")
    beside = renamed(log("c", span(0, 9, value=b"odd")), replica="n2 (cluster A)")
    assert detector.absent(tables(here, there)) == NO_REPLICAS
    (finding,) = found(here, there, beside)
    assert finding.explanation.startswith(
        "At offset 0, n1 (cluster A) contains a batch of leader epoch 0 and n2 (cluster A) "
    )


def test_logs_whose_topic_nobody_names_are_no_replicas() -> None:
    logs = [renamed(log(name, span(0, 9, value=name.encode())), topic="?") for name in "ab"]
    assert detector.absent(tables(*logs)) == NO_REPLICAS


def meta(
    broker: str, *replicas: str, id_name: str = "broker.id", cluster: str | None = "C"
) -> list[dict[str, Any]]:
    """Rows of meta.properties as the plan stage places them: by the replica's name alone."""
    place = {"topic": "?", "file": 9}
    said = [(id_name, broker), *([("cluster.id", cluster)] if cluster else [])]
    return [
        {**place, "replica": name, "name": key, "value": value} for name in replicas for key, value in said
    ]


@pytest.mark.parametrize("id_name", ["broker.id", "node.id"])
@pytest.mark.parametrize("cluster", ["C", None], ids=["cluster id", "no cluster id"])
def test_one_broker_at_two_times_is_no_pair_of_replicas(id_name: str, cluster: str | None) -> None:
    left, right = log("a", span(0, 9)), log("b", span(0, 9, value=b"later"))
    same = other_table("properties", *meta("1", "a", "b", id_name=id_name, cluster=cluster))
    assert detector.absent(tables(left, right, properties=same)) == NO_REPLICAS
    rows = [
        *meta("1", "a", id_name=id_name, cluster=cluster),
        *meta("2", "b", id_name=id_name, cluster=cluster),
    ]
    assert len(found(left, right, properties=other_table("properties", *rows))) == 1


def test_of_one_broker_at_two_times_the_longer_copy_stands_beside_the_other_broker() -> None:
    early, late = log("a", span(0, 4, value=b"gone")), log("b", span(0, 9))
    rows = other_table("properties", *meta("1", "a", "b"), *meta("2", "c"))
    assert found(early, late, log("c", span(0, 9)), properties=rows) == []
    (finding,) = found(early, late, log("c", span(0, 9, value=b"odd")), properties=rows)
    assert finding.explanation.startswith("At offset 0, b contains a batch of leader epoch 0 and c contains ")


def test_prints_of_two_kinds_are_no_replicas() -> None:
    kinds = [
        {"name": f"{n}.txt", "replica": n, "kind": "export", "layout": kind} for n, kind in KINDS.items()
    ]
    asked = tables(log("a", span(0, 9)), log("b", span(0, 9, value=b"cut")), files=files_table(*kinds))
    assert detector.absent(asked) == NO_REPLICAS
