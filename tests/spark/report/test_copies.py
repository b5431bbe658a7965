"""Copies of a partition: known by content, and what several show is told once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.report.copies import LayoutCopy, copies_of, name_intact, unique_findings
from spark.tables import TABLES, Manifest
from spark.tables.parquet import PartWriter
from spark.tables.replica import PartitionReplica
from spark.terms.findings import Finding
from spark.units.pages import shared_steps
from tests.builders import files_table, key_hash

LAYOUTS = {"": "log-segment", "dump": "kcat-json", "bare": "plain-json"}
SEGMENTS = LayoutCopy("", "Log segment", frozenset(), is_segment=True)
DUMP = LayoutCopy("dump", "dump", frozenset({"batches"}), is_segment=False)
BARE = LayoutCopy("bare", "bare", frozenset({"batches", "timestamps"}), is_segment=False)
THREE = {("t", 0, one.replica): [SEGMENTS, DUMP, BARE] for one in (SEGMENTS, DUMP, BARE)}


def manifest_of(folder: Path, topic: str = "t", **copies: dict[int, bytes | None]) -> Manifest:
    """Copies by replica (`segments` is the one without a name): the key at each offset."""
    replicas = [("" if name == "segments" else name, keys) for name, keys in copies.items()]
    kinds = [
        {"layout": LAYOUTS[name], "layout_title": LAYOUTS[name], "replica": name} for name, _ in replicas
    ]
    runs, lines = [], []
    for file, (name, keys) in enumerate(replicas):
        place = {"topic": topic, "partition": 0, "replica": name}
        runs.append({**place, "file": file, "first_offset": min(keys), "last_offset": max(keys)})
        for offset, key in keys.items():
            hashes = dict(zip(("key_hash_1", "key_hash_2"), key_hash(key), strict=True))
            lines.append({**place, **hashes, "offset": offset, "kind": "create", "value_size_bytes": offset})
    writer = PartWriter(folder, "0")
    writer.write("files", files_table(*kinds, topic=topic))
    for table, rows in (("runs", runs), ("lifelines", lines)):
        writer.write(table, pa.Table.from_pylist(rows, schema=TABLES[table].schema))
    return Manifest(folder, {}, {}).with_parts(writer.finish())


def keys(*offsets: int, prefix: str = "k") -> dict[int, bytes | None]:
    return {offset: f"{prefix}{offset}".encode() for offset in offsets}


def names(manifest: Manifest) -> dict[str, list[str]]:
    return {replica[2]: [copy.replica for copy in group] for replica, group in copies_of(manifest).items()}


def test_segments_and_two_dumps_of_the_same_records_are_copies_the_best_first(tmp_path: Path) -> None:
    every = keys(*range(9))
    group = ["", "dump", "bare"]
    assert names(manifest_of(tmp_path, bare=every, dump=every, segments=every)) == dict.fromkeys(group, group)


def test_a_dump_after_compaction_is_a_copy_by_the_records_that_are_left(tmp_path: Path) -> None:
    manifest = manifest_of(tmp_path, segments=keys(*range(9)), dump=keys(2, 5, 8))
    assert names(manifest) == {"": ["", "dump"], "dump": ["", "dump"]}


@pytest.mark.parametrize("offset", [0, 9], ids=["other keys", "other offsets"])
def test_logs_with_other_records_are_no_copies(tmp_path: Path, offset: int) -> None:
    other = keys(*range(offset, offset + 9), prefix="other")
    assert copies_of(manifest_of(tmp_path, segments=keys(*range(9)), dump=other)) == {}


def test_records_without_keys_are_compared_by_the_sizes_of_their_values(tmp_path: Path) -> None:
    none = dict.fromkeys(range(9), None)
    assert names(manifest_of(tmp_path, segments=none, bare=none)) == {"": ["", "bare"], "bare": ["", "bare"]}


def test_a_partition_that_is_there_once_has_no_copies(tmp_path: Path) -> None:
    assert copies_of(manifest_of(tmp_path, segments=keys(*range(9)))) == {}


def finding(replica: str = "", **more: Any) -> Finding:
    plain: dict[str, Any] = {"detector": "crc-mismatch", "severity": "critical", "topic": "t", "partition": 0}
    plain |= {
        "title": "It broke",
        "explanation": "It happened.",
        "remedy": "",
        "first_offset": 3,
        "last_offset": 3,
    }
    return Finding(**{**plain, "replica": replica, **more})


def test_what_all_copies_show_is_told_once_by_the_best() -> None:
    every = [finding(name, detector="null-key", entities={name}) for name in ("bare", "dump", "")]
    (only,) = unique_findings(every, THREE)
    assert (only.replica, only.copies) == ("", ["", "dump", "bare"])
    assert only.explanation == "It happened.\nAll 3 copies of t-0 in the input show this."
    assert {name for one in only.stands_for for name in one.entities} == {"dump", "bare"}


def test_what_some_copies_show_names_them() -> None:
    (two,) = unique_findings(
        [finding("dump", detector="null-key"), finding("bare", detector="null-key")], THREE
    )
    assert (two.replica, two.copies) == ("dump", ["dump", "bare"])
    assert two.explanation.endswith("Of 3 copies of t-0, dump and bare show this.")
    (one,) = unique_findings([finding("bare", detector="null-key")], THREE)
    assert one.explanation.endswith("Of 3 copies of t-0, only bare shows this.")


def test_copies_that_are_all_segments_are_replicas() -> None:
    both = [replace(SEGMENTS, replica=name, name=name) for name in ("broker-1", "broker-2")]
    copies = {("t", 0, copy.replica): both for copy in both}
    (only,) = unique_findings([finding(copy.replica, detector="null-key") for copy in both], copies)
    assert only.explanation.endswith("Both replicas of t-0 in the input show this.")
    (alone,) = unique_findings([finding("broker-2", detector="null-key")], copies)
    assert alone.explanation.endswith("Of 2 replicas of t-0, only broker-2 shows this.")
    (damaged,) = unique_findings([finding("broker-2", detector="crc-mismatch")], copies)
    assert damaged.explanation.endswith(
        "only broker-2 shows this. This affects consumers while this replica is the leader."
    )


def test_a_step_that_needs_an_intact_replica_names_those_without_a_finding() -> None:
    names = ("broker-1", "broker-2", "broker-3")
    three = [replace(SEGMENTS, replica=name, name=name) for name in names]
    copies = {PartitionReplica("t", 0, name): three for name in names}
    step = f"1. {shared_steps()['another replica is intact']}, take the partition from it."
    ill = finding("broker-2", remedy=step)
    note = finding("broker-1", severity="info")
    name_intact([ill, note], copies)
    assert ill.remedy == step.replace(", take", " (broker-1 and broker-3 have no finding), take")
    for other in (finding("broker-1"), finding("", partition=None)):
        ill.write("remedy", step)
        name_intact([ill, other, finding("broker-3")], copies)
        assert ill.remedy == step


def test_copies_with_the_same_damage_have_their_offsets_in_common() -> None:
    every = [finding(name, detector="unreadable-bytes", last_offset=9) for name in ("bare", "dump")]
    copies = {place: [replace(copy, lacks=frozenset()) for copy in group] for place, group in THREE.items()}
    (two,) = unique_findings(every, copies)
    assert two.explanation.endswith("Of 3 copies of t-0, dump and bare lack the same offsets 3-9.")


def test_a_copy_with_a_similar_finding_at_other_offsets_is_named() -> None:
    several = [
        finding(name, detector="null-key", first_offset=3 + at, last_offset=9)
        for at, name in enumerate(("", "dump"))
    ]
    first, second = unique_findings(several, THREE)
    assert first.explanation.endswith(
        "copies of t-0, Log segment shows this at offsets 3-9; dump has a similar finding at offsets 4-9."
    )
    assert second.explanation.endswith(
        "copies of t-0, dump shows this at offsets 4-9; Log segment has a similar finding at offsets 3-9."
    )
    others = [*several, finding("bare", detector="null-key")]
    assert unique_findings(others, THREE)[0].explanation.endswith(
        "shows this at offsets 3-9; 2 other copies have similar findings."
    )


def test_copies_whose_layout_cannot_show_it_are_not_counted() -> None:
    (only,) = unique_findings([finding()], THREE)
    assert (only.copies, only.explanation) == ([""], "It happened.")
    (two,) = unique_findings(
        [finding("", detector="timestamp-in-future"), finding("dump", detector="timestamp-in-future")], THREE
    )
    assert two.copies == ["", "dump"]


@pytest.mark.parametrize(
    "more",
    [
        {"severity": "high"},
        {"first_offset": 2},
        {"last_offset": 4},
        {"key": "k"},
        {"entity": "e"},
        {"detector": "null-key"},
    ],
    ids=str,
)
def test_what_differs_stays_apart(more: dict[str, Any]) -> None:
    assert len(unique_findings([finding(), finding("dump", **more)], THREE)) == 2


def test_the_same_words_twice_of_one_copy_are_two_findings() -> None:
    every = [finding(), finding(), finding("dump"), finding("dump")]
    assert [one.copies for one in unique_findings(every, THREE)] == [["", "dump"], ["", "dump"]]


def test_copies_of_other_contents_and_findings_that_compare_copies_stay_apart() -> None:
    others = [
        finding("x"),
        finding("y"),
        finding("dump", detector="copies-differ"),
        finding(detector="copies-differ"),
    ]
    told = unique_findings(others, THREE)
    assert told == others
    assert all(one.copies == [] for one in told)


def test_a_rule_s_findings_are_told_once_too() -> None:
    every = [finding(name, detector="rule:1/large") for name in ("", "dump", "bare")]
    assert [one.copies for one in unique_findings(every, THREE)] == [["", "dump", "bare"]]
