"""Which entries of an answer are kept: whole ones, of every format, that were asked for."""

from __future__ import annotations

import pytest

from tests.generator.segment import Record, batch
from workers.capture.entries import DamagedEntry, select_entries
from workers.capture.partition import first_offset

# kafka-python's live data: four messages of v0, offsets 0 to 3.
V0 = bytes.fromhex(
    "000000000000000000000011feb01dbf0000ffffffff0000000331323300000000000000010000000e795748e00000ffffffff"
    "0000000000000000000000020000000e795748e00000ffffffff00000000000000000000000300000011feb01dbf0000ffffffff00000003313233"
)
# kafkajs's: a gzip wrapper of v1 with offset 2, three messages inside.
WRAPPER = bytes.fromhex(
    "0000000000000002000000736c5903de01010000015f88bea1ceffffffff0000005d1f8b080000000000000063608003f573df35b63302198cf1"
    "1dfb169e053258b3532b750d800c9ee2fcdc54ddb2c49cd254301f04402ad5cf30dacd826b3907d36288a6c510aa8509a4856d92c9124c2d4668"
    "5a8c009feeac2599000000"
)
FAR = 2**63 - 1


def made(base_offset, count=2, leader_epoch=0):
    return batch([Record(b"k", b"v")] * count, base_offset, leader_epoch=leader_epoch)


BATCHES = [made(0), made(2, leader_epoch=3), made(10)]
WHOLE = b"".join(BATCHES)


@pytest.mark.parametrize("length", range(len(WHOLE) + 1))
def test_an_answer_cut_anywhere_gives_its_whole_batches(length):
    kept = select_entries(WHOLE[:length], 0, FAR)
    borders = [0, len(BATCHES[0]), len(BATCHES[0] + BATCHES[1]), len(WHOLE)]
    assert kept.end == max(border for border in borders if border <= length)
    assert kept.batches == borders.index(kept.end)
    assert kept.next_offset == [0, 2, 4, 12][kept.batches]
    rest = length - kept.end
    expected = ([0, 2, 10][kept.batches], len(BATCHES[kept.batches])) if rest >= 12 else None
    assert kept.cut == expected


@pytest.mark.parametrize("length", [25, 26, 51, 52, 77, len(V0) - 1, len(V0)])
def test_messages_of_v0_are_entries_too(length):
    kept = select_entries(V0[:length], 0, FAR)
    borders = [0, 29, 55, 81, 110]
    assert kept.end == max(border for border in borders if border <= length)
    assert kept.next_offset == kept.batches
    assert kept.base_offset is None


def test_leader_epochs_of_what_is_kept():
    assert select_entries(WHOLE, 0, FAR).leader_epochs == {0, 3}
    assert select_entries(WHOLE, 0, 2).leader_epochs == {0}


@pytest.mark.parametrize(
    ("to_offset", "batches", "next_offset"),
    [(0, 0, 0), (1, 1, 2), (2, 1, 2), (3, 2, 4), (7, 2, 7), (10, 2, 10), (11, 3, 12)],
)
def test_the_end_is_reached_by_a_whole_batch_or_a_gap(to_offset, batches, next_offset):
    kept = select_entries(WHOLE, 0, to_offset)
    assert (kept.batches, kept.next_offset) == (batches, next_offset)


@pytest.mark.parametrize(("position", "begin"), [(1, 0), (2, 1), (3, 1), (4, 2), (11, 2)])
def test_the_batch_that_holds_the_position_is_kept_whole_and_those_before_are_not(position, begin):
    kept = select_entries(WHOLE, position, FAR)
    assert kept.begin == len(b"".join(BATCHES[:begin]))
    assert kept.base_offset == [0, 2, 10][begin]


def test_offsets_that_go_back_in_the_brokers_file_are_kept_as_they_are():
    kept = select_entries(BATCHES[1] + BATCHES[0] + BATCHES[2], 2, FAR)
    assert (kept.batches, kept.next_offset) == (3, 12)


def test_a_limit_is_passed_by_less_than_a_batch():
    assert select_entries(WHOLE, 0, FAR, 1).batches == 1
    assert select_entries(WHOLE, 0, FAR, len(BATCHES[0])).batches == 1
    assert select_entries(WHOLE, 0, FAR, len(BATCHES[0]) + 1).batches == 2


def test_a_compressed_wrapper_may_hold_the_end():
    assert select_entries(WRAPPER, 0, 1).batches == 1
    assert select_entries(V0, 0, 1).batches == 1
    assert select_entries(V0[29:], 0, 1).batches == 0


def test_a_wrapper_begins_at_its_first_message():
    assert first_offset(memoryview(WRAPPER), 1) == 0
    assert first_offset(memoryview(V0[29:]), 0) == 1


def test_a_wrapper_that_cannot_be_read_begins_where_was_asked():
    assert first_offset(memoryview(WRAPPER[:60] + bytes(len(WRAPPER) - 60)), 7) == 7


@pytest.mark.parametrize("size", [-1, 0, 13])
def test_a_size_that_no_entry_has_is_said_only_when_nothing_comes_before_it(size):
    broken = made(12)[:8] + size.to_bytes(4, "big", signed=True) + made(12)[12:]
    assert select_entries(WHOLE + broken, 0, FAR).batches == 3
    with pytest.raises(DamagedEntry, match=f"offset 12 says that it has {size} bytes"):
        select_entries(broken, 12, FAR)
