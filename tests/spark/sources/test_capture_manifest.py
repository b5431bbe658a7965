"""Manifests of captures: what they tell becomes rows, what is wrong with them is said, and nothing raises."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from spark.sources import Chunk, InputFile
from spark.sources.capture_manifest import source
from spark.stages.plan import recognise
from spark.tables import TABLES
from tests.spark.captures import NAME, config, manifest, partition, producer, transaction, write_capture
from tests.spark.log_folders import planned, tables_of
from tests.spark.transaction_logs import START_MS, plain


def chunk(folder: Path, document: dict[str, Any] | bytes, **detail: object) -> Chunk:
    write_capture(folder, document, {})
    path = folder / NAME
    file = InputFile(NAME, str(path), path.stat().st_size)
    (split,) = source.split(file, 7, "?", 0, "")
    split.detail.update(detail)
    (found,) = source.read(split)
    return found


def rows(found: Chunk, table: str) -> list[dict[str, Any]]:
    assert found.others[table].schema == TABLES[table].schema
    return found.others[table].to_pylist()


WHOLE = manifest(
    partition(
        0,
        aborted=[{"producer_id": 1, "first_offset": 3}],
        aborted_range={"from_offset": 0, "to_offset": 10},
        producers=[producer(1, open_since=4), producer(2)],
        events=[{"kind": "leader-changed", "at_ms": 1, "offset": 5, "says": "Broker 2 leads now."}],
    ),
    partition(3, stopped_by="limit", is_converted=True),
    configs={"message.format.version": config("0.10.2-IV0", "topic")},
    broker={"transaction.max.timeout.ms": config("60000")},
    transactions=[transaction(1)],
    not_asked=[{"question": "DescribeLogDirs", "why": "not allowed"}],
)


def test_a_partition_is_a_row_with_what_holds_for_it(tmp_path: Path) -> None:
    first, second = rows(chunk(tmp_path, WHOLE, replicas={"journal-3": "b"}), "captures")
    assert (first["topic"], first["partition"], first["replica"], first["file"]) == ("journal", 0, "", 7)
    assert (second["partition"], second["replica"], second["stopped_by"]) == (3, "b", "limit")
    assert first["captured_at_ms"] == START_MS + 60 * 60_000
    assert (first["release"], first["inter_broker_protocol_version"]) == ("2.8 to 3.0", "2.8")
    assert (first["message_format_version"], first["is_topics_format"]) == ("0.10.2-IV0", True)
    assert (first["max_transaction_ms"], first["cleanup_policy"]) == (60_000, "delete")
    assert (first["knows_producers"], second["knows_producers"], first["knows_transactions"]) == (
        True,
        False,
        True,
    )
    assert (first["events"], first["not_asked"]) == (
        ["Broker 2 leads now."],
        ["DescribeLogDirs: not allowed"],
    )


def test_producers_transactions_and_aborts_are_rows(tmp_path: Path) -> None:
    found = chunk(tmp_path, WHOLE)
    assert [
        (row["producer_id"], row["current_txn_first_offset"]) for row in rows(found, "captured_producers")
    ] == [(1, 4), (2, None)]
    (transaction,) = rows(found, "captured_transactions")
    assert (transaction["file"], transaction["state"], transaction["partitions"]) == (
        7,
        "Ongoing",
        ["journal-0"],
    )
    assert [(row["producer_id"], row["first_offset"]) for row in rows(found, "captured_aborts")] == [(1, 3)]


def test_settings_are_properties(tmp_path: Path) -> None:
    named = {row["name"]: row["value"] for row in rows(chunk(tmp_path, WHOLE), "properties")}
    assert named["cleanup.policy"] == "delete"
    assert named["broker 1 inter.broker.protocol.version"] == "2.8"


def test_the_brokers_format_holds_where_the_topic_has_none(tmp_path: Path) -> None:
    document = manifest(broker={"log.message.format.version": config("0.11.0")})
    (row,) = rows(chunk(tmp_path, document), "captures")
    assert (row["message_format_version"], row["is_topics_format"]) == ("0.11.0", False)


def test_its_note_says_what_was_captured(tmp_path: Path) -> None:
    note = chunk(tmp_path, WHOLE).note or ""
    assert note.startswith("2 partitions of journal, captured from shop by ada on 2024-02-08")
    assert "It ended early (limit)." in note
    assert "DescribeLogDirs: not allowed" in note


def test_what_nobody_knows_is_null(tmp_path: Path) -> None:
    bare = {"journalscope_capture": 1, "topic": {"name": "journal"}, "partitions": [{"partition": 0}]}
    (row,) = rows(chunk(tmp_path, bare), "captures")
    told = {name for name, value in row.items() if value not in (None, [], False)}
    assert told == {"topic", "file"} | ({"partition", "replica"} & told)


BROKEN = {
    "no JSON": (b'{"journalscope_capture": 1, "topic"', "not JSON"),
    "newer": (b'{"journalscope_capture": 2}', "version 2"),
    "no topic": (b'{"journalscope_capture": 1}', "the topic's name"),
    "a list": (b"[1]", "should be an object"),
    "a text for a number": (
        json.dumps(manifest(partition(high_watermark="9"))).encode(),
        "`high_watermark` of `partitions[0]` of the manifest should be a whole number",
    ),
    "no partition": (json.dumps(manifest({"leader": 1})).encode(), "the partition's number"),
    "too large a number": (json.dumps(manifest(partition(leader=2**40))).encode(), "`leader`"),
    "pairs": (
        json.dumps(manifest(transactions=[{"partitions": [["a"]]}])).encode(),
        "list of pairs",
    ),
    "a text for a list": (json.dumps(manifest(partition(events="x"))).encode(), "should be a list"),
    "a number for a text": (
        json.dumps(manifest(captured_by=7)).encode(),
        "`captured_by` of the manifest should be a text",
    ),
    "a number for a flag": (json.dumps(manifest(partition(is_converted=1))).encode(), "true or false"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_named_and_the_segments_are_read_all_the_same(tmp_path: Path, name: str) -> None:
    content, said = BROKEN[name]
    found = chunk(tmp_path, content)
    assert not found.others
    assert said in (found.note or "")
    assert "The segments are still read" in (found.note or "")
    assert found.damage is not None
    assert found.damage.to_pylist()[0]["reason"] == "bad_companion"
    tables = tables_of(write_capture(tmp_path / "capture", content, {0: [plain(0)]}), tmp_path / "results")
    assert tables.rows("SELECT count(*) AS found FROM records") == [{"found": 1}]
    assert tables.rows("FROM captures") == []


def test_every_cut_is_said_and_nothing_raises(tmp_path: Path) -> None:
    content = json.dumps(WHOLE).encode()
    for size in range(0, len(content), 7):
        assert chunk(tmp_path, content[:size]).damage is not None


def test_changed_bytes_never_raise(tmp_path: Path) -> None:
    draw, content = random.Random(1), json.dumps(WHOLE).encode()
    for _ in range(300):
        changed = bytearray(content)
        changed[draw.randrange(len(changed))] = draw.randrange(256)
        assert chunk(tmp_path, bytes(changed)).note


def test_it_is_known_by_its_content_and_by_its_name(tmp_path: Path) -> None:
    write_capture(tmp_path, WHOLE, {})
    for name in ("other.json", NAME, "journalscope-capture (1).json"):
        best, _ = recognise(InputFile(name, str(tmp_path / NAME), 100))
        assert best is not None
        assert best.id == "capture-manifest"
    (tmp_path / NAME).write_bytes(b'{"topic": "orders", "payload": {"journalscope_capture": 1}}\n')
    best, _ = recognise(InputFile("dump.json", str(tmp_path / NAME), 100))
    assert best is None or best.id != "capture-manifest"


def test_two_captures_of_one_partition_are_two_copies(tmp_path: Path) -> None:
    for name in ("monday", "tuesday"):
        write_capture(tmp_path / name, manifest(), {0: [plain(0)]})
    splits = [split for split in planned(tmp_path).splits if split.source == "capture-manifest"]
    assert [split.detail["replicas"] for split in splits] == [
        {"journal-0": "monday"},
        {"journal-0": "tuesday"},
    ]
