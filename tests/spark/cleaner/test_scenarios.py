"""Small logs and what a cleaning leaves of them: offsets of records, last offsets of batches."""

from __future__ import annotations

import pytest

from spark.cleaner.clean import Behaviour, Settings, clean
from spark.cleaner.log import NO_HORIZON, Log
from spark.cleaner.offset_map import build_offset_map
from tests.spark.cleaner.stories import Story, emptied_markers, ends, modified, offsets

DAY_MS = 86_400_000
T_MS = 10 * DAY_MS
LATER_MS = T_MS + DAY_MS + 1


def cleaned(log: Log, now_ms: int = T_MS, dirty: int = 0, **settings: object) -> Log:
    """The log after one pass over all its closed segments."""
    end = int(log.segments.base_offset[-1])
    return clean(log, Settings(**settings), now_ms, dirty, end).log  # type: ignore[arg-type]


def twice(log: Log, **settings: object) -> Log:
    """After a pass, and one more when every horizon that it set is over."""
    return cleaned(cleaned(log, **settings), LATER_MS, **settings)


def test_a_key_written_again_takes_the_record_before() -> None:
    assert offsets(cleaned(Story().data(1, 2).data(1).roll().log())) == [1, 2]


def test_records_without_a_key_go() -> None:
    assert offsets(cleaned(Story().data(1, None, 2).data(None).roll().log())) == [0, 2]


def test_idempotent_producers_keep_their_last_batch() -> None:
    story = Story().data(1, 2, 3, pid=1).data(3, 1, 4, pid=2).data(1, 4, pid=3).roll()
    log = cleaned(story.log())
    assert (offsets(log), ends(log)) == ([1, 3, 6, 7], [2, 5, 7])
    more = cleaned(story.after(log).data(2, pid=4).roll().log())
    assert (offsets(more), ends(more)) == ([3, 6, 7, 8], [2, 5, 7, 8])


def test_aborted_records_supersede_nothing() -> None:
    story = Story().txn(1, 1, 2).txn(2, 2, 3).txn(1, 3, 4).abort(1).commit(2).txn(1, 2).commit(1).roll()
    log = cleaned(story.log())
    assert offsets(log) == [3, 6, 7, 8, 9]
    assert log.aborted == story.log().aborted


def test_a_commit_marker_stays_until_its_horizon() -> None:
    story = Story().txn(1, 1).txn(1, 2, 3).commit(1).txn(1, 2).commit(1).roll()
    log = cleaned(story.log())
    assert offsets(log) == [0, 2, 3, 4, 5]
    log = cleaned(story.after(log).txn(1, 1, 3).commit(1).roll().log())
    assert offsets(log) == [3, 4, 5, 6, 7, 8]
    log = cleaned(log)
    assert offsets(log) == [3, 4, 5, 6, 7, 8]
    assert offsets(cleaned(log, LATER_MS)) == [4, 5, 6, 7, 8]


def test_an_abort_marker_goes_when_its_horizon_is_over() -> None:
    log = Story().txn(1, 1).txn(1, 2, 3).abort(1).txn(1, 3).commit(1).roll().log()
    assert offsets(cleaned(log)) == [3, 4, 5]
    assert offsets(cleaned(cleaned(cleaned(log)), LATER_MS)) == [4, 5]


def test_a_batch_without_messages_read_is_cleaned_all_the_same() -> None:
    log = Story().txn(1, 1).abort(1).txn(1, 2).txn(1, 2).commit(1).roll().log()
    assert offsets(cleaned(log)) == [1, 3, 4]
    assert offsets(cleaned(twice(log), LATER_MS + LATER_MS)) == [3, 4]


def test_commit_markers_stay_with_the_empty_batch_of_their_producer() -> None:
    story = Story().txn(1, 2, 3).txn(2, 2, 3).commit(2).commit(1).data(2).data(3).roll()
    log = cleaned(story.log())
    assert (offsets(log), ends(log)) == ([4, 5, 6, 7], [1, 3, 4, 5, 6, 7])
    log = cleaned(story.after(log).txn(2, 1).commit(2).roll().log())
    assert ends(log) == [1, 4, 5, 6, 7, 8, 9]
    assert ends(twice(log)) == [1, 5, 6, 7, 8, 9]


def test_an_abort_marker_stays_while_its_empty_batch_does() -> None:
    story = Story().txn(1, 2, 3).abort(1).roll()
    log = cleaned(story.log())
    assert (offsets(log), ends(log), len(log.aborted)) == ([2], [1, 2], 1)
    assert offsets(cleaned(log, LATER_MS)) == [2]
    log = cleaned(story.after(log).data(1, pid=1).roll().log())
    assert (offsets(log), len(log.aborted)) == ([2, 3], 1)
    log = cleaned(log)
    assert (offsets(log), len(log.aborted)) == ([2, 3], 0)
    assert offsets(cleaned(log, LATER_MS)) == [3]


def test_a_marker_that_is_all_a_producer_has_stays_empty() -> None:
    log = Story().commit(1).data(2).data(3).roll().log()
    log = twice(log)
    assert (offsets(log), ends(log), emptied_markers(log)) == ([1, 2], [0, 1, 2], [0])
    again = cleaned(log, LATER_MS + DAY_MS)
    assert (offsets(again), ends(again)) == ([1, 2], [0, 1, 2])


def test_a_committed_transaction_over_two_segments_stays() -> None:
    log = Story().txn(1, 1).roll().commit(1).roll().log()
    assert offsets(cleaned(log)) == [0, 1]


def test_an_aborted_transaction_over_two_segments_leaves_marker_and_empty_batch() -> None:
    log = Story().txn(1, 1).roll().abort(1).roll().log()
    once = cleaned(log)
    assert (offsets(once), ends(once)) == ([1], [0, 1])
    late = cleaned(once, LATER_MS)
    assert (offsets(late), ends(late)) == ([1], [0, 1])


def test_tombstones_stay_until_their_horizon() -> None:
    log = Story().data("a", "b").data("a", null=True).roll().log()
    once = cleaned(log)
    assert offsets(once) == [1, 2]
    assert offsets(cleaned(once, T_MS + DAY_MS - 1)) == [1, 2]
    assert offsets(cleaned(once, T_MS + DAY_MS)) == [1]


def test_older_brokers_go_by_the_age_of_the_segment() -> None:
    """At the second pass: the tombstone's segment is `delete.retention.ms` older than the last cleaned one, or not."""
    old = Behaviour(has_delete_horizon=False)
    for age_ms, left in ((DAY_MS, [1, 3]), (DAY_MS - 1, [1, 2, 3])):
        story = Story().data("a", "b").data("a", null=True).roll(T_MS + age_ms).data("c").roll()
        log = cleaned(modified(story.log(), {0: T_MS}), behaviour=old, segment_bytes=1)
        assert offsets(log) == [1, 2, 3]
        assert offsets(cleaned(log, dirty=4, behaviour=old, segment_bytes=1)) == left


def test_format_1_goes_by_the_age_of_the_segment_on_newer_brokers_too() -> None:
    story = Story().data("a", null=True, magic=1).roll(T_MS + DAY_MS).data("b").roll()
    log = modified(story.log(), {0: T_MS})
    assert offsets(cleaned(log, dirty=2, segment_bytes=1)) == [1]
    assert (cleaned(log, segment_bytes=1).batches.horizon_ms == NO_HORIZON).all()


@pytest.mark.parametrize(("keeps", "left"), [(False, [0, 3]), (True, [0, 2, 3])])
def test_from_4_0_on_the_last_batch_of_the_cleaned_part_stays_empty(keeps: bool, left: list[int]) -> None:
    log = Story().data(1).data(2, None).roll().data(2).roll().log()
    behaviour = Behaviour(keeps_last_batch=keeps)
    first = clean(log, Settings(behaviour), T_MS, 0, 4).log
    assert offsets(first) == [0, 3]
    log = Story().data(1).data(None, None).roll().data(2).log()
    ended = clean(log, Settings(behaviour), T_MS, 0, 3).log
    assert ends(ended) == left


@pytest.mark.parametrize(("start", "left"), [(2, [1, 2, 3, 4]), (3, [2, 3, 4]), (4, [3, 4])])
def test_a_map_of_one_key_cleans_a_key_a_time(start: int, left: list[int]) -> None:
    """Keys 0, 1, 0, 1, 0: each pass begins where the one before ended."""
    log = Story().data(0).data(1).data(0).data(1).data(0).roll().log()
    log = cleaned(log, dirty=2, usable_slots=1)
    if start > 2:
        log = cleaned(log, dirty=3, usable_slots=1)
    if start > 3:
        log = cleaned(log, dirty=4, usable_slots=1)
    assert offsets(log) == left


def test_a_full_map_ends_within_a_batch() -> None:
    log = Story().data(0, 1, 2, 3, 4).roll().log()
    found = build_offset_map(log, 2, 5, 2)
    assert (found.newest.tolist(), found.latest_offset) == ([-1, -1, 2, 3, -1], 3)


def test_a_full_map_stops_at_a_key_that_it_holds_already() -> None:
    found = build_offset_map(Story().data(0).data(1).data(0).roll().log(), 0, 3, 2)
    assert found.latest_offset == 1


def test_a_map_that_is_just_large_enough_is_not_full() -> None:
    found = build_offset_map(Story().data(0).data(1).roll().log(), 0, 2, 2)
    assert found.latest_offset == 1


def test_the_dirty_offset_jumps_offsets_that_are_missing() -> None:
    story = Story().data(0)
    story.next = 10
    log = story.roll().data(1).roll().log()
    assert clean(log, Settings(), T_MS, 0, 10).first_dirty_offset == 10


def test_segments_become_one_while_they_fit() -> None:
    log = Story().data(0).roll().data(1).roll().data(2).roll().log()
    assert cleaned(log).segments.base_offset.tolist() == [0, 3]
    assert cleaned(log, segment_bytes=142).segments.base_offset.tolist() == [0, 2, 3]
    assert cleaned(log, segment_bytes=141).segments.base_offset.tolist() == [0, 1, 2, 3]
