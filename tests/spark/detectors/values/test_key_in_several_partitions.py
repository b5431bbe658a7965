"""Keys in several partitions, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from spark.codecs.partitioners import PARTITIONERS, hashes
from spark.detectors.values.key_in_several_partitions import TOPICS, detector
from spark.terms.findings import Finding
from tests.builders import given_tables, other_table
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.log_folders import findings, write

KEYS = [b"customer-%05d" % n for n in range(60)]
Written = tuple[bytes | None, int]
COMPACT = b"Topic: customers\tPartitionCount: 6\tReplicationFactor: 3\tConfigs: cleanup.policy=compact\n"
PLAIN = b"Topic: customers\tPartitionCount: 6\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"


def by(partitioner: str, keys: Iterable[bytes], count: int = 6) -> list[Written]:
    """The keys with the partition that a partitioner gives them."""
    keys = list(keys)
    return list(zip(keys, (int(one) % count for one in hashes(partitioner, keys)), strict=True))


def found_in(folder: Path, written: Iterable[Written], describe: bytes | None = PLAIN) -> list[Finding]:
    """What is found where a producer wrote these keys to these partitions, in this order."""
    logs: dict[int, list[Record]] = defaultdict(list)
    for number, (key, partition) in enumerate(written):
        logs[partition].append(Record(key, b"value", SOME_TIME_MS + 60_000 * number))
    files: dict[str | int, bytes] = {
        f"customers-{partition}/00000000000000000000.log": segment(records)
        for partition, records in logs.items()
    }
    if describe:
        files["print/describe.txt"] = describe
    return findings(detector, write(folder / "input", files), folder / "results")


@pytest.mark.parametrize("other", [name for name in PARTITIONERS if name != "murmur2"])
def test_two_partitioners_are_told_apart(other: str, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, by("murmur2", KEYS) + by(other, KEYS))
    assert (finding.severity, finding.confidence, finding.partition) == ("medium", "proven", None)
    assert "two producers use different partitioners" in finding.title
    assert "100 %" in finding.explanation


def test_the_partition_count_is_found_where_no_print_tells_it(tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, by("murmur2", KEYS) + by("crc32", KEYS[:30]), describe=None)
    assert "With 6 partitions" in finding.explanation


@pytest.mark.parametrize(("describe", "severity"), [(COMPACT, "medium"), (PLAIN, "low")])
def test_partitions_that_were_added(describe: bytes, severity: str, tmp_path: Path) -> None:
    (finding,) = found_in(tmp_path, by("murmur2", KEYS, 4) + by("murmur2", KEYS, 6), describe)
    assert finding.severity == severity
    assert "had 4 partitions, then 6" in finding.title


@pytest.mark.parametrize(("describe", "severities"), [(COMPACT, ["low"]), (PLAIN, [])])
def test_places_at_random_are_low_where_the_topic_is_compacted(
    describe: bytes, severities: list[str], tmp_path: Path
) -> None:
    written = [(key, n % 6) for n, key in enumerate(KEYS * 2 + KEYS[:7] + KEYS)]
    assert [one.severity for one in found_in(tmp_path, written, describe)] == severities


@pytest.mark.parametrize(
    "written",
    [
        by("murmur2", KEYS * 2),
        [(key, n % 6) for n, key in enumerate(KEYS)] * 2,
        [(None, n % 6) for n in range(60)],
        [(b"", n % 6) for n in range(60)],
    ],
    ids=["one partitioner", "a function of its own", "no keys", "empty keys"],
)
def test_keys_that_stay_in_one_partition_are_innocent(written: list[Written], tmp_path: Path) -> None:
    assert found_in(tmp_path, written, COMPACT) == []


def test_a_part_of_the_partitions_does_not_tell_their_number(tmp_path: Path) -> None:
    written = by("murmur2", KEYS * 4, 12) + by("crc32", KEYS * 4, 12)
    some = [(key, partition) for key, partition in written if partition < 3]
    for finding in found_in(tmp_path, some, describe=None):
        assert "The topic's partition count is unknown." in finding.explanation
    added = found_in(tmp_path / "added", by("murmur2", KEYS, 4) + by("murmur2", KEYS, 6), describe=None)
    assert [finding.title.rpartition(": ")[2] for finding in added] == ["partitions were added"]


def test_without_an_explanation_it_says_what_was_tried(tmp_path: Path) -> None:
    compact = b"Dynamic configs for topic customers are:\n  cleanup.policy=compact sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact}\n"
    written = [(key, n % 6) for n, key in enumerate(KEYS * 2 + KEYS[:7] + KEYS)]
    (finding,) = found_in(tmp_path, written, compact)
    assert finding.title.endswith(": murmur2, CRC32 and FNV-1a do not explain it")
    assert (
        f"Checked with 6 to 19 partitions and the bytes of {len(KEYS)} keys: murmur2" in finding.explanation
    )


def test_the_controllers_journal_tells_the_number_too() -> None:
    partitions = (
        {"entity_type": "partition", "entity_id": f"customers/{n}", "view": "log", "is_own": True}
        for n in range(6)
    )
    tables = given_tables(
        {
            "keys": other_table("keys", {"partition": 0}, {"partition": 1}, topic="customers"),
            "state": other_table("state", *partitions, topic="__cluster_metadata"),
        }
    )
    assert [row["partitions"] for row in tables.rows(TOPICS)] == [6]
