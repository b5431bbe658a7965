"""Which Kafka releases speak the versions that a broker names. Source: the JSON of the messages, release by release.

A broker with an older `inter.broker.protocol.version` names fewer keys, but the same versions of Produce and Fetch.
"""

from __future__ import annotations

from collections.abc import Mapping

PRODUCE, FETCH = 0, 1
# Lowest (Produce, Fetch) of each step, newest first.
STEPS = (
    ((13, 18), "4.1 or newer"),
    ((12, 17), "4.0"),
    ((11, 17), "3.9"),
    ((11, 16), "3.8"),
    ((10, 16), "3.7"),
    ((9, 15), "3.5 to 3.6"),
    ((9, 13), "3.1 to 3.4"),
    ((9, 12), "2.8 to 3.0"),
    ((8, 12), "2.7"),
    ((8, 11), "2.4 to 2.6"),
    ((7, 11), "2.3"),
    ((7, 10), "2.1 to 2.2"),
    ((6, 8), "2.0"),
    ((5, 7), "1.1"),
    ((5, 6), "1.0"),
    ((3, 5), "0.11"),
    ((2, 3), "0.10.1 to 0.10.2"),
    ((2, 2), "0.10.0"),
)
UNKNOWN = "unknown release"


def release_of(versions: Mapping[int, tuple[int, int]]) -> str:
    """Such as "2.8 to 3.0", from ApiVersions: key -> (lowest, highest)."""
    produce, fetch = (versions.get(key, (0, -1))[1] for key in (PRODUCE, FETCH))
    return next((name for step, name in STEPS if produce >= step[0] and fetch >= step[1]), UNKNOWN)
