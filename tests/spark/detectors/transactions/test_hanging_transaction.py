"""Transactions that nothing ends: old ones hang, young ones are open."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.detectors.transactions.hanging_transaction import detector
from spark.detectors.transactions.open_transaction import detector as open_transaction
from tests.builders import files_table, other_table
from tests.spark.transaction_logs import (
    CORPUS,
    NO_CORPUS,
    commit,
    data,
    findings,
    log,
    plain,
    read_logs,
    state,
)


def ids(folder: Path) -> list[str]:
    tables = read_logs(folder)
    return [finding.detector for each in (detector, open_transaction) for finding in findings(each, tables)]


@pytest.mark.parametrize(
    ("minutes", "expected"), [(15, "open-transaction"), (15.01, "hanging-transaction")], ids=["at", "past"]
)
def test_a_brokers_default_is_the_border(tmp_path: Path, minutes: float, expected: str) -> None:
    assert ids(log(tmp_path, [data(0), plain(1, minutes)])) == [expected]


@pytest.mark.parametrize(
    ("minutes", "expected"), [(1, "open-transaction"), (1.01, "hanging-transaction")], ids=["at", "past"]
)
def test_the_producers_own_timeout_counts_where_it_is_known(
    tmp_path: Path, minutes: float, expected: str
) -> None:
    log(tmp_path, [state(0, 0, partitions=())], name="__transaction_state-0")
    assert ids(log(tmp_path, [data(0), plain(1, minutes)])) == [expected]


def test_it_says_who_is_stopped_where_and_what_is_hidden(tmp_path: Path) -> None:
    rows = [
        plain(0),
        data(1, keys=b"ab"),
        plain(3),
        data(4, 2, minutes=20),
        commit(5, 2, minutes=20),
        plain(6, 20),
    ]
    (finding,) = findings(detector, read_logs(log(tmp_path, rows)))
    assert (finding.severity, finding.confidence) == ("high", "likely")
    assert (finding.first_offset, finding.last_offset) == (1, 2)
    assert "read_committed consumers of t-0 stop at offset" in finding.title
    assert [effect.entity_id for effect in finding.effects] == ["t-0"]  # no mark: victims are counted by it
    assert "5 records are hidden" in finding.explanation
    assert "--start-offset 1" in finding.remedy


def test_what_the_coordinator_does_not_know_is_proven(tmp_path: Path) -> None:
    log(tmp_path, [state(0, 4, partitions=())], name="__transaction_state-0")
    (finding,) = findings(detector, read_logs(log(tmp_path, [data(0), plain(1, 20)])))
    assert finding.confidence == "proven"
    assert "does not list this partition" in finding.explanation


def test_what_the_coordinator_should_have_ended_is_a_consequence(tmp_path: Path) -> None:
    from spark.detectors.transactions.illegal_state_transition import detector as states

    log(tmp_path, [state(0, 1)], name="__transaction_state-0")
    tables = read_logs(log(tmp_path, [data(0), plain(1, 20)]))
    (finding,), (cause,) = findings(detector, tables), findings(states, tables)
    assert finding.consequence_of == cause.id


def test_a_second_one_behind_the_first_says_so(tmp_path: Path) -> None:
    _, second = findings(detector, read_logs(log(tmp_path, [data(0, 1), data(1, 2), plain(2, 20)])))
    assert "already keeps the last stable offset (LSO) at 0" in second.explanation


def test_ended_transactions_do_not_hang(tmp_path: Path) -> None:
    assert ids(log(tmp_path, [data(0), commit(1), plain(2, 1000)])) == []


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
def test_the_hidden_records_are_those_a_real_consumer_missed() -> None:
    (finding,) = findings(detector, read_logs(CORPUS / "brokers" / "hanging-transaction-2.8.2"))
    assert (finding.topic, finding.partition, finding.first_offset) == ("moves", 0, 60)
    assert "74 records are hidden" in finding.explanation


def test_a_young_one_that_kafka_transactions_names_hangs_and_the_print_is_named(tmp_path: Path) -> None:
    tables = read_logs(log(tmp_path, [data(0), plain(1, 1)]))
    assert findings(detector, tables) == []
    row = {"topic": "t", "partition": 0, "file": 9, "kind": "hanging", "offset": 0, "producer_id": 0}
    prints = {
        "printed": other_table("printed", row),
        "files": files_table(
            {
                "file": 9,
                "name": "hang.txt",
                "layout": "kafka-transactions",
                "layout_title": "kafka-transactions",
            }
        ),
    }
    (finding,) = findings(detector, {**tables, **prints})
    assert finding.confidence == "proven"
    assert "according to kafka-transactions (hang.txt)" in finding.explanation
    assert findings(open_transaction, {**tables, **prints}) == []
    other = other_table("printed", {**row, "producer_id": 7})
    assert findings(detector, {**tables, **prints, "printed": other}) == []
