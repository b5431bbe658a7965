"""Rows with Debezium's placeholder, and rows that only mention it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spark.detectors.values.value_unavailable import IN_BASE64, PLACEHOLDER, detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

ROW = {"id": 1, "price": 5, "text": "long"}
LACKING = ROW | {"text": PLACEHOLDER}


def event(after: Any, before: Any = None) -> bytes:
    return json.dumps({"before": before, "after": after, "op": "u"}, separators=(",", ":")).encode()


def found(folder: Path, *values: bytes | None, policy: str = "delete") -> list[Finding]:
    records = [Record(b"1", value, SOME_TIME_MS + n) for n, value in enumerate(values)]
    files: dict[str | int, bytes] = {
        "shop.articles-0/00000000000000000000.log": segment(records),
        "describe.txt": (
            f"Topic: shop.articles\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: cleanup.policy={policy}\n"
        ).encode(),
    }
    return findings(detector, write(folder / "input", files), folder / "results")


@pytest.mark.parametrize(
    "value",
    [
        event(LACKING),
        json.dumps(LACKING).encode(),
        event(ROW | {"text": IN_BASE64}),
        event(ROW | {"text": [PLACEHOLDER]}),
    ],
    ids=["an envelope", "a row alone", "bytes", "an array"],
)
def test_the_columns_are_named(value: bytes, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, event(ROW), value)
    assert (finding.severity, finding.evidence) == ("low", [1])
    assert plain(finding.title).endswith(
        "1 record of shop.articles-0 has a placeholder instead of the value of text"
    )


@pytest.mark.parametrize(
    ("last", "severity"), [(LACKING, "medium"), (ROW, "low")], ids=["lost", "written again"]
)
def test_in_a_compacted_topic_the_newest_record_counts(last: Any, severity: str, tmp_path: Path) -> None:
    (finding,) = found(tmp_path, event(ROW), event(LACKING), event(last), policy="compact")
    assert finding.severity == severity


def test_in_avro_no_column_is_named(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, b"\x00\x00\x00\x00\x07\x02" + PLACEHOLDER.encode())
    assert plain(finding.title).endswith("instead of the value")


@pytest.mark.parametrize(
    "values",
    [[event(ROW), event(ROW, before=LACKING)], [event(None, before=LACKING)], [event(ROW), None]],
    ids=["before the change", "a delete", "whole rows"],
)
def test_innocent(values: list[bytes | None], tmp_path: Path) -> None:
    assert found(tmp_path, *values) == []
