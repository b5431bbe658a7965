"""Journals full of housekeeping: both sides of both thresholds."""

from __future__ import annotations

import pytest

from spark.detectors.apicurio_v3.journal_bloat import LEAST_CALLS, LEAST_SHARE, detector
from tests.spark.read_journals import call, findings

SWEEP = "DeleteAllExpiredDownloads0Message"


@pytest.mark.parametrize(
    ("sweeps", "others", "count"),
    [
        (LEAST_CALLS, 10, 1),
        (LEAST_CALLS - 1, 10, 0),
        (LEAST_CALLS, round(LEAST_CALLS / LEAST_SHARE) - LEAST_CALLS, 1),
        (LEAST_CALLS, round(LEAST_CALLS / LEAST_SHARE) - LEAST_CALLS + 1, 0),
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
