"""The partitions of an inspection and the facts of each: one pass over the lifelines, remembered per result folder."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webapp.reports.results import WHERE_PLACE, Place, Results, Rows

SURVEYS = 64
LANE = """coalesce(entry_type, CASE WHEN kind = 'control' THEN 'Control marker' ELSE 'Record' END)"""

FACTS = f"""
SELECT "topic", "partition", "replica", {LANE} AS lane, kind, count(*) AS records,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) FILTER (timestamp_ms >= 0) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms,
       count_if(timestamp_ms IS NULL OR timestamp_ms < 0) AS without_time
FROM {{lifelines}} GROUP BY ALL
"""
PLACES_WITHOUT_RECORDS = """
SELECT DISTINCT "topic", "partition", "replica" FROM {damage}
UNION SELECT DISTINCT "topic", "partition", "replica" FROM {batches}
"""
KEYS = 'SELECT "topic", "partition", "replica", count(*) AS keys FROM {keys} GROUP BY ALL'
MISSING = (
    """
SELECT cause, count(*) AS gaps, sum(last_offset - first_offset + 1)::BIGINT AS offsets
FROM {gaps} WHERE """
    + WHERE_PLACE
    + " GROUP BY cause ORDER BY cause"
)
DAMAGE = (
    "SELECT count(*) AS stretches, coalesce(sum(size_bytes), 0)::BIGINT AS size_bytes FROM {damage} WHERE "
    + (WHERE_PLACE)
)


@dataclass
class Facts:
    """What the head of a report says of one partition. Times are null where the source has none."""

    place: Place
    records: int = 0
    controls: int = 0
    tombstones: int = 0
    restarts: int = 0
    without_time: int = 0
    keys: int = 0
    first_offset: int | None = None
    last_offset: int | None = None
    first_timestamp_ms: int | None = None
    last_timestamp_ms: int | None = None

    @property
    def marks(self) -> int:
        """Everything a chart could draw."""
        return self.records + self.controls


@dataclass(frozen=True)
class Survey:
    """All partitions of an inspection, the largest first, and the lanes (entry types) of each."""

    facts: dict[Place, Facts]
    lanes: dict[Place, list[str]]

    @property
    def places(self) -> list[Place]:
        """By records, then by name."""
        return sorted(self.facts, key=lambda place: (-self.facts[place].records, place))


def survey(results: Results) -> Survey:
    """Read once per result folder and process."""
    key = (str(results.folder), results.version)
    with _reading:
        if key not in _surveys:
            while len(_surveys) >= SURVEYS:
                _surveys.pop(next(iter(_surveys)))
            _surveys[key] = _make(results)
        return _surveys[key]


_reading = threading.Lock()
_surveys: dict[tuple[str, int], Survey] = {}


def missing_offsets(results: Results, place: Place) -> Rows:
    """Gaps and offsets in them, by cause."""
    return results.rows(MISSING, place=place)


def damage_total(results: Results, place: Place) -> dict[str, Any]:
    """Stretches that could not be read, and their bytes."""
    return results.row(DAMAGE, place=place) or {"stretches": 0, "size_bytes": 0}


def _make(results: Results) -> Survey:
    facts: dict[Place, Facts] = {}
    lanes: dict[Place, dict[str, int]] = {}
    for row in results.rows(FACTS):
        place = Place(row["topic"], row["partition"], row["replica"])
        _add(facts.setdefault(place, Facts(place)), row)
        of_place = lanes.setdefault(place, {})
        of_place[row["lane"]] = of_place.get(row["lane"], 0) + row["records"]
    for row in results.rows(PLACES_WITHOUT_RECORDS):
        place = Place(row["topic"], row["partition"], row["replica"])
        facts.setdefault(place, Facts(place))
    for row in results.rows(KEYS):
        place = Place(row["topic"], row["partition"], row["replica"])
        facts.setdefault(place, Facts(place)).keys = row["keys"]
    return Survey(facts, {place: sorted(of_place) for place, of_place in lanes.items()})


def _add(facts: Facts, row: dict[str, Any]) -> None:
    if row["kind"] == "control":
        facts.controls += row["records"]
    else:
        facts.records += row["records"]
    facts.tombstones += row["records"] if row["kind"] == "tombstone" else 0
    facts.restarts += row["records"] if row["kind"] == "restart" else 0
    facts.without_time += row["without_time"]
    facts.first_offset = _first(min, facts.first_offset, row["first_offset"])
    facts.last_offset = _first(max, facts.last_offset, row["last_offset"])
    if row["last_timestamp_ms"] is not None and row["last_timestamp_ms"] >= 0:
        facts.first_timestamp_ms = _first(min, facts.first_timestamp_ms, row["first_timestamp_ms"])
        facts.last_timestamp_ms = _first(max, facts.last_timestamp_ms, row["last_timestamp_ms"])


def _first(choose: Callable[[int, int], int], known: int | None, new: int | None) -> int | None:
    if known is None or new is None:
        return new if known is None else known
    return choose(known, new)
