"""Lanes that somebody pinned, folded or opened: the address has their ids, so that a link shows the same.

    pin=entity:content:48    this lane above all others, also where it has no record
    fold=type:Rule           no lane: its records are counted in one lane with those of all folded lanes
    open=type:Rule           below the lane of this type one lane for each of the entities with most records
    fold=group:victims       the same for the victims of incidents (`victims`) or all other lanes (`rest`), in a lane of their own

Whatever is folded is counted, never left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from webapp.reports.queries.timeline.pins import Pin
from webapp.reports.queries.timeline.window import Window

MAX_BY_HAND = 40
MAX_ID = 300  # characters
FOLDED = "Folded lanes"
GROUPS = {"group:victims": "Victims of incidents", "group:rest": "All other lanes"}


@dataclass(frozen=True)
class LanesByHand:
    """Ids of pinned, folded and opened lanes, in the order of the address."""

    pinned: tuple[str, ...] = ()
    folded: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()

    @classmethod
    def of(cls, pinned: Iterable[str], folded: Iterable[str], opened: Iterable[str] = ()) -> LanesByHand:
        """From query parameters."""
        return cls(_some(pinned), _some(folded), _some(opened))

    @property
    def opened_types(self) -> list[str]:
        return [lane_id.removeprefix("type:") for lane_id in self.opened if lane_id.startswith("type:")]

    def pinned_as(self, by: str) -> list[str]:
        """Pinned lanes of one kind, without their prefix (`key:`)."""
        return [lane_id.partition(":")[2] for lane_id in self.pinned if lane_id.startswith(f"{by}:")]

    @property
    def entities(self) -> tuple[Pin, ...]:
        pairs = (text.partition(":") for text in self.pinned_as("entity"))
        return tuple(Pin(entity_type, entity_id) for entity_type, _, entity_id in pairs if entity_id)


def _some(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lane_id for lane_id in ids if 0 < len(lane_id) <= MAX_ID))[:MAX_BY_HAND]


def arranged(window: Window, by_hand: LanesByHand) -> Window:
    """The window with pinned lanes on top and folded lanes as one."""
    if by_hand == LanesByHand():
        return window
    name_by_id = {identity: name for name, identity in window.ids.items() if name in window.lanes}
    pinned = tuple(name_by_id[lane_id] for lane_id in by_hand.pinned if lane_id in name_by_id)
    folded = {
        lane: group
        for lane in window.lanes
        if lane not in pinned and (group := _group(lane, window, by_hand.folded))
    }
    return (
        _without_folded(replace(window, pinned_by_hand=pinned, folded=folded)) if folded or pinned else window
    )


def _group(lane: str, window: Window, folded: tuple[str, ...]) -> str:
    """Name of the lane that stands for a folded one; empty where it is not folded."""
    group = "group:victims" if lane in window.pinned else "group:rest"
    if group in folded:
        return GROUPS[group]
    return FOLDED if window.ids.get(lane) in folded else ""


def _without_folded(window: Window) -> Window:
    folded = window.folded
    if not folded:
        return window
    counts: dict[str, int] = {}
    for lane in window.lanes:
        name = folded.get(lane, lane)
        counts[name] = counts.get(name, 0) + window.records_by_lane.get(lane, 0)
    low = [name for name in (FOLDED, GROUPS["group:rest"]) if name in folded.values()]
    top = [name for name in (GROUPS["group:victims"],) if name in folded.values()]
    lanes = [lane for lane in window.lanes if lane not in folded]
    binned = [lane for lane in window.binned if lane not in folded]
    is_left = np.array([lane not in folded for lane in window.marks["lane"].tolist()], dtype=bool)
    return replace(
        window,
        lanes=[*low, *lanes, *top],
        records_by_lane=counts,
        buckets=window.buckets | {"lane": renamed(window.buckets["lane"], folded)},
        marks={name: values[is_left] for name, values in window.marks.items()},
        binned=[*(name for name in (*low, *top) if counts[name]), *binned],
    )


def renamed(lanes: Any, names: dict[str, str]) -> Any:
    """An array of lane names, some of them replaced."""
    return np.array([names.get(lane, lane) for lane in lanes.tolist()], dtype=object)
