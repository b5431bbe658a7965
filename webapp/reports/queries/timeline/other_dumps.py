"""Records of pinned entities that only an older dump of the journal has: where the bytes of the victims still are."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.results import WHERE_REPLICA, PartitionResults

OTHERS_DRAWN = 100
ONLY_THERE = f"""
SELECT entity_type, entity_id, dump, origin_offset AS "offset" FROM older_entities
WHERE {WHERE_REPLICA} AND entity_id IN (SELECT unnest($ids)) AND origin_offset NOT IN (
    SELECT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND "offset" IN (
        SELECT origin_offset FROM older_entities WHERE entity_id IN (SELECT unnest($ids))
    )
) ORDER BY "offset" LIMIT {OTHERS_DRAWN}
"""


@dataclass(frozen=True)
class OtherRecord:
    """A record of another dump, and the lane of its entity. `url`: of its page there; empty where the reader has none."""

    offset: int
    lane: str
    dump: str
    url: str = ""


def only_in_other_dumps(partition: PartitionResults, pins: Pins, first: int, last: int) -> list[OtherRecord]:
    """Those between the offsets, of entities with a lane of their own."""
    lanes = {(pin.entity_type, pin.entity_id): pin.lane for pin in pins.pins}
    if not lanes or not partition.results.count("older_entities"):
        return []
    rows = partition.rows(ONLY_THERE, {"ids": sorted({entity_id for _, entity_id in lanes})})
    return [
        OtherRecord(
            row["offset"], lanes[row["entity_type"], row["entity_id"]], row["dump"] or "an older dump"
        )
        for row in rows
        if (row["entity_type"], row["entity_id"]) in lanes and first <= row["offset"] <= last
    ]
