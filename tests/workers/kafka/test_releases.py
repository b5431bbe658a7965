"""A broker's release from its versions of Produce and Fetch, which are those of the releases named."""

from __future__ import annotations

import pytest

from workers.kafka.releases import UNKNOWN, release_of

# release -> highest Produce and Fetch, from the messages of each release.
KNOWN = {
    "0.10.0": (2, 2), "0.10.1 to 0.10.2": (2, 3), "0.11": (3, 5), "1.0": (5, 6), "1.1": (5, 7), "2.0": (6, 8),
    "2.1 to 2.2": (7, 10), "2.3": (7, 11), "2.4 to 2.6": (8, 11), "2.7": (8, 12), "2.8 to 3.0": (9, 12),
    "3.1 to 3.4": (9, 13), "3.5 to 3.6": (9, 15), "3.7": (10, 16), "3.8": (11, 16), "3.9": (11, 17), "4.0": (12, 17),
    "4.1 or newer": (13, 18),
}  # fmt: skip


@pytest.mark.parametrize(("release", "highest"), KNOWN.items(), ids=KNOWN.keys())
def test_a_release_is_told_by_what_it_speaks(release, highest):
    produce, fetch = highest
    assert release_of({0: (0, produce), 1: (0, fetch)}) == release


def test_a_broker_between_the_releases_is_of_the_older_one():
    assert release_of({0: (0, 9), 1: (0, 14)}) == "3.1 to 3.4"
    assert release_of({0: (3, 99), 1: (4, 99)}) == "4.1 or newer"


def test_what_is_older_than_all_or_no_broker_has_no_release():
    assert release_of({0: (0, 1), 1: (0, 1)}) == UNKNOWN
    assert release_of({}) == UNKNOWN
