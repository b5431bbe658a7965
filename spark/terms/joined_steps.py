"""Steps of several findings that differ only in the partition, or in its offsets, are one step that names each of them.

place => [("offset" | "offsets") offset ["-" offset] " of "] partition
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from spark.terms.marked import CLOSE, CODES, OPEN
from spark.terms.typed_wording import some

MAX_PLACES = 20  # of one step; each finding contains its own
JOIN = "\0"


def mark_of(kind: str) -> str:
    """A regular expression for a value of this kind."""
    return f"{OPEN}{CODES[kind]}[^{CLOSE}]*{CLOSE}"


PLACE = re.compile(f"(?:offsets? {mark_of('offset')}(?:-{mark_of('offset')})? of )?{mark_of('partition')}")


def frame_of(step: str) -> tuple[str, str] | None:
    """The step without its place, and the place; None if it names no partition or several, or names it in a command."""
    places = list(PLACE.finditer(step))
    if len(places) != 1 or step.count("`", 0, places[0].start()) % 2:
        return None
    return PLACE.sub(JOIN, step), places[0][0]


def joined(plans: Mapping[str, Sequence[str]]) -> list[tuple[str | None, str]]:
    """Steps by finding as (the first finding that has it, step); the finding is None where all of them have it. A finding with the
    same steps as an earlier one adds none."""
    findings: dict[object, list[str]] = {}
    places: dict[object, dict[str, None]] = {}
    frames: dict[object, str] = {}
    earlier: set[tuple[str, ...]] = set()
    for finding, steps in plans.items():
        is_repeated = tuple(steps) in earlier
        earlier.add(tuple(steps))
        for step in steps:
            frame, partition = frame_of(step) or (step, "")
            if is_repeated and not partition:
                continue
            key: object = frame if partition else (finding, len(frames))
            frames[key] = frame
            findings.setdefault(key, []).append(finding)
            places.setdefault(key, {})[partition] = None
    return [
        (
            None if set(findings[key]) == plans.keys() else findings[key][0],
            with_places(frame, list(places[key])),
        )
        for key, frame in frames.items()
    ]


def with_places(frame: str, places: Sequence[str]) -> str:
    """The step of a frame."""
    return frame.replace(JOIN, some(places, MAX_PLACES))
