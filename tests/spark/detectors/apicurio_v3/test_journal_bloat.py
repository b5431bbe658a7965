"""Journals full of housekeeping: both sides of both thresholds."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio_v3.journal_bloat import MIN_CALLS, MIN_SHARE, detector
from tests.builders import other_table
from tests.spark.read_journals import call, findings

SWEEP = "DeleteAllExpiredDownloads0Message"


@pytest.mark.parametrize(
    ("sweeps", "others", "count"),
    [
        (MIN_CALLS, 10, 1),
        (MIN_CALLS - 1, 10, 0),
        (MIN_CALLS, round(MIN_CALLS / MIN_SHARE) - MIN_CALLS, 1),
        (MIN_CALLS, round(MIN_CALLS / MIN_SHARE) - MIN_CALLS + 1, 0),
    ],
    ids=["enough", "too few", "just the share", "below the share"],
)
def test_a_quarter_and_fifty_calls_are_too_many(sweeps: int, others: int, count: int) -> None:
    records = [call("Bootstrap", n) for n in range(others)] + [call(SWEEP, others + n) for n in range(sweeps)]
    found = findings(detector, "apicurio-v3", *records)
    assert [one.severity for one in found] == ["low"] * count


def test_calls_that_cannot_be_read_back_count_too() -> None:
    (found,) = findings(detector, "apicurio-v3", *(call("RecordUsageEvent1Message", n) for n in range(60)))
    assert "60 of 60 records" in found.title


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (None, "neither compaction nor retention removes them"),
        ("delete", "only retention removes them (cleanup.policy=delete)"),
        ("compact", "cleanup.policy=compact removes none of them"),
    ],
)
def test_the_policy_tells_what_becomes_of_them(policy: str | None, said: str) -> None:
    calls = [call("RecordUsageEvent1Message", n) for n in range(60)]
    captures = other_table(
        "captures",
        {"cleanup_policy": policy},
    )
    (found,) = findings(detector, "apicurio-v3", *calls, extra={"captures": captures})
    assert said in found.explanation
