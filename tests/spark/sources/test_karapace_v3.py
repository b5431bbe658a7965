from pathlib import Path

import pytest

from spark.sources import Chunk, InputFile
from spark.sources.karapace_v3 import source
from tests.generator import karapace
from tests.generator.journal import Journal, Stored
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.sources.export_samples import JOURNAL
from tests.spark.sources.json_files import Reading, read_file

CORPUS = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "karapace"
NAME = f"{JOURNAL.topic}:{JOURNAL.partition}.data"
LONG = Journal(
    "orders", 3, [Stored(n, Record(b"key-%d" % n, b"value " * 20, SOME_TIME_MS + n)) for n in range(40)]
)


def backup(folder: Path, data: bytes, metadata: bytes | None = None) -> Reading:
    (folder / NAME).write_bytes(data)
    if metadata:
        (folder / "orders.metadata").write_bytes(metadata)
    return read_file(source, folder / NAME)


def test_records_are_exact(tmp_path: Path) -> None:
    reading = backup(tmp_path, karapace.version_3_data(JOURNAL))
    for row, stored in zip(reading.records, JOURNAL.stored, strict=True):
        record = stored.record
        assert (row["offset"], row["key"], row["value"]) == (stored.offset, record.key, record.value)
        assert [(pair["key"], pair["value"]) for pair in row["headers"]] == list(record.headers)
        assert row["timestamp_ms"] == record.timestamp_ms
    assert {(row["topic"], row["partition"]) for row in reading.records} == {("orders", 3)}
    assert "could not be compared" in reading.note


def test_all_checksums_of_a_sound_backup_are_right(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG, records_per_checkpoint=5)
    reading = backup(tmp_path, data, karapace.version_3_metadata(LONG, data))
    assert len(reading.records) == 40
    assert reading.damage == []
    assert "orders.metadata" in reading.note


def test_a_changed_byte_lies_between_two_checksums(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG, records_per_checkpoint=5)
    at = data.index(b"value", data.index(b"key-17"))
    changed = data[:at] + b"V" + data[at + 1 :]
    reading = backup(tmp_path, changed, karapace.version_3_metadata(LONG, data))
    assert len(reading.records) == 40
    (row,) = reading.damage
    assert row["position"] <= at < row["position"] + row["size_bytes"] < len(data)
    assert "changed after the backup was written" in row["detail"]


def test_a_change_behind_the_last_checkpoint_is_told_by_the_metadata(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG)
    metadata = karapace.version_3_metadata(LONG, data)
    reading = backup(tmp_path, data[:-20] + b"X" + data[-19:], metadata)
    assert [row["size_bytes"] for row in reading.damage] == [len(data)]
    assert backup(tmp_path, data, metadata).damage == []


def test_a_backup_that_lacks_its_last_records_is_noticed(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG)
    short = karapace.version_3_data(Journal("orders", 3, LONG.stored[:-1]))
    reading = backup(tmp_path, short, karapace.version_3_metadata(LONG, data))
    assert len(reading.records) == 39
    assert reading.damage


def test_the_next_record_is_found_behind_a_broken_size(tmp_path: Path) -> None:
    data = bytearray(karapace.version_3_data(LONG))
    data[1] = 0x7F
    reading = backup(tmp_path, bytes(data))
    assert reading.column("offset") == list(range(1, 40))
    assert [row["reason"] for row in reading.damage] == ["bad_line"]


def test_a_cut_end_is_damage(tmp_path: Path) -> None:
    reading = backup(tmp_path, karapace.version_3_data(LONG)[:-3])
    assert reading.column("offset") == list(range(39))
    assert [(row["reason"], row["batches_after"]) for row in reading.damage] == [("truncated", False)]


def test_backups_from_5_1_on_have_lost_their_nulls(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG)
    assert "tombstones" in backup(tmp_path, data, karapace.version_3_metadata(LONG, data, "5.1.0")).note
    assert "tombstones" not in backup(tmp_path, data, karapace.version_3_metadata(LONG, data, "5.0.3")).note


def test_the_digest_is_a_property(tmp_path: Path) -> None:
    data = karapace.version_3_data(LONG)
    (tmp_path / NAME).write_bytes(data)
    (split,) = source.split(InputFile(NAME, str(tmp_path / NAME), len(data)), 0, "?", 0, "")
    chunks: list[Chunk] = list(source.read(split))
    rows = chunks[-1].others["properties"].to_pylist()
    assert {row["name"]: row["value"] for row in rows}["karapace.checksum"] == karapace.digest(data).hex()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real backups is not beside the repository")
def test_real_backups() -> None:
    files = sorted(CORPUS.rglob("*.data"))
    assert files
    for path in files:
        reading = read_file(source, path)
        assert reading.column("key") == [b"bar", b"foo"]
        assert reading.column("timestamp_ms") == [1683474641000, 1683474657000]
        assert reading.damage == []
        assert reading.note.startswith("Its length and checksum match")
