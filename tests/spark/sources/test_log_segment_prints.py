"""Every segment of the corpus that `kafka-dump-log` was run on: batches and records as it printed them.

The prints are read here with expressions of our own, so that a fault of our source of such prints cannot hide one of
the segments'. Left out are prints whose payloads may hold lines like the print's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources.log_segment import source
from tests.spark.sources.prints import CORPUS, LAYOUTS, read_file

FACT = re.compile(r"(\w+): (\[[^\]]*\]|\S+)")
BATCH = re.compile(r"baseOffset: \d+ lastOffset: \d+ ")
RECORD = re.compile(r"(\| )?offset: \d+ .*key[sS]ize: ")
SEQUENCES = 1 << 31
# The controllers write one every half second; they were taken out of the print.
NO_OP = bytes.fromhex("01140000")
Facts = dict[str, Any]


def prints() -> Iterator[tuple[Path, Path]]:
    """A print and the folder of the partition it shows."""
    for path in sorted(CORPUS.rglob("*.decoded.txt")):
        yield path, path.with_name(path.name.removesuffix(".decoded.txt"))
    for kind in ("plain", "deep-iteration", "companions"):
        for path in sorted((LAYOUTS / "text").glob(f"dump-log-*-{kind}.txt")):
            yield path, LAYOUTS / "sample-0"


def facts(line: str) -> Facts:
    """What stands in a line: names in small letters, as the versions differ in them."""
    found = {
        name.lower(): value for name, value in FACT.findall(line.split(" key: ")[0].split(" payload: ")[0])
    }
    found["timestamp"] = found.get("createtime", found.get("logappendtime"))
    return found


def printed(path: Path, kind: re.Pattern[str]) -> list[Facts]:
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    return [facts(line) for line in lines if kind.match(line)]


def last_sequence(batch: Facts) -> int:
    if batch["base_sequence"] < 0:
        return -1
    return int((batch["base_sequence"] + batch["last_offset"] - batch["base_offset"]) % SEQUENCES)


def told(batch: Facts) -> Facts:
    """A batch of ours in the tool's words."""
    horizon = batch["delete_horizon_ms"]
    return {
        "baseoffset": batch["base_offset"], "lastoffset": batch["last_offset"], "count": batch["record_count"],
        "basesequence": batch["base_sequence"], "lastsequence": last_sequence(batch),
        "producerid": batch["producer_id"], "producerepoch": batch["producer_epoch"],
        "partitionleaderepoch": batch["leader_epoch"], "istransactional": batch["is_transactional"],
        "iscontrol": batch["is_control"], "position": batch["position"], "size": batch["size_bytes"],
        "deletehorizonms": "OptionalLong.empty" if horizon is None else f"OptionalLong[{horizon}]",
        "timestamp": batch["max_timestamp_ms"], "magic": batch["magic"], "compresscodec": batch["codec"],
        "crc": batch["crc_stored"], "isvalid": batch["crc_ok"],
    }  # fmt: skip


def told_of_record(record: Facts) -> Facts:
    names = ",".join(header["key"].decode() for header in record["headers"])
    return {
        "offset": record["offset"], "timestamp": record["timestamp_ms"], "sequence": record["sequence"],
        "keysize": -1 if record["key_is_null"] else record["key_size_bytes"],
        "valuesize": -1 if record["value_is_null"] else record["value_size_bytes"],
        "headerkeys": f"[{names}]",
    }  # fmt: skip


def agree(theirs: list[Facts], ours: list[Facts]) -> None:
    """Every fact of ours that is printed is printed so."""
    for line, row in zip(theirs, ours, strict=True):
        shared = row.keys() & line.keys()
        assert {name: line[name].lower() for name in shared} == {
            name: str(row[name]).lower() for name in shared
        }
        assert {"offset", "baseoffset"} & shared
        assert "timestamp" in shared


def short(path: Path) -> str:
    return str(path.relative_to(CORPUS)) if isinstance(path, Path) and path.suffix == ".txt" else ""


@pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not beside the repository")
@pytest.mark.parametrize(("path", "folder"), [*prints()], ids=short)
def test_a_segment_is_what_the_tool_printed_of_it(path: Path, folder: Path) -> None:
    readings = [
        read_file(source, InputFile(log.name, str(log), log.stat().st_size))
        for log in sorted(folder.glob("*.log"))
    ]
    assert readings, f"no segments in {folder}"
    batches, records = printed(path, BATCH), printed(path, RECORD)
    assert batches or records
    if batches:
        agree(batches, [told(row) for reading in readings for row in reading.batches])
    if records:
        found = [row for reading in readings for row in reading.records if row["value"] != NO_OP]
        agree(records, [told_of_record(row) for row in found])


def test_the_facts_of_a_line_are_told_apart() -> None:
    line = "| offset: 3 CreateTime: 9 keySize: 1 valueSize: -1 sequence: 4 headerKeys: [a,b] key: crc: 7 payload: x: y"
    assert facts(line) == {
        "offset": "3", "createtime": "9", "timestamp": "9", "keysize": "1", "valuesize": "-1", "sequence": "4",
        "headerkeys": "[a,b]",
    }  # fmt: skip
