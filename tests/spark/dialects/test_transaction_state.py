"""Keys and values of `__transaction_state`: both versions, tombstones, damage, real journals."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from spark.dialects import dialects
from spark.dialects.transaction_state import dialect, read_record
from spark.sources import InputFile, log_segment
from tests.builders import records_table
from tests.spark.replays import replayed

CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"
KEY = struct.pack(">hh", 0, 4) + b"till"


def value(
    status: int = 1, partitions: bytes = struct.pack(">ih", 1, 1) + b"t" + struct.pack(">ii", 1, 3)
) -> bytes:
    return struct.pack(">hqhib", 0, 7, 2, 60_000, status) + partitions + struct.pack(">qq", 2000, 1000)


FLEXIBLE = (
    struct.pack(">hqhib", 1, 7, 2, 60_000, 4)
    + b"\x02\x02t\x02" + struct.pack(">i", 3) + b"\x00"
    + struct.pack(">qq", 2000, 1000)
    + b"\x03\x00\x08" + struct.pack(">q", 6) + b"\x02\x02" + struct.pack(">h", 2) + b"\x63\x01\xff"
)  # fmt: skip


def test_version_0_is_read_to_its_last_field() -> None:
    (kind, action, entity, attributes, error, _) = read_record(KEY, value())
    assert (kind, action, entity, error) == ("transaction", "Ongoing", "till", None)
    assert json.loads(attributes or "") == {
        "producerId": 7,
        "producerEpoch": 2,
        "timeoutMs": 60_000,
        "state": "Ongoing",
        "partitions": ["t-3"],
        "lastUpdateTimestamp": 2000,
        "startTimestamp": 1000,
    }


def test_version_1_brings_tags_and_passes_over_those_it_does_not_know() -> None:
    (_, action, _, attributes, error, _) = read_record(KEY, FLEXIBLE)
    read = json.loads(attributes or "{}")
    assert (action, error, read["partitions"]) == ("CompleteCommit", None, ["t-3"])
    assert (read["previousProducerId"], read["clientTransactionVersion"]) == (6, 2)
    assert "nextProducerId" not in read


def test_the_next_epoch_of_a_prepared_transaction_is_read() -> None:
    later = FLEXIBLE.replace(b"\x03\x00\x08", b"\x04\x00\x08").replace(
        b"\x63\x01\xff", b"\x03\x02\x00\x05\x63\x01\xff"
    )
    _, _, _, attributes, error, _ = read_record(KEY, later)
    assert (error, json.loads(attributes or "{}").get("nextProducerEpoch")) == (None, 5)


def test_null_partitions_are_none() -> None:
    (_, action, _, attributes, _, _) = read_record(KEY, value(0, struct.pack(">i", -1)))
    assert (action, json.loads(attributes or "")["partitions"]) == ("Empty", [])


def test_a_null_value_is_a_delete() -> None:
    assert read_record(KEY, None)[:3] == ("transaction", "delete", "till")


@pytest.mark.parametrize("whole", [value(), FLEXIBLE], ids=["version 0", "version 1"])
def test_any_cut_is_an_error_in_words(whole: bytes) -> None:
    for size in range(len(whole)):
        (_, action, entity, _, error, _) = read_record(KEY, whole[:size])
        assert action is None
        assert entity == "till"
        assert error is not None


def test_any_flipped_bit_is_read_or_refused() -> None:
    for whole in (value(), FLEXIBLE):
        for bit in range(len(whole) * 8):
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            assert len(read_record(KEY, bytes(flipped))) == 6


@pytest.mark.parametrize(
    "key", [None, b"", b"\x00\x01\x00\x00", KEY + b"x"], ids=["null", "empty", "v1", "long"]
)
def test_a_key_of_another_kind_is_refused(key: bytes | None) -> None:
    assert read_record(key, value())[4] is not None


def test_it_wins_by_its_bytes_and_by_its_name() -> None:
    rows = records_table({"key": KEY, "value": value()})
    assert dialect.sniff("__transaction_state", rows).score == 100
    assert dialect.sniff("copy-of-state", rows).score > dialects()["plain"].sniff("copy-of-state", rows).score
    assert dialect.sniff("orders", records_table({}, {})).score == 0
    assert dialect.sniff("__transaction_state", records_table({})).score > 50
    assert dialect.sniff("orders", records_table()).score == 0


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus beside the repository")
def test_a_real_journal_gives_the_states_that_its_broker_printed() -> None:
    folder = CORPUS / "internal-real" / "transaction-state-391"
    truth = json.loads((folder / "case.json").read_text())["truth"]["states_by_id"]
    found: dict[str, list[list[object]]] = {}
    for number in (0, 1):
        path = folder / f"__transaction_state-{number}" / "00000000000000000000.log"
        file = InputFile(path.name, str(path), path.stat().st_size)
        for split in log_segment.source.split(file, 0, "__transaction_state", number, ""):
            for chunk in log_segment.source.read(split):
                if chunk.records is None:
                    continue
                for entry in dialect.interpret(chunk.records).to_pylist():
                    place = [f"__transaction_state-{number}", entry["offset"], entry["entry_action"]]
                    name = f"transaction_metadata::transactionalId={entry['entity_id']}"
                    found.setdefault(name, []).append(place)
    assert found == truth


def loaded(*pairs: tuple[bytes | None, bytes | None]) -> tuple[list[str], list[tuple[int, str]]]:
    """Ids that a coordinator knows, and what it refused."""
    rows = [{"offset": n, "key": key, "value": held} for n, (key, held) in enumerate(pairs)]
    state, refusals = replayed(dialect, dialect.interpret(records_table(*rows)))
    refused = [(row["offset"], row["reason"]) for row in refusals.to_pylist()]
    return state.column("entity_id").to_pylist(), refused


def key_of(name: bytes, version: int = 0) -> bytes:
    return struct.pack(">hh", version, len(name)) + name


def test_a_coordinator_stops_to_load_at_a_value_that_it_cannot_read() -> None:
    names, refused = loaded((key_of(b"a"), value()), (key_of(b"b"), value()[:9]), (key_of(b"c"), value()))
    assert names == ["a"]
    assert refused == [(1, "unreadable"), (2, "after-unreadable")]


def test_a_coordinator_passes_over_a_key_of_another_version() -> None:
    names, refused = loaded((key_of(b"b", 7), b"x"), (key_of(b"c"), value()))
    assert (names, refused) == (["c"], [(0, "unreadable")])


@pytest.mark.parametrize(
    ("key", "held", "effect"),
    [
        (None, b"x", "fatal"),
        (b"\x00", b"x", "fatal"),
        (key_of(b"a"), b"\x00\x09", "fatal"),
        (key_of(b"a", 7), b"x", "skipped"),
    ],
)
def test_what_a_coordinator_does_is_said(key: bytes | None, held: bytes, effect: str) -> None:
    assert json.loads(read_record(key, held)[3] or "")["effect"] == effect
