"""Detect: what cannot run says why, and one detector's defect does not take the others' answers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors import detectors
from spark.report.detect import answer, hands, without_offsets
from spark.sources import LACKS
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.tables.subset import subsets
from spark.terms.findings import Finding
from tests.builders import files_table, given_tables, records_table


def broken(_: ResultTables) -> Iterable[Row]:
    raise KeyError("a member that this journal lacks")


def test_a_detector_that_breaks_off_is_named_and_the_others_answer(
    capsys: pytest.CaptureFixture[Any],
) -> None:
    sound = detectors()["null-key"]
    chosen = [replace(detectors()["offset-order"], find=broken, absent=lambda _: None), sound]
    found, reasons = answer(chosen, given_tables({"records": records_table({"offset": 1})}))
    assert found == []
    assert "a bug in Journalscope (KeyError)" in reasons["offset-order"]["why"]
    assert reasons["offset-order"]["reason"] == "failed"
    assert "a member that this journal lacks" in capsys.readouterr().err


def test_what_needs_offsets_is_not_said_of_rows_that_were_only_numbered_beside_a_log() -> None:
    tables = given_tables(
        {
            "files": files_table(
                {"layout": "coordinator-formatters", "cannot_tell": [LACKS["offset"]]},
                {"layout": "dump-log-text"},
            ),
            "records": pa.table(
                {"topic": ["__transaction_state", "orders"], "partition": [0, 0], "file": [0, 1]}
            ),
            "batches": pa.table({"topic": ["orders"], "partition": [0], "file": [1]}),
        }
    )
    detector = detectors()["illegal-state-transition"]
    said = [
        Finding(
            detector=detector.id,
            severity="high",
            title=topic,
            explanation="",
            remedy="",
            first_offset=0,
            last_offset=0,
            topic=topic,
            partition=0,
        )
        for topic in ("__transaction_state", "orders")
    ]
    assert [finding.topic for finding in without_offsets(detector, said, tables)] == ["orders"]


def test_one_task_asks_everything_where_the_records_fit() -> None:
    ids = ["crc-mismatch", "timestamp-in-future", "some-rule"]
    assert hands(ids, 2, subsets({("orders", 0): 99}, 1000)) == [(ids[::2], None), (ids[1::2], None)]


def test_of_many_records_those_that_compare_no_partitions_are_asked_of_each_subset() -> None:
    parts = subsets({("orders", 0): 900, ("orders", 1): 900}, 1000)
    dealt = hands(["crc-mismatch", "timestamp-in-future", "null-key", "some-rule"], 2, parts)
    assert dealt == [
        (["timestamp-in-future"], None),
        (["some-rule"], None),
        (["crc-mismatch", "null-key"], parts[0]),
        (["crc-mismatch", "null-key"], parts[1]),
    ]


def test_a_detector_that_asks_for_causes_compares_the_whole_journal() -> None:
    assert [one.id for one in detectors().values() if one.asks_causes and one.scope == "partition"] == []


def test_every_core_has_something_to_do_also_where_subsets_are_few() -> None:
    parts = subsets({("orders", 0): 900, ("orders", 1): 900}, 1000)
    ids = ["crc-mismatch", "null-key", "offset-order"]
    assert [(len(hand), part) for hand, part in hands(ids, 4, parts)] == [
        (2, parts[0]),
        (1, parts[0]),
        (2, parts[1]),
        (1, parts[1]),
    ]
