"""What a share may show at each level, said once and apart from the code that redacts."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from itertools import product
from typing import Any

from spark.redaction.options import NAMES
from tests.webapp.sharing.planted.marks import Place

CHOICES = {
    "payloads": (False, True),
    "keys": (False, NAMES, True),
    "headers": (False, True),
    "names": (False, True),
}
Level = dict[str, Any]
LEVELS: list[Level] = [dict(zip(CHOICES, chosen, strict=True)) for chosen in product(*CHOICES.values())]
DEFAULT: Level = {"payloads": False, "keys": NAMES, "headers": False, "names": True}
NEEDS = {
    "key": {"keys"}, "value": {"payloads"}, "header-name": {"headers"}, "header-value": {"headers", "payloads"},
    "topic": {"names"}, "file": {"payloads", "names"}, "upload": {"payloads"},
}  # fmt: skip


def some_levels(seed: str) -> list[Level]:
    """The default, everything, and one more that chance gives to this seed."""
    return [DEFAULT, LEVELS[-1], LEVELS[zlib.crc32(seed.encode()) % len(LEVELS)]]


def title(level: Level) -> str:
    """For a test's name."""
    return (
        ", ".join(f"{name} of keys" if shown == NAMES else name for name, shown in level.items() if shown)
        or "nothing"
    )


def may_show(place: Place, level: Level) -> bool:
    """Whether a share of this level, with the masks that links have by themselves, may show what stands there."""
    names_are_shown = level["names"] and (place.part != "key" or level["keys"] is not False)
    return not place.is_masked and (must_show(place, level) or (place.is_name and names_are_shown))


def must_show(place: Place, level: Level) -> bool:
    """Whether it must: by its part, or because names are shown by default."""
    by_default = place.is_name and place.part == "key" and level["names"] and level["keys"] == NAMES
    return not place.is_masked and (by_default or all(level[flag] is True for flag in NEEDS[place.part]))


def hidden(places: dict[str, Place], level: Level) -> set[str]:
    """Marks that no answer may contain."""
    return {mark for mark, place in places.items() if not may_show(place, level)}


def readable(places: dict[str, Place], level: Level) -> set[str]:
    """Marks that some answer must contain."""
    return {mark for mark, place in places.items() if place.is_readable and must_show(place, level)}


def named(marks: Iterable[str], places: dict[str, Place]) -> list[str]:
    """The places of marks, for a failure's message."""
    return sorted(places[mark].title for mark in marks)
