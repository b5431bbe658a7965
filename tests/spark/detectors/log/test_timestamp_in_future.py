"""Records dated in the future, by the input's own evidence."""

from __future__ import annotations

from typing import Any

import pytest

from spark.detectors.log import timestamp_in_future
from spark.detectors.log.timestamp_in_future import AHEAD_MS, PLAUSIBLE_UNTIL_MS
from spark.terms.findings import Finding
from tests.builders import lifelines_table
from tests.generator.segment import SOME_TIME_MS as NOW

ID = "timestamp-in-future"
WEEK_MS = 7 * AHEAD_MS


def found(inspect: Any, *times: int | None, **more: Any) -> list[Finding]:
    """Findings over records with these timestamps."""
    return inspect(ID, lifelines=lifelines_table(*({"timestamp_ms": time} for time in times), **more))


def test_a_leap_that_the_log_takes_back_is_found(inspect: Any) -> None:
    (finding,) = found(inspect, NOW, NOW + WEEK_MS, NOW + WEEK_MS + 1, NOW + 2)
    assert (finding.severity, finding.first_offset, finding.last_offset) == ("low", 1, 2)
    assert finding.evidence == [1, 2]
    assert "2 records" in finding.title


@pytest.mark.parametrize(("ahead_ms", "count"), [(AHEAD_MS, 0), (AHEAD_MS + 1, 1)], ids=["a day", "more"])
def test_more_than_a_day_ahead_counts(inspect: Any, ahead_ms: int, count: int) -> None:
    assert len(found(inspect, NOW, NOW + ahead_ms, NOW)) == count


def test_where_most_of_a_log_is_ahead_of_its_end_the_end_went_back(inspect: Any) -> None:
    late = [NOW + WEEK_MS + number for number in range(9)]
    assert found(inspect, NOW, *late, NOW) == []
    (finding,) = found(inspect, NOW, *late, PLAUSIBLE_UNTIL_MS, NOW)
    assert (finding.first_offset, finding.last_offset) == (10, 10)
    assert "1 record" in finding.title


def test_a_pause_in_writing_is_no_leap(inspect: Any) -> None:
    assert found(inspect, NOW, NOW + WEEK_MS, NOW + WEEK_MS + 1) == []


def test_old_data_behind_newer_does_not_make_the_newer_future(inspect: Any) -> None:
    month = [NOW + day * AHEAD_MS // 2 for day in range(60)]
    assert found(inspect, *month, *month[:20]) == []


def test_another_partition_may_be_the_newest_evidence(inspect: Any) -> None:
    leaps = [{"timestamp_ms": time} for time in (NOW, NOW + WEEK_MS, NOW)]
    other = {"timestamp_ms": NOW + WEEK_MS, "partition": 1}
    assert inspect(ID, lifelines=lifelines_table(*leaps, other)) == []


def test_numbers_beyond_2100_are_found_at_the_end_too(inspect: Any) -> None:
    (finding,) = found(inspect, NOW, NOW * 1000)
    assert (finding.first_offset, finding.last_offset) == (1, 1)
    assert "microseconds" in finding.explanation or "micro-" in finding.explanation
    (alone,) = found(inspect, PLAUSIBLE_UNTIL_MS)
    assert alone.first_offset == 0
    assert found(inspect, PLAUSIBLE_UNTIL_MS - 1) == []


def test_records_without_a_time_say_nothing(inspect: Any) -> None:
    assert found(inspect, None, -1, NOW, None) == []


def test_large_logs_are_searched_in_stretches_and_told_by_record(
    inspect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [NOW + n for n in range(100)]
    times[50] += WEEK_MS
    query = timestamp_in_future.RANGES_OF_ODD_LOGS.replace(str(timestamp_in_future.MAX_RANGES), "10")
    monkeypatch.setattr(timestamp_in_future, "RANGES_OF_ODD_LOGS", query)
    (finding,) = found(inspect, *times)
    assert (finding.first_offset, finding.last_offset) == (50, 50)
