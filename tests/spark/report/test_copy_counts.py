"""Records, damage and known checksums of each of several copies of a partition."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.terms.damage import damage, intact
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


DUMPING = "Dumping /data/bills-2/00000000000000000000.log"
BATCH = (
    "baseOffset: %d lastOffset: %d count: 2 partitionLeaderEpoch: 0 isTransactional: false isControl: false position: %d "
    "CreateTime: 1800000000000 size: 90 magic: 2 compresscodec: lz4 %s"
)
WHOLE, LEFT_OUT = "crc: 5 isvalid: true", "..."
LINE = "| offset: %d CreateTime: 1800000000000 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: %d"


def dumped(*ends: str | None) -> str:
    """A print of batches of two records; None: the batch's line is not in it."""
    lines = [DUMPING]
    for number, end in enumerate(ends):
        first = 2 * number
        lines += [] if end is None else [BATCH % (first, first + 1, 90 * number, end)]
        lines += [LINE % (first, 1), LINE % (first + 1, 2)]
    return "\n".join([*lines, ""])


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((WHOLE, WHOLE, WHOLE), "all checksums match"),
        ((WHOLE, LEFT_OUT, WHOLE), "2 of 3 checksums known, all match"),
        ((None, WHOLE, WHOLE), "2 checksums known, all match"),
        ((WHOLE, None, WHOLE), "2 checksums known, all match"),
        ((LEFT_OUT, LEFT_OUT), "no unreadable lines"),
        ((None, None), "no unreadable lines"),
        ((WHOLE, "crc: 5 isvalid: false", LEFT_OUT), "1 batch fails its checksum"),
    ],
)
def test_checksums_of_a_print_match_where_they_are_known(
    ends: tuple[str | None, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "bills.txt").write_text(dumped(*ends))
    coverage = report_of(tmp_path / "input", tmp_path / "results")["coverage"]
    assert coverage["records"] == 2 * len(ends)
    assert damage(coverage) == said
    is_calm = not coverage["corrupt_batches"]
    assert not is_calm or intact(coverage, "bills", 2, "") == said


def test_every_checksum_of_segments_is_known_and_a_dump_beside_them_has_none(tmp_path: Path) -> None:
    written(tmp_path / "input" / "orders-0", segment(RECORDS))
    lines = [
        {"topic": "orders", "partition": 0, "offset": number, "tstype": "create", "ts": 1, "key": f"key-{number}", "payload": f"value-{number}"}
        for number in range(20)
    ]  # fmt: skip
    (tmp_path / "input" / "orders.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    coverage = report_of(tmp_path / "input", tmp_path / "results")["coverage"]
    assert damage(coverage) == "all checksums match"
    copies = coverage["copies_per_partition"]["orders-0"]
    assert {name: intact(coverage, "orders", 0, name) for name in copies} == {
        name: "all checksums match" if copy["is_log"] else "no unreadable lines"
        for name, copy in copies.items()
    }
    assert len(copies) == 2
