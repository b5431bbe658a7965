"""Records and damage of each of several copies of a partition."""

from __future__ import annotations

from pathlib import Path

from tests.generator.segment import Record, segment, segment_name
from tests.spark.whole_pipeline import report_of

RECORDS = [Record(b"key-%d" % number, b"value-%d" % number) for number in range(20)]


def written(folder: Path, data: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / segment_name(0)).write_bytes(data)


def test_each_copy_has_its_own_records_and_damage(tmp_path: Path) -> None:
    data = segment(RECORDS)
    flipped = data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]
    written(tmp_path / "input" / "broker-1" / "orders-0", data)
    written(tmp_path / "input" / "broker-2" / "orders-0", flipped)
    written(tmp_path / "input" / "broker-1" / "other-0", data)
    coverage = report_of(tmp_path / "input", tmp_path / "results")["coverage"]
    copies = coverage["copies_per_partition"]
    assert copies.keys() == {"orders-0"}
    corrupt = {name: copy["corrupt_batches"] for name, copy in copies["orders-0"].items()}
    assert sorted(corrupt.values()) == [0, 1]
    assert {copy["records"] for copy in copies["orders-0"].values()} == {20}
    assert all(copy["is_log"] for copy in copies["orders-0"].values())
