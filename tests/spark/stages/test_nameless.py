"""Exports that name no topic, beside the partition whose records they have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.stages.plan import InspectionPlan
from tests.generator.segment import Record, batch
from tests.spark.log_folders import planned

OFFSETS = range(6)


def segment(prefix: str = "value") -> bytes:
    records = (Record(b"key-%d" % n, f"{prefix}-{n}".encode()) for n in OFFSETS)
    return b"".join(batch([record], base_offset=n) for n, record in enumerate(records))


def bare(offsets: range = OFFSETS, prefix: str = "value") -> bytes:
    rows = [{"offset": n, "key": f"key-{n}", "payload": f"{prefix}-{n}"} for n in offsets]
    return json.dumps(rows).encode()


def plan_of(folder: Path, files: dict[str, bytes]) -> InspectionPlan:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return planned(folder)


def place(plan: InspectionPlan, name: str) -> tuple[str, int]:
    (row,) = [row for row in plan.files if row["name"] == name]
    assert {(split.topic, split.partition) for split in plan.splits if split.file == row["file"]} == {
        (row["topic"], row["partition"])
    }
    return row["topic"], row["partition"]


SEGMENT = "t-3/00000000000000000000.log"


def test_a_dump_without_a_topic_takes_the_name_of_the_partition_whose_records_it_has(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {SEGMENT: segment(), "dump.json": bare()})
    assert place(plan, "dump.json") == ("t", 3)
    assert set(plan.dialects) == {"t"}
    (row,) = [row for row in plan.files if row["name"] == "dump.json"]
    assert "its records are those of t-3" in row["note"]


def test_a_dump_with_a_topic_gives_the_name_too(tmp_path: Path) -> None:
    lines = [
        {
            "topic": "t",
            "partition": 0,
            "offset": n,
            "tstype": "create",
            "ts": 1,
            "broker": 0,
            "key": f"key-{n}",
            "payload": f"value-{n}",
        }
        for n in OFFSETS
    ]
    named = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert place(plan_of(tmp_path, {"named.json": named, "dump.json": bare()}), "dump.json") == ("t", 0)


@pytest.mark.parametrize(
    "dump",
    [bare(prefix="other"), bare(range(1)), bare(range(6, 12))],
    ids=["other values", "one record", "other offsets"],
)
def test_a_dump_of_other_records_stays_nameless(tmp_path: Path, dump: bytes) -> None:
    assert place(plan_of(tmp_path, {SEGMENT: segment(), "dump.json": dump}), "dump.json") == ("?", 0)


def test_a_dump_that_fits_two_partitions_stays_nameless(tmp_path: Path) -> None:
    files = {SEGMENT: segment(), SEGMENT.replace("t-3", "other-0"): segment(), "dump.json": bare()}
    assert place(plan_of(tmp_path, files), "dump.json") == ("?", 0)


def test_a_dump_alone_stays_nameless(tmp_path: Path) -> None:
    assert place(plan_of(tmp_path, {"dump.json": bare()}), "dump.json") == ("?", 0)
