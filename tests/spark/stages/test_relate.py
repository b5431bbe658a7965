"""Relating records to their keys, on small key indexes written as a decode task writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.stages.relate import Related, relate_bucket
from spark.tables.key_index import KEY_INDEX, Buckets, write_key_index


def row(offset: int, key: bytes | None, *, value: int | None = 5, **other: Any) -> dict[str, Any]:
    known = {
        "topic": "t",
        "partition": 0,
        "replica": "",
        "offset": offset,
        "file": 0,
        "batch_position": offset,
        "timestamp_ms": 1_000 + offset,
        "key_hash_1": hash(key) if key is not None else 0,
        "key_hash_2": len(key or b""),
        "key": key,
        "has_key": key is not None,
        "value_is_null": value is None,
        "is_control": False,
        "key_size_bytes": len(key or b""),
        "value_size_bytes": value or 0,
        "entry_type": None,
        "entry_action": None,
    }
    return {**known, **other}


def relate(folder: Path, *chunks: list[dict[str, Any]], buckets: int = 1) -> tuple[list[Related], Any, Any]:
    paths = [
        write_key_index(
            folder / "spine" / f"{n}.arrow", [pa.Table.from_pylist(rows, schema=KEY_INDEX)], Buckets(buckets)
        )
        for n, rows in enumerate(chunks)
    ]
    done = [relate_bucket(bucket, paths, str(folder)) for bucket in range(buckets)]
    tables = {
        name: pa.concat_tables(
            pq.read_table(folder / part.name) for one in done for part in one.parts if part.table == name
        )
        for name in {part.table for one in done for part in one.parts}
    }
    lifelines = tables["lifelines"].sort_by([("partition", "ascending"), ("offset", "ascending")]).to_pylist()
    return done, lifelines, tables.get("keys", pa.table({})).to_pylist()


def test_a_key_is_followed_through_create_update_tombstone_and_revival(tmp_path: Path) -> None:
    rows = [row(0, b"a"), row(1, b"b"), row(2, b"a"), row(3, b"a", value=None), row(4, b"a")]
    _, lifelines, _ = relate(tmp_path, rows)
    assert [line["kind"] for line in lifelines] == ["create", "create", "update", "tombstone", "revive"]
    assert [line["previous_offset"] for line in lifelines] == [None, None, 0, 2, 3]
    assert [line["superseded_by"] for line in lifelines] == [2, None, 3, 4, None]


def test_neighbours_are_found_across_splits(tmp_path: Path) -> None:
    _, lifelines, keys = relate(tmp_path, [row(0, b"a")], [row(9, b"a")])
    assert lifelines[1]["previous_offset"] == 0
    assert [(key["key"], key["first_offset"], key["last_offset"], key["versions"]) for key in keys] == [
        (b"a", 0, 9, 2)
    ]


def test_the_same_key_in_another_partition_or_replica_is_another_key(tmp_path: Path) -> None:
    rows = [row(0, b"a"), row(0, b"a", partition=1), row(0, b"a", replica="broker-2")]
    _, lifelines, keys = relate(tmp_path, rows)
    assert [line["kind"] for line in lifelines] == ["create"] * 3
    assert len(keys) == 3


def test_records_without_key_are_never_related(tmp_path: Path) -> None:
    _, lifelines, keys = relate(tmp_path, [row(0, None), row(1, None), row(2, None, value=None)])
    assert [line["kind"] for line in lifelines] == ["create", "create", "tombstone"]
    assert [line["previous_offset"] for line in lifelines] == [None] * 3
    assert keys == []


def test_control_records_and_restarts_have_kinds_of_their_own(tmp_path: Path) -> None:
    rows = [row(0, b"\0\0\0\1", is_control=True), row(1, b"boot", value=None, entry_action="restart")]
    _, lifelines, keys = relate(tmp_path, rows)
    assert [line["kind"] for line in lifelines] == ["control", "restart"]
    assert [(key["key"], key["tombstones"]) for key in keys] == [(b"boot", 0)]
    assert [(key["live_bytes"], key["dead_bytes"]) for key in keys] == [(4, 0)], (
        "its null value deletes nothing"
    )


def test_live_and_dead_bytes_add_up(tmp_path: Path) -> None:
    rows = [row(0, b"aa", value=10), row(1, b"aa", value=20), row(2, b"b", value=1), row(3, b"b", value=None)]
    _, _, keys = relate(tmp_path, rows)
    sizes = {key["key"]: (key["live_bytes"], key["dead_bytes"], key["tombstones"]) for key in keys}
    assert sizes == {b"aa": (22, 12, 0), b"b": (0, 3, 1)}


@pytest.mark.parametrize("buckets", [1, 2, 7])
def test_buckets_change_nothing(tmp_path: Path, buckets: int) -> None:
    rows = [row(n, b"%d" % (n % 13), value=None if n % 5 == 0 else n) for n in range(200)]
    done, lifelines, keys = relate(tmp_path, rows[:90], rows[90:], buckets=buckets)
    assert [line["offset"] for line in lifelines] == list(range(200))
    assert [line["previous_offset"] for line in lifelines] == [None if n < 13 else n - 13 for n in range(200)]
    assert sum(one.keys for one in done) == len(keys) == 13
    assert min(one.first_repeat["t", 0, ""] for one in done if one.first_repeat) == 13
