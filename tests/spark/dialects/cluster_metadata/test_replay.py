"""The cluster that the controllers' records give; a real log at a snapshot's offset is the snapshot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.dialects.cluster_metadata import dialect
from spark.dialects.cluster_metadata.interpret import interpret
from spark.stages.state_at import state_at
from spark.tables import Manifest
from tests.builders import records_table
from tests.spark.controller_records import (
    ABORT,
    BEGIN,
    END,
    PAYMENTS,
    broker,
    config,
    new_leader,
    partition,
    remove_topic,
    scram,
    topic,
    unfence,
)
from tests.spark.replays import replayed
from tests.spark.states import files_of
from tests.spark.transaction_logs import CORPUS, NO_CORPUS
from tests.spark.whole_pipeline import report_on

CASE = CORPUS / "internal-real" / "cluster-metadata-391"
LOG = "__cluster_metadata-0"
Held = dict[tuple[str, str], dict[str, Any]]


def run(*values: bytes) -> tuple[list[dict[str, Any]], list[tuple[int, str]]]:
    rows = records_table(*({"key": None, "value": value} for value in values))
    state, refusals = replayed(dialect, interpret(rows))
    return state.to_pylist(), [(row["offset"], row["reason"]) for row in refusals.to_pylist()]


def held(*values: bytes) -> Held:
    return {
        (row["entity_type"], row["entity_id"]): json.loads(row["attributes"])
        for row in run(*values)[0] if row["valid_to_offset"] is None
    }  # fmt: skip


def test_a_topic_has_partitions_and_settings_and_takes_them_along() -> None:
    story = [topic(), partition(0), partition(1), config("retention.ms", "5")]
    assert sorted(held(*story)) == [
        ("config", "topic/orders/retention.ms"), ("partition", "orders/0"), ("partition", "orders/1"), ("topic", "orders"),
    ]  # fmt: skip
    assert held(*story, remove_topic()) == {}


def test_a_new_leader_raises_both_epochs() -> None:
    changed = held(topic(), partition(leader=1), new_leader(2))["partition", "orders/0"]
    assert (changed["leader"], changed["leaderEpoch"], changed["partitionEpoch"]) == (2, 1, 1)
    assert changed["isr"] == [1]


def test_one_name_with_two_ids_is_a_topic_made_again() -> None:
    state = held(topic(), partition(), remove_topic(), topic(id=PAYMENTS))
    assert state == {("topic", "orders"): {"topicId": "EBESExQVFhcYGRobHB0eHw"}}


def test_a_record_for_an_unknown_topic_is_refused() -> None:
    assert run(topic(), partition(id=PAYMENTS), new_leader(1, id=PAYMENTS), remove_topic(PAYMENTS))[1] == [
        (1, "topic-unknown"), (2, "topic-unknown"), (3, "topic-unknown"),
    ]  # fmt: skip
    assert run(topic(), remove_topic(), partition())[1] == [(2, "topic-unknown")]


def test_a_broker_is_unfenced_under_its_own_epoch_only() -> None:
    assert held(broker(epoch=5), unfence(epoch=5))["broker", "1"]["fenced"] is False
    assert run(broker(epoch=6), unfence(epoch=5))[1] == [(1, "broker-epoch")]
    assert run(unfence())[1] == [(0, "broker-unknown")]


def test_a_transaction_holds_from_its_end_on() -> None:
    rows, _ = run(BEGIN, topic(), END)
    assert [(row["valid_from_offset"], row["origin_offset"]) for row in rows] == [(2, 1)]


@pytest.mark.parametrize("end", [(ABORT,), ()], ids=["aborted", "open"])
def test_a_transaction_that_is_not_ended_never_held(end: tuple[bytes, ...]) -> None:
    assert held(BEGIN, topic(), *end) == {}


def test_a_setting_is_removed_by_null() -> None:
    assert held(config("a", "b"), config("a", None)) == {}


def test_a_credential_shows_no_secret() -> None:
    assert held(scram()) == {("scram", "alice/SCRAM-SHA-256"): {"iterations": 4096}}


def test_what_cannot_be_read_is_refused() -> None:
    assert run(b"\x00", topic())[1] == [(0, "unreadable")]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    if not CASE.is_dir():
        pytest.skip(NO_CORPUS)
    results = tmp_path_factory.mktemp("cluster-metadata")
    report_on(files_of(CASE, [LOG]), results)
    return Manifest.load(results)


def of_log(manifest: Manifest, offset: int | None = None) -> Held:
    return {
        (row["entity_type"], row["entity_id"]): row["attributes"]
        for row in state_at(manifest, offset)
        if row["entity_type"] not in ("producer-ids", "controller")
    }


def of_files(names: list[str], results: Path) -> Held:
    report_on([file for file in files_of(CASE, [LOG]) if file.name in names], results)
    return of_log(Manifest.load(results))


@pytest.mark.parametrize(("offset", "name"), [(58, "59-1"), (128, "129-1")])
def test_a_real_log_at_a_snapshots_offset_is_the_snapshot(
    real: Manifest, offset: int, name: str, tmp_path: Path
) -> None:
    end, _, epoch = name.partition("-")
    snapshot = of_files([f"{LOG}/{int(end):020d}-{int(epoch):010d}.checkpoint"], tmp_path)
    assert len(snapshot) > 20
    assert of_log(real, offset) == snapshot


def test_a_log_without_its_head_starts_from_the_snapshot(real: Manifest, tmp_path: Path) -> None:
    kept = [file.name for file in files_of(CASE, [LOG]) if f"{0:020d}.log" not in file.name]
    assert of_files(kept, tmp_path) == of_log(real)


def test_of_several_snapshots_the_newest_speaks(tmp_path: Path) -> None:
    if not CASE.is_dir():
        pytest.skip(NO_CORPUS)
    both = [file.name for file in files_of(CASE, [LOG]) if file.name.endswith("1.checkpoint")]
    assert len(both) == 2
    assert of_files(both, tmp_path / "both") == of_files(both[1:], tmp_path / "newest")
