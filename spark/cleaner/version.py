"""How a broker cleans, by its version."""

from __future__ import annotations

from dataclasses import dataclass

Version = tuple[int, ...]

# KAFKA-13727: fixed in these, and in every release after the last of them.
FIXED_13727: tuple[Version, ...] = ((2, 8, 2), (3, 0, 2), (3, 1, 1), (3, 2, 0))


@dataclass(frozen=True)
class Behaviour:
    """What differs between versions.

    has_delete_horizon     from 3.1 (KIP-534): tombstones and markers go by a time written into their batch; before, by
                           the age of their segment
    keeps_last_batch       from 4.0 (KAFKA-17076): the last batch of the cleaned part stays, emptied
    loses_aborted          KAFKA-13727: of the last segment only transactions that begin in the mapped part are taken
                           for aborted
    """

    has_delete_horizon: bool = True
    keeps_last_batch: bool = False
    loses_aborted: bool = False


def behaviour_of(version: str) -> Behaviour:
    """The behaviour of a broker of this version, such as `2.8.1`."""
    number = tuple(int(part) for part in version.split("."))
    return Behaviour(number >= (3, 1), number >= (4, 0), number >= (0, 11) and not is_fixed(number))


def is_fixed(number: Version) -> bool:
    """Whether KAFKA-13727 is fixed in it."""
    same_line = [fixed for fixed in FIXED_13727 if fixed[:2] == number[:2]]
    return number >= same_line[0] if same_line else number >= FIXED_13727[-1]
