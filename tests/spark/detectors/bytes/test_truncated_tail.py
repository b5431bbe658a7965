"""Segments that end in the middle of a batch: when that is normal and when not."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from tests.generator.segment import Record, batch

RECORDS = [Record(b"key", b"value") for _ in range(3)]
WHOLE = b"".join(batch(RECORDS, n * 3) for n in range(3))
CUT = WHOLE[:-20]
INDEX = "00000000000000000000.index"


def test_the_newest_segment_of_a_running_broker_is_info(inspect: Any) -> None:
    index = struct.pack(">ii", 5, 80) + bytes(800)
    (finding,) = inspect({0: CUT, INDEX: index, "00000000000000000003.snapshot": b""})
    assert (finding.detector, finding.severity) == ("truncated-tail", "info")
    assert (finding.first_offset, finding.last_offset) == (6, 8)
    assert "while the broker writes a batch" in finding.explanation


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("00000000000000000009.log", batch(RECORDS, 9), "a later segment starts at offset 9"),
        ("00000000000000000009.log", b"", "a later segment starts at offset 9"),
        ("00000000000000000009.snapshot", b"", "at end offset 9"),
        (INDEX, struct.pack(">ii", 8, 160) + bytes(80), "contains offset 8"),
        ("00000000000000000000.timeindex", struct.pack(">qi", 1_700_000_000_000, 8), "contains offset 8"),
    ],
    ids=["later segment", "later empty segment", "snapshot", "offset index", "time index"],
)
def test_anything_that_shows_the_batch_was_whole_makes_it_medium(
    inspect: Any, name: str, content: bytes, says: str
) -> None:
    (finding,) = inspect({0: CUT, name: content})
    assert (finding.detector, finding.severity) == ("truncated-tail", "medium")
    assert (finding.first_offset, finding.last_offset) == (6, 8)
    assert says in finding.explanation
    assert finding.remedy.startswith("1. Warning: do not restart the broker before this copy is complete.")


def test_a_later_segment_of_another_replica_shows_nothing(inspect: Any) -> None:
    first, later = "a/00000000000000000000.log", "b/00000000000000000009.log"
    (finding,) = inspect({first: CUT, later: batch(RECORDS, 9)})
    assert finding.severity == "info"


def test_without_the_header_the_last_offset_comes_from_the_witness(inspect: Any) -> None:
    (finding,) = inspect({0: WHOLE[: len(WHOLE) // 3 * 2 + 15], "00000000000000000012.snapshot": b""})
    assert (finding.first_offset, finding.last_offset) == (6, 11)


def test_without_any_witness_the_last_offset_is_the_first(inspect: Any) -> None:
    (finding,) = inspect({0: WHOLE[: len(WHOLE) // 3 * 2 + 5]})
    assert (finding.first_offset, finding.last_offset, finding.severity) == (6, 6, "info")


def test_a_whole_segment_is_no_finding(inspect: Any) -> None:
    assert inspect({0: WHOLE, "00000000000000000009.snapshot": b""}) == []


def test_after_a_clean_stop_the_index_hides_the_segment(inspect: Any) -> None:
    def index(last: int) -> bytes:
        return struct.pack(">ii", last, 0)

    hidden = "the broker takes offset 0 as the end of the log: it hides offsets 0-5 and writes new records from offset 0 on"
    (finding,) = inspect({0: CUT, f"{0:020d}.index": index(8)})
    assert hidden in finding.explanation
    (finding,) = inspect({0: CUT, f"{0:020d}.index": index(8), 9: batch(RECORDS, 9)})
    assert "clean stop" not in finding.explanation.replace("unclean stop", "")


def test_more_batches_behind_the_cut_one_are_missing_too(inspect: Any) -> None:
    (finding,) = inspect({0: CUT, 30: batch(RECORDS, 30)})
    assert (finding.first_offset, finding.last_offset) == (6, 29)
    assert "offsets 6-29 are missing" in finding.title


def test_zeros_instead_of_the_last_batches_are_no_reserved_space(inspect: Any) -> None:
    (finding,) = inspect({0: WHOLE[: len(WHOLE) // 3] + bytes(700), "00000000000000000009.snapshot": b""})
    assert (finding.detector, finding.severity) == ("truncated-tail", "medium")
    assert (finding.first_offset, finding.last_offset) == (3, 8)


def test_a_few_zeros_where_the_next_segment_goes_on_cost_nothing(inspect: Any) -> None:
    (finding,) = inspect({0: WHOLE + bytes(5), 9: batch(RECORDS, 9)})
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("info", None, None)
    assert "no offset is missing" in finding.title
