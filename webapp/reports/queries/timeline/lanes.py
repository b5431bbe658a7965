"""Lanes of a timeline: records by the entity that an incident names, by entry type, or by key."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from spark.terms.visible import one_line
from webapp.reports.queries.keys import entities_of_keys, hashes_of, key_id, key_texts
from webapp.reports.queries.partitions import LANE, PartitionTables
from webapp.reports.queries.timeline.pins import Pins
from webapp.reports.results import WHERE_REPLICA, PartitionResults

LaneBy = Literal["entity", "victims", "type", "key", "producer", "transaction", "partition"]

KEY_LANES = 30
KEY_ID = re.compile("[0-9a-f]{32}")
NAME_CHARACTERS = 80
OTHER_KEYS = "all other keys"
OTHER_RECORDS = "all other records"
ALL_RECORDS = "all records"
BY_TYPE = f"SELECT *, {LANE} AS lane FROM ({{kinds}}) AS kinds WHERE {{column}} BETWEEN $first AND $last"
BY_ONE = "SELECT *, $name::VARCHAR AS lane FROM ({kinds}) AS kinds WHERE {column} BETWEEN $first AND $last"
BY_VICTIM = """
SELECT marks.*, coalesce(pinned.lane, $rest) AS lane
FROM (SELECT * FROM ({kinds}) WHERE {column} BETWEEN $first AND $last) AS marks
LEFT JOIN (SELECT unnest($pinned_offsets) AS "offset", unnest($pinned_lanes) AS lane) AS pinned USING ("offset")
"""
BY_ENTITY = BY_VICTIM.replace("$rest", LANE)
BY_KEY = f"""
SELECT marks.*, coalesce(top.lane, '{OTHER_KEYS}') AS lane
FROM (SELECT * FROM ({{kinds}}) WHERE {{column}} BETWEEN $first AND $last) AS marks
LEFT JOIN (SELECT unnest($hashes_1) AS key_hash_1, unnest($hashes_2) AS key_hash_2, unnest($names) AS lane) AS top
USING (key_hash_1, key_hash_2)
"""
ENTITY_LANES = 12
MAX_OPENED_RECORDS = 20_000
RECORDS_OF_TYPE = f"""
WITH of_type AS (SELECT DISTINCT "offset", entity_id FROM entries
                 WHERE {WHERE_REPLICA} AND entry_type = $entry_type AND entity_id IS NOT NULL),
     top AS (SELECT entity_id, count(*) AS records FROM of_type GROUP BY entity_id
             ORDER BY records DESC, TRY_CAST(entity_id AS BIGINT), entity_id LIMIT {ENTITY_LANES})
SELECT "offset", entity_id FROM of_type JOIN top USING (entity_id)
ORDER BY records DESC, TRY_CAST(entity_id AS BIGINT), entity_id, "offset" LIMIT {MAX_OPENED_RECORDS}
"""
TOP_KEYS = f"""
SELECT key_hash_1, key_hash_2, count(*) AS records FROM lifelines
WHERE {WHERE_REPLICA} AND {{column}} BETWEEN $first AND $last AND kind <> 'control'
GROUP BY ALL ORDER BY records DESC, key_hash_1 LIMIT {KEY_LANES}
"""
TOP_KEYS_OF_ALL = f"""
SELECT key_hash_1, key_hash_2 FROM keys WHERE {WHERE_REPLICA} ORDER BY versions DESC, key_hash_1 LIMIT {KEY_LANES}
"""


@dataclass(frozen=True)
class Lanes:
    """SQL of the window's records with the lane of each, its values, and the lanes' names from bottom to top.

    `ids`: what an address calls a lane (`content` may be a type, a key and more); a lane without one cannot be pinned.
    """

    sql: str
    values: dict[str, Any]
    names: list[str]
    pinned: tuple[str, ...] = field(default=())
    ids: dict[str, str] = field(default_factory=dict)
    always: tuple[str, ...] = ()  # shown also where they have no record
    inside: tuple[str, ...] = ()  # entities below the lane of their type


def lanes_by_type(partition: PartitionTables, opened: list[str] | None = None) -> Lanes:
    """A lane for each entry type; below one that is `opened` a lane for each of its entities with most records."""
    if opened:
        return lanes_by_entity(partition, Pins(), opened)
    names = partition.survey.lanes_of(partition.replica)[::-1]
    return Lanes(BY_TYPE, {}, names, ids=_ids_of_types(names))


def _ids_of_types(names: list[str]) -> dict[str, str]:
    return {name: f"type:{name}" for name in names}


def lanes_by_entity(partition: PartitionTables, pins: Pins, opened: list[str] | None = None) -> Lanes:
    """A lane for each victim, above the lanes of entry types and of the entities of those that are `opened`."""
    pinned = tuple(pin.lane for pin in pins.pins)
    types = partition.survey.lanes_of(partition.replica)[::-1]
    ids = _ids_of_types(types) | {pin.lane: pin.id for pin in pins.pins}
    lane_by_offset = dict(zip(pins.offsets, pins.lanes, strict=True))
    names: list[str] = []
    for name in types:
        entities = _entities_of_type(partition, name) if name in (opened or []) else {}
        lane_by_offset = entities | lane_by_offset
        names += [*dict.fromkeys(lane for lane in entities.values() if lane not in pinned)][::-1]
        names.append(name)
    values = {
        "pinned_offsets": list(lane_by_offset) or [-1],
        "pinned_lanes": list(lane_by_offset.values()) or [""],
    }
    inside = tuple(name for name in names if name not in types)
    return Lanes(BY_ENTITY, values, [*names, *pinned[::-1]], pinned, ids, inside=inside)


def _entities_of_type(partition: PartitionTables, entry_type: str) -> dict[int, str]:
    """By offset, the lane of the records of its entities with most records, in the order of the lanes."""
    parameters = {"entry_type": entry_type}
    rows = partition.rows(RECORDS_OF_TYPE, parameters)
    return {row["offset"]: one_line(f"{entry_type} {row['entity_id']}"[:NAME_CHARACTERS]) for row in rows}


def lanes_by_victim(pins: Pins) -> Lanes:
    """A lane for each victim and one for all other records: for small figures."""
    pinned = tuple(pin.lane for pin in pins.pins)
    rest = OTHER_RECORDS if pinned else ALL_RECORDS
    values = {"pinned_offsets": pins.offsets or [-1], "pinned_lanes": pins.lanes or [""], "rest": rest}
    return Lanes(BY_VICTIM, values, [rest, *pinned[::-1]], pinned)


def lanes_by_one(name: str, identity: str) -> Lanes:
    return Lanes(BY_ONE, {"name": name}, [name], ids={name: identity})


def lanes_by_key(
    partition: PartitionResults,
    bounds: dict[str, int] | None,
    column: str,
    pinned: list[str] | None = None,
) -> Lanes:
    """A lane for each of the keys with most records within the bounds, or at all, and for those that are pinned (32 hex
    digits, as in addresses of keys); one for all other keys."""
    if bounds is None:
        top = partition.rows(TOP_KEYS_OF_ALL)
    else:
        top = partition.rows(TOP_KEYS.replace("{column}", column), bounds)
    hashes = [(row["key_hash_1"], row["key_hash_2"]) for row in top]
    hashes += [pair for pair in _hashes(pinned or []) if pair not in hashes]
    names = key_names(partition, hashes)
    values = {
        "hashes_1": [first for first, _ in hashes],
        "hashes_2": [second for _, second in hashes],
        "names": names,
    }
    ids = {name: f"key:{key_id(*pair)}" for name, pair in zip(names, hashes, strict=True)}
    return Lanes(BY_KEY, values, [OTHER_KEYS, *names[::-1]], ids=ids)


def _hashes(pinned: list[str]) -> list[tuple[int, int]]:
    return [hashes_of(text) for text in dict.fromkeys(pinned) if KEY_ID.fullmatch(text)]


def key_names(partition: PartitionResults, hashes: list[tuple[int, int]], limit: int = 28) -> list[str]:
    """What people call each key, each name different from the others, in the order of the hashes."""
    entity_name_by_hash = entity_names(partition, hashes)
    texts = key_texts(partition, [pair for pair in hashes if pair not in entity_name_by_hash], limit)
    names: list[str] = []
    times: Counter[str] = Counter()
    for pair in hashes:
        name = entity_name_by_hash.get(pair) or texts.get(pair, "null" if pair == (0, 0) else "unknown key")
        times[name] += 1
        names.append(name if times[name] == 1 else f"{name} ({times[name]})")
    return names


def entity_names(partition: PartitionResults, hashes: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """`Content 48` for a key that its service reads as one; a key of no known service is left out."""
    return {
        pair: one_line(f"{entry_type} {entity_id}".strip()[:NAME_CHARACTERS])
        for pair, (entry_type, entity_id) in entities_of_keys(partition, hashes).items()
    }
