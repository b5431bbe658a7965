"""Equal keys under several schema ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from spark.detectors.values.key_schema_evolved import detector
from spark.terms.findings import Finding
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

SETTINGS = "Topic: journal\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: cleanup.policy={}\n"
Keyed = tuple[bytes, bytes | None]


def key(id: int, name: bytes) -> bytes:
    """An Avro string behind an id."""
    return b"\x00" + id.to_bytes(4, "big") + bytes([2 * len(name)]) + name


OLD: list[Keyed] = [(key(3, b"c%d" % n), b"old") for n in range(5)]
NEW: list[Keyed] = [(key(9, b"c%d" % n), b"new") for n in range(3)]


def found_in(folder: Path, logs: Sequence[Sequence[Keyed]], policy: str = "compact") -> list[Finding]:
    """What is found in partitions with these keys and values, the later partitions written later."""
    files: dict[str | int, bytes] = {
        f"journal-{number}/00000000000000000000.log": segment(
            [Record(name, value, SOME_TIME_MS + 10**6 * number + n) for n, (name, value) in enumerate(pairs)]
        )
        for number, pairs in enumerate(logs)
    }
    files["print/describe.txt"] = SETTINGS.format(policy).encode()
    return findings(detector, write(folder / "input", files), folder / "results")


@pytest.mark.parametrize("logs", [[[*OLD, *NEW]], [OLD, NEW]], ids=["one partition", "two partitions"])
def test_equal_keys_under_two_ids_are_found(logs: list[list[Keyed]], tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, logs)
    assert finding.severity == "medium"
    assert "3 keys are stored under schema IDs 3 and 9" in finding.title
    assert "keeps a value under each ID for 3 keys" in finding.explanation


def test_a_tombstone_under_one_id_deletes_nothing_under_the_other(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, [[*OLD, (key(9, b"c1"), None)]])
    assert "1 key has a tombstone under one ID" in finding.explanation


def test_two_ids_that_stay_in_use_are_low(tmp_path: Path) -> None:
    turns = [one for pair in zip(OLD[:3], NEW, strict=True) for one in pair]
    (finding,) = found_in(tmp_path, [turns * 3])
    assert (finding.severity, finding.confidence) == ("low", "likely")
    assert "can be two kinds of keys" in finding.explanation


@pytest.mark.parametrize(
    ("log", "policy"),
    [
        ([*OLD, *NEW], "delete"),
        (OLD, "compact"),
        ([*OLD, *((key(9, b"d%d" % n), b"new") for n in range(3))], "compact"),
        (
            [(((block << 24) + n * 800_000).to_bytes(8, "big"), b"v") for block in (1, 2) for n in range(20)],
            "compact",
        ),
        ([((n << 36).to_bytes(8, "big"), b"v") for n in range(1, 9)], "compact"),
    ],
    ids=["not compacted", "one id", "other payloads", "equal ends of numbers", "numbers of eight bytes"],
)
def test_innocent(log: list[Keyed], policy: str, tmp_path: Path) -> None:
    assert found_in(tmp_path, [log], policy) == []
