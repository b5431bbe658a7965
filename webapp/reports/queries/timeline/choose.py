"""Which lanes a timeline has: by what the page asks for, with the lanes that somebody pinned."""

from __future__ import annotations

from dataclasses import replace

from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.timeline.axis import COLUMN, AxisRange, whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand
from webapp.reports.queries.timeline.lanes import (
    LaneBy,
    Lanes,
    lanes_by_entity,
    lanes_by_key,
    lanes_by_one,
    lanes_by_type,
    lanes_by_victim,
)
from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.queries.timeline.producers import lanes_by_producer, lanes_by_transaction

REST = {
    "key": "Keys",
    "producer": "Producers",
    "transaction": "Producer id: first offset",
    "partition": "Partitions",
}  # heading of the lanes that are neither pinned nor victims; else the entry types
TYPES = "By entry type"


def lanes_of_window(
    partition: PartitionTables,
    span: AxisRange,
    by: LaneBy,
    pins: Pins,
    by_hand: LanesByHand,
) -> Lanes:
    """The lanes of a partition's window; those that somebody pinned are there also without records."""
    lanes = _lanes(partition, span, by, pins, by_hand)
    always = tuple(lane for lane, identity in lanes.ids.items() if identity in by_hand.pinned)
    return replace(lanes, always=always)


def _lanes(
    partition: PartitionTables,
    span: AxisRange,
    by: LaneBy,
    pins: Pins,
    by_hand: LanesByHand,
) -> Lanes:
    if by == "key":
        is_whole = span == whole_span(partition.facts, span.axis)
        bounds = None if is_whole else {"first": span.first, "last": span.last}
        return lanes_by_key(partition, bounds, COLUMN[span.axis], by_hand.pinned_as("key"))
    if by == "producer":
        return lanes_by_producer(partition, by_hand.pinned_as("producer"))
    if by == "transaction":
        return lanes_by_transaction(partition, span, by_hand.pinned_as("transaction"))
    if by == "partition":
        return lanes_by_one(partition.replica.name, f"partition:{partition.replica.name}")
    if by == "victims":
        return lanes_by_victim(pins)
    if by == "entity" and pins.pins:
        return lanes_by_entity(partition, pins, by_hand.opened_types)
    return lanes_by_type(partition, by_hand.opened_types)
