"""The rate of a capture, by a clock of the test's own."""

from __future__ import annotations

import random

import pytest

from workers.capture.rate import FIRST_ASK, MAX_ASK, MIN_ASK, AskSize, TokenBucket


@pytest.mark.parametrize("bytes_per_second", [50_000, 1_000_000, 80_000_000])
@pytest.mark.parametrize("takes", [0.0, 0.01, 0.2], ids=["at once", "10 ms", "200 ms"])
def test_no_window_of_5_seconds_is_over_the_rate_and_the_whole_comes_near(bytes_per_second, takes):
    now, came = 0.0, []
    rate = TokenBucket(bytes_per_second, now)
    size = AskSize(rate)
    chance = random.Random(1)
    while now < 60:
        now += rate.wait_seconds(now)
        got = min(size.size_bytes, size.largest) * chance.uniform(0.5, 1)
        now += takes
        rate.spend(int(got), now)
        size.took(takes, int(got))
        came.append((now, got))
    for at, _ in came[::7]:
        assert sum(got for when, got in came if at <= when < at + 5) <= 5.3 * bytes_per_second
    if takes < 0.1:
        assert sum(got for _, got in came) >= 0.9 * 60 * bytes_per_second


def test_a_batch_larger_than_the_bucket_is_paid_for_before_the_next():
    rate = TokenBucket(1000, 0.0)
    rate.spend(5000, 1.0)
    assert rate.wait_seconds(1.0) == pytest.approx(5 - 0.125)
    assert rate.wait_seconds(5.875) == pytest.approx(0)


def test_without_a_rate_nothing_waits():
    rate = TokenBucket(None, 0.0)
    rate.spend(10**12, 0.0)
    assert rate.wait_seconds(0.0) == 0


def test_asks_grow_while_answers_are_quick_and_full_and_shrink_when_slow():
    size = AskSize(TokenBucket(None, 0.0))
    assert size.size_bytes == FIRST_ASK
    for _ in range(9):
        size.took(0.1, size.size_bytes)
    assert size.size_bytes == MAX_ASK
    size.took(0.1, 100)
    assert size.size_bytes == MAX_ASK
    for _ in range(20):
        size.took(2.0, size.size_bytes)
    assert size.size_bytes == MIN_ASK
    size.took(0.1, 100)
    assert size.size_bytes == MIN_ASK
