"""What fetches get in segments that are damaged or whose index is: by Kafka's lookup, on files."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from spark.log.fetch_faults import slot_of
from tests.generator.segment import Record, batch
from tests.spark.log_folders import tables_of, write

CASES = Path(__file__).parents[3].parent / "shared" / "corpus" / "brokers" / "damage-2.8.2"
PARTS = [batch([Record(b"key", b"value")] * 3, base) for base in range(0, 18, 3)]
SIZE = len(PARTS[0])
INDEX = f"{0:020d}.index"


def index(*entries: tuple[int, int]) -> bytes:
    return b"".join(struct.pack(">ii", *entry) for entry in entries)


def faults(folder: Path, results: Path) -> list[tuple[Any, ...]]:
    """In ranges: first and last offset, answer, where it continues, records skipped."""
    rows = tables_of(folder, results).rows("FROM fetch_faults ORDER BY first_offset")
    names = ("first_offset", "last_offset", "answer", "continues_at", "records_skipped")
    return [tuple(row[name] for name in names) for row in rows]


def test_an_entry_past_the_end_lets_a_fetch_continue_in_the_next_segment(tmp_path: Path) -> None:
    files: dict[str | int, bytes] = {
        0: b"".join(PARTS[:4]), INDEX: index((5, SIZE), (8, 100 * SIZE), (11, 3 * SIZE)), 12: b"".join(PARTS[4:]),
    }  # fmt: skip
    assert faults(write(tmp_path / "input", files), tmp_path / "results") == [(8, 10, "skips", 12, 4)]


def test_in_the_newest_segment_it_gets_nothing(tmp_path: Path) -> None:
    files: dict[str | int, bytes] = {0: b"".join(PARTS), INDEX: index((8, 100 * SIZE))}
    assert faults(write(tmp_path / "input", files), tmp_path / "results") == [(8, 17, "nothing", None, 10)]


def test_zeros_are_an_error_up_to_the_entry_behind_them(tmp_path: Path) -> None:
    log = b"".join(PARTS[:2]) + bytes(2 * SIZE) + b"".join(PARTS[4:])
    files: dict[str | int, bytes] = {0: log, INDEX: index((5, SIZE), (14, 4 * SIZE))}
    assert faults(write(tmp_path / "input", files), tmp_path / "results") == [(6, 13, "error", None, None)]


def test_a_length_that_passes_the_end_of_the_file_ends_the_search(tmp_path: Path) -> None:
    bent = bytearray(PARTS[2])
    bent[9] ^= 1
    files: dict[str | int, bytes] = {
        0: b"".join([*PARTS[:2], bytes(bent), PARTS[3]]),
        INDEX: index((5, SIZE)),
        12: PARTS[4],
    }
    assert faults(write(tmp_path / "input", files), tmp_path / "results") == [(6, 11, "skips", 12, 3)]


def test_an_intact_segment_and_one_without_an_index_have_none(tmp_path: Path) -> None:
    intact: dict[str | int, bytes] = {0: b"".join(PARTS), INDEX: index((5, SIZE), (14, 4 * SIZE))}
    assert faults(write(tmp_path / "intact", intact), tmp_path / "a") == []
    without: dict[str | int, bytes] = {0: b"".join(PARTS[:2]) + bytes(2 * SIZE) + b"".join(PARTS[4:])}
    assert faults(write(tmp_path / "without", without), tmp_path / "b") == []


def test_entries_out_of_order_are_searched_as_a_broker_does() -> None:
    assert [slot_of([], 5), slot_of([7], 5), slot_of([3, 7], 5), slot_of([3, 7], 7)] == [-1, -1, 0, 1]
    assert slot_of([3, 9, 5, 11], 6) == 2
    many = list(range(0, 4000, 2))
    assert [slot_of(many, target) for target in (0, 5, 3999)] == [0, 2, 1999]


@pytest.mark.skipif(not CASES.exists(), reason="the corpus of damaged folders is not beside the repository")
@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("clean", []),
        ("hole", [(182, 185, "corrupt", None), *[(first, last, "skips", 230) for first, last in ((186, 189), (190, 198), (199, 213), (214, 218), (219, 228), (229, 229))]]),
        ("length-field-flip", [(98, 103, "corrupt", None), (104, 105, "skips", 154)]),
        ("index-past-end", [(169, 176, "skips", 230), (229, 229, "skips", 230)]),
        ("swapped-batches", [(88, 96, "skips", 97), (97, 105, "skips", 154)]),
    ],
)  # fmt: skip
def test_folders_of_a_real_broker(case: str, expected: list[tuple[Any, ...]], tmp_path: Path) -> None:
    assert [fault[:4] for fault in faults(CASES / case, tmp_path)] == expected
