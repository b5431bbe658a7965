"""What to capture: from the form to the `Ask` of the workers, and back into words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webapp.clusters.conftest import ASKED
from webapp.clusters.capture_form import CaptureForm, initial_of, sentence
from workers.capture import CaptureSpec

GIVEN = {"topic": "orders", "start_at": "earliest", "end_at": "latest"}
CASES = {
    "everything": ({}, {}, "all partitions of orders, from the first record to the last record"),
    "some partitions": (
        {"partitions": "5, 3-4;0"},
        {"partitions": [0, 3, 4, 5]},
        "partitions 0, 3-5 of orders, from the first record to the last record",
    ),
    "offsets": (
        {"start_at": "offset", "start_offset": "7", "end_at": "offset", "end_offset": "1200"},
        {"start": {"offset": 7}, "end": {"offset": 1201}},
        "all partitions of orders, from offset 7 to offset 1200",
    ),
    "times": (
        {"start_at": "timestamp_ms", "start_time": "2026-01-31T10:00", "end_at": "timestamp_ms", "end_time": "2026-02-01T00:00:01"},
        {"start": {"timestamp_ms": 1769853600000}, "end": {"timestamp_ms": 1769904001000}},
        "all partitions of orders, from 2026-01-31 10:00:00 UTC to 2026-02-01 00:00:01 UTC",
    ),
    "limits": (
        {"partitions": "2", "max_mb": "5", "mb_per_second": "0.5"},
        {"partitions": [2], "max_bytes": 5_000_000, "bytes_per_second": 500_000},
        "partition 2 of orders, from the first record to the last record, at most 5.0 MB, 500.0 kB a second",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_form_becomes_an_ask_that_the_workers_take_and_back(case: str) -> None:
    given, expected, words = CASES[case]
    form = CaptureForm(GIVEN | given)
    assert form.is_valid(), form.errors
    assert form.spec == ASKED | expected
    assert CaptureSpec.of(form.spec).topic == "orders"
    assert sentence(form.spec) == words
    again = CaptureForm({name: value for name, value in initial_of(form.spec).items() if value is not None})
    assert again.is_valid(), again.errors
    assert again.spec == form.spec


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"topic": "no topic"}, "topic"),
        ({"topic": ".."}, "topic"),
        ({"partitions": "one"}, "partitions"),
        ({"partitions": "0-99999999"}, "partitions"),
        ({"start_at": "offset"}, "start_offset"),
        ({"start_at": "offset", "start_offset": "-1"}, "start_offset"),
        ({"end_at": "offset", "end_offset": str(2**63)}, "end_offset"),
        ({"start_at": "timestamp_ms"}, "start_time"),
        ({"start_at": "offset", "start_offset": "7", "end_at": "offset", "end_offset": "6"}, "end_offset"),
        ({"max_mb": "0"}, "max_mb"),
        ({"mb_per_second": "nan"}, "mb_per_second"),
    ],
)
def test_what_no_capture_can_do_is_refused(given: dict[str, Any], field: str) -> None:
    assert list(CaptureForm(GIVEN | given).errors) == [field]


def test_a_capture_that_goes_on_says_so() -> None:
    assert "from where the last capture stopped to" in sentence(ASKED | {"start": {"offsets": {"0": 5}}})


def test_times_are_in_the_zone_of_the_page_and_keep_it() -> None:
    times = {"start_at": "timestamp_ms", "start_time": "2026-01-31T11:00", "zone": "Europe/Berlin"}
    form = CaptureForm(GIVEN | times)
    assert form.is_valid(), form.errors
    assert form.spec["start"] == {"timestamp_ms": 1769853600000}
    assert form.fields["start_time"].label == "From time (Europe/Berlin)"
    assert "data-zone-fixed" in str(form["zone"])
    again = CaptureForm(initial=initial_of(form.spec))
    assert again.fields["start_time"].label == "From time (UTC)"
    assert "data-zone-fixed" in str(again["zone"])
    assert "data-zone-fixed" not in str(CaptureForm()["zone"])
