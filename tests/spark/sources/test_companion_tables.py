"""Companion files as tables, and what becomes of those that no broker wrote this way."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import crc32c
import pytest

from spark.sources import InputFile, Split
from spark.sources.companion import source
from spark.stages.decode import unreadable_bytes
from spark.tables import TABLES

SNAPSHOT_ENTRY = struct.pack(">qhiqiqiq", 7, 2, 11, 40, 3, 1_700_000_000_000, 5, 38)
IDLE_ENTRY = struct.pack(">qhiqiqiq", 8, 0, -1, -1, 0, 1_700_000_000_001, -1, -1)
TXN_ENTRY = struct.pack(">hqqqq", 0, 7, 30, 33, 34)


def snapshot(*entries: bytes) -> bytes:
    after_crc = struct.pack(">i", len(entries)) + b"".join(entries)
    return struct.pack(">hI", 1, crc32c.crc32c(after_crc)) + after_crc


GOOD = {
    "00000000000000000030.index": struct.pack(">iiii", 5, 80, 11, 240),
    "00000000000000000030.timeindex": struct.pack(">qiqi", 1_700_000_000_000, 5, 1_700_000_000_009, 11),
    "00000000000000000030.txnindex": TXN_ENTRY * 2,
    "00000000000000000041.snapshot": snapshot(SNAPSHOT_ENTRY, IDLE_ENTRY),
    "leader-epoch-checkpoint": b"0\n2\n0 0\n3 41\n",
    "partition.metadata": b"version: 0\ntopic_id: m1Y4yKQnRGCJkSRYPjLaWw",
    "meta.properties": b"#\n#Sat Nov 21 08:12:14 UTC 2026\nnode.id=2\nversion=1\ncluster.id=n7MOhW6oS56iMRzDvfkSDw\n",
    "cleaner-offset-checkpoint": b"0\n2\nmixed 0 49\nprofiles 3 142\n",
    "log-start-offset-checkpoint": b"0\n1\nplainlog 0 18\n",
    ".checkpoint": b"0\n2\ntill-app-counts-changelog 1 49\ntill-app-sums-changelog 1 142\n",
}


def read(folder: Path, name: str, content: bytes, **detail: Any) -> tuple[dict[str, list[Any]], list[Any]]:
    """Rows by table, and rows of damage."""
    path = folder / name
    path.write_bytes(content)
    rows: dict[str, list[Any]] = {}
    damage: list[Any] = []
    for split in source.split(InputFile(name, str(path), len(content)), 3, "steady", 1, "b"):
        for chunk in source.read(Split(**{**vars(split), "detail": detail})):
            for table, found in chunk.others.items():
                assert found.schema == TABLES[table].schema
                rows.setdefault(table, []).extend(found.to_pylist())
            if chunk.damage is not None:
                assert unreadable_bytes(chunk.damage) == 0
                damage += chunk.damage.to_pylist()
    return rows, damage


def values(rows: list[Any], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


@pytest.mark.parametrize("name", GOOD)
def test_a_sound_file_is_no_damage(tmp_path: Path, name: str) -> None:
    rows, damage = read(tmp_path, name, GOOD[name])
    assert damage == []
    assert sum(map(len, rows.values())) > 0


def test_a_transaction_index_gives_aborted_transactions(tmp_path: Path) -> None:
    name = "00000000000000000030.txnindex"
    rows, _ = read(tmp_path, name, TXN_ENTRY)
    assert rows["aborted_txns"] == [
        {"topic": "steady", "partition": 1, "replica": "b", "file": 3, "base_offset": 30, "producer_id": 7,
         "first_offset": 30, "last_offset": 33, "last_stable_offset": 34}
    ]  # fmt: skip


def test_a_snapshot_gives_producers_and_their_open_transactions(tmp_path: Path) -> None:
    name = "00000000000000000041.snapshot"
    rows, _ = read(tmp_path, name, GOOD[name])
    names = ("snapshot_offset", "producer_id", "producer_epoch", "last_sequence", "last_offset", "current_txn_first_offset")  # fmt: skip
    assert values(rows["producer_states"], *names) == [(41, 7, 2, 11, 40, 38), (41, 8, 0, -1, -1, None)]


def test_a_snapshot_whose_checksum_disagrees_gives_nothing(tmp_path: Path) -> None:
    name = "00000000000000000041.snapshot"
    rows, [damage] = read(tmp_path, name, GOOD[name][:-1] + b"\x01")
    assert rows == {}
    assert (damage["reason"], damage["size_bytes"]) == ("bad_companion", len(GOOD[name]))
    assert "checksum" in damage["detail"]


def test_a_leader_epoch_checkpoint_gives_epochs(tmp_path: Path) -> None:
    rows, _ = read(tmp_path, "leader-epoch-checkpoint", GOOD["leader-epoch-checkpoint"])
    assert values(rows["epoch_entries"], "epoch", "start_offset") == [(0, 0), (3, 41)]


def test_properties_are_named_and_comments_left_out(tmp_path: Path) -> None:
    rows, _ = read(tmp_path, "meta.properties", GOOD["meta.properties"] + rb"log.dir=C\:\\data")
    assert values(rows["properties"], "name", "value")[::3] == [("node.id", "2"), ("log.dir", r"C:\data")]


def test_a_broker_s_checkpoint_speaks_of_the_copies_in_its_folder(tmp_path: Path) -> None:
    name = "cleaner-offset-checkpoint"
    rows, _ = read(tmp_path, name, GOOD[name], replicas={"mixed-0": "broker-1"})
    assert values(rows["checkpoints"], "topic", "partition", "replica", "kind", "offset") == [
        ("mixed", 0, "broker-1", "cleaner", 49),
        ("profiles", 3, "b", "cleaner", 142),
    ]


def test_a_streams_checkpoint_gives_what_the_local_stores_contain(tmp_path: Path) -> None:
    rows, damage = read(tmp_path, ".checkpoint", b"0\n2\na-x-changelog 1 49\na-y-changelog 1 -4\n")
    assert values(rows["checkpoints"], "topic", "partition", "replica", "kind", "offset") == [
        ("a-x-changelog", 1, "b", "streams_store", 49)
    ]
    assert damage == []


@pytest.mark.parametrize("name", [name for name in GOOD if "snapshot" not in name])
def test_an_empty_file_has_nothing_to_say(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, name, b"") == ({}, [])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("leader-epoch-checkpoint", b"1\n0\n", "Line 1 should contain the version"),
        ("leader-epoch-checkpoint", b"0\nmany\n", "Line 2 should contain the number"),
        ("leader-epoch-checkpoint", b"0\n2\n0 0\n", "announces 2 entries, and 1 follow"),
        ("leader-epoch-checkpoint", b"0\n1\n0 0\n1 5\n", "announces 1 entries, and 2 follow"),
        ("leader-epoch-checkpoint", b"0\n1\n0 x\n", "Line 3 should contain an epoch"),
        ("leader-epoch-checkpoint", b"0\n1\n0 99999999999999999999\n", "Line 3 should contain an epoch"),
        ("leader-epoch-checkpoint", b"0\n1\n\xff 0\n", "byte 4 is not"),
        ("replication-offset-checkpoint", b"0\n1\ntopic 0\n", "Line 3 should contain a topic"),
        ("replication-offset-checkpoint", b"0\n1\ntopic 9999999999 1\n", "Line 3 should contain a topic"),
        (".checkpoint", b"0\n1\na-x-changelog 1 -5\n", "Line 3 should contain a topic"),
        ("partition.metadata", b"version", "should contain a name and a value"),
        ("00000000000000000041.snapshot", b"", "too few"),
        ("00000000000000000041.snapshot", b"\x00\x02" + bytes(8), "version 2"),
        ("00000000000000000041.snapshot", snapshot() + b"\x00", "checksum"),
        ("00000000000000000030.txnindex", TXN_ENTRY + b"\x00\x01" + bytes(32), "version 1"),
        ("00000000000000000030.txnindex", TXN_ENTRY + b"\x00", "The last 1 are left out"),
        ("00000000000000000030.index", bytes(7), "not a multiple"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    _, [damage] = read(tmp_path, name, content)
    assert says in damage["detail"]
    assert not damage["batches_after"]
    assert damage["first_offset"] is None


def test_a_snapshot_that_counts_wrong_under_a_right_checksum_is_refused(tmp_path: Path) -> None:
    after_crc = struct.pack(">i", 2) + SNAPSHOT_ENTRY
    content = struct.pack(">hI", 1, crc32c.crc32c(after_crc)) + after_crc
    rows, [damage] = read(tmp_path, "00000000000000000041.snapshot", content)
    assert rows == {}
    assert "2 producers" in damage["detail"]


@pytest.mark.wide
@pytest.mark.parametrize("name", GOOD)
def test_every_length_of_a_file_is_read_or_named(tmp_path: Path, name: str) -> None:
    for size in range(len(GOOD[name])):
        read(tmp_path, name, GOOD[name][:size])


@pytest.mark.wide
@pytest.mark.parametrize("name", GOOD)
def test_every_flipped_bit_is_read_or_named(tmp_path: Path, name: str) -> None:
    for bit in range(8 * len(GOOD[name])):
        flipped = bytearray(GOOD[name])
        flipped[bit // 8] ^= 1 << bit % 8
        read(tmp_path, name, bytes(flipped))


@pytest.mark.parametrize("name", GOOD)
def test_noise_is_read_or_named(tmp_path: Path, name: str) -> None:
    noise = random.Random(4)
    for size in (1, 9, 34, 46, 100, 1000):
        read(tmp_path, name, noise.randbytes(size))


@pytest.mark.parametrize("base", ["09223372036854775807", "09223372036854775800"])
@pytest.mark.parametrize("kind", ["index", "timeindex", "txnindex", "snapshot"])
def test_the_greatest_offsets_fit(tmp_path: Path, base: str, kind: str) -> None:
    content = next(content for name, content in GOOD.items() if name.endswith("." + kind))
    assert read(tmp_path, f"{base}.{kind}", content)[1] == []


def test_a_number_that_is_no_offset_is_no_companion(tmp_path: Path) -> None:
    name = "99999999999999999999.index"
    assert not source.recognise(InputFile(name, name, 8), b"").matches
    assert read(tmp_path, name, bytes(8)) == ({}, [])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (".kafka_cleanshutdown", "clean stop"),
        ("00000000000000000059-0000000001.checkpoint.part", "controllers' state that is unfinished"),
        ("leader-epoch-checkpoint.tmp", "unfinished"),
        ("cleaner-offset-checkpoint.tmp", "unfinished"),
        ("00000000000000000000.log.cleaned", "not a part of the log"),
        ("00000000000000000000.timeindex.deleted", "not a part of the log"),
    ],
)
def test_what_is_not_read_is_named_for_what_it_is(name: str, says: str) -> None:
    answer = source.recognise(InputFile(name, name, 100), b"")
    assert answer.matches
    assert says in answer.why
    assert source.split(InputFile(name, name, 100), 0, "t", 0, "") == []
