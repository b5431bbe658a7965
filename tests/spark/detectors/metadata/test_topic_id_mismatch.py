"""Folders of another topic ID, and metadata logs of another cluster or time."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from spark.detectors.metadata.topic_id_mismatch import detector
from tests.generator.segment import Record, batch, segment
from tests.spark.controller_records import ORDERS, PAYMENTS, partition, remove_topic, topic
from tests.spark.log_folders import write
from tests.spark.whole_pipeline import report_of

START_MS = 1_707_350_400_000
OTHER = bytes(range(32, 48))
AGAIN = (topic(), partition(), remove_topic(), topic(id=OTHER), partition(id=OTHER))
ALL = (topic(id=OTHER), topic("payments", PAYMENTS))


def found(folder: Path, ids: dict[str, bytes], *values: bytes, data_ms: int = 0) -> list[dict[str, Any]]:
    """Of folders with these IDs, one record each, and the controllers' records, one each second."""
    log = b"".join(
        batch([Record(None, value, START_MS + 1000 * n)], n, leader_epoch=1) for n, value in enumerate(values)
    )
    files: dict[str | int, bytes] = {"__cluster_metadata-0/00000000000000000000.log": log}
    for name, id in ids.items():
        text = f"version: 0\ntopic_id: {urlsafe_b64encode(id).decode()[:22]}\n"
        files[f"{name}/partition.metadata"] = text.encode()
        files[f"{name}/00000000000000000000.log"] = segment([Record(b"k", b"v", START_MS + data_ms)])
    report = report_of(write(folder / "input", files), folder / "results")
    return [one for one in report["findings"] if one["detector"] == detector.id]


def test_a_folder_of_a_deleted_topic_is_found(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, {"orders-0": ORDERS}, *AGAIN)
    assert (finding["severity"], finding["evidence"]) == ("medium", [2, 3])
    assert "deleted the topic with this ID at offset 2" in finding["explanation"]


def test_a_folder_of_an_unknown_id_is_found_where_others_agree(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, {"orders-0": ORDERS, "payments-0": PAYMENTS}, *ALL)
    assert finding["evidence"] == [0]
    assert "another cluster" in finding["explanation"]


@pytest.mark.parametrize(
    ("ids", "values", "data_ms"),
    [
        ({"orders-0": OTHER}, AGAIN, 0),
        ({"orders-0": ORDERS}, ALL, 0),
        ({"orders-0": ORDERS, "payments-0": PAYMENTS}, ALL, 9000),
        ({"orders-0": ORDERS}, (topic(), remove_topic()), 0),
    ],
    ids=["the present one", "another cluster", "copied earlier", "no such topic"],
)
def test_innocent(tmp_path: Path, ids: dict[str, bytes], values: tuple[bytes, ...], data_ms: int) -> None:
    assert found(tmp_path, ids, *values, data_ms=data_ms) == []
