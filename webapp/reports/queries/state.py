"""What the service holds at an offset: rows of `state` that are valid there, those that ended, entries it rejected.

A replay is by the rules of one profile, of the log in one of three views.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webapp.reports.results import WHERE_REPLICA, PartitionResults, Rows, all_of, remembered

ENTITIES_PER_PAGE = 200
BUCKETS = 250  # of the strip of changes
VIEWS = {"log": "current", "next": "after the next compaction", "full": "after full compaction"}
LAYOUTS = ("tree", "list")

FATAL = f"""
SELECT min("offset") AS "offset" FROM entries
WHERE {WHERE_REPLICA} AND decode_error IS NOT NULL AND attributes ->> '$.effect' = 'fatal'
"""
RUN = f"{WHERE_REPLICA} AND profile = $profile AND view = $view"
HELD = "valid_from_offset <= $at AND (valid_to_offset IS NULL OR valid_to_offset > $at)"
# 2 before 10: where the id's last part is a number it is ordered as one.
LAST_PART = "split_part(entity_id, '/', -1)"
IN_ORDER = (
    f"entity_type, left(entity_id, length(entity_id) - length({LAST_PART})), TRY_CAST({LAST_PART} AS BIGINT), "
    "entity_id"
)
PROFILES = f"""
SELECT profile, bool_or(is_own) AS is_own FROM (
    SELECT DISTINCT profile, is_own FROM state WHERE {WHERE_REPLICA}
    UNION SELECT DISTINCT profile, is_own FROM refusals WHERE {WHERE_REPLICA}
) GROUP BY profile ORDER BY is_own DESC, profile
"""
TYPES = f"""
SELECT entity_type, count(*) AS entities FROM state WHERE {RUN} AND {HELD} GROUP BY entity_type ORDER BY entity_type
"""
HELD_ROWS = f"""
SELECT entity_type, entity_id, attributes, valid_from_offset, valid_to_offset, origin_offset
FROM state WHERE {RUN} AND {HELD} AND {{condition}}
"""
GONE = f"""
SELECT entity_type, entity_id, arg_max(attributes, valid_from_offset) AS attributes,
       min(valid_from_offset) AS valid_from_offset, max(valid_to_offset) AS valid_to_offset,
       arg_max(origin_offset, valid_from_offset) AS origin_offset
FROM state WHERE {RUN} AND valid_from_offset <= $at AND {{condition}}
GROUP BY entity_type, entity_id HAVING bool_and(coalesce(valid_to_offset <= $at, false))
"""
REJECTED = f"""
SELECT "offset", entity_type, entity_id, reason, needs, available_from_offset
FROM refusals WHERE {RUN} AND "offset" <= $at AND {{condition}}
"""
LACKING = f"""
SELECT "offset", needs FROM refusals
WHERE {RUN} AND "offset" <= $at AND needs IS NOT NULL AND available_from_offset IS NULL AND "offset" IN (SELECT unnest($offsets))
"""
SOURCES = {"held": HELD_ROWS, "gone": GONE, "refused": REJECTED}
SHOWN = tuple(SOURCES)
MOMENTS = f"""
SELECT valid_from_offset AS moment FROM state WHERE {RUN} AND {{condition}}
UNION ALL SELECT valid_to_offset FROM state WHERE {RUN} AND {{condition}} AND valid_to_offset IS NOT NULL
"""
NEIGHBOURS = f"""
SELECT max(moment) FILTER (moment < $at) AS before, min(moment) FILTER (moment > $at) AS after,
       count(DISTINCT moment) AS moments
FROM ({MOMENTS})
"""
CHANGES = f"""
SELECT least({BUCKETS - 1}, greatest(0, (moment - $first) * {BUCKETS} // ($last - $first + 1))) AS bucket,
       count(*) AS changes
FROM ({MOMENTS}) GROUP BY bucket ORDER BY bucket
"""


@dataclass(frozen=True)
class ReplayView:
    """A replay: the service whose rules it follows, and the log or what compaction leaves of it."""

    profile: str = ""
    view: str = "log"

    @property
    def values(self) -> dict[str, Any]:
        """As SQL parameters."""
        return {"profile": self.profile, "view": self.view}


@dataclass(frozen=True)
class StateQuery:
    """What somebody asks of the state: which entities of which replay, as of which offset."""

    replay: ReplayView
    at: int
    shown: str = "held"
    entity_type: str = ""
    under: str = ""  # an id: itself and what its id begins
    contains: str = ""
    number: int = 1  # of the page
    layout: str = "tree"
    opened: str = ""  # JSON: names of the branches that stand open; empty where nobody chose any

    @property
    def is_narrowed(self) -> bool:
        return bool(self.entity_type or self.under or self.contains)


def profiles_of(partition: PartitionResults) -> Rows:
    """`profile` and `is_own` of every service whose replay there is, the journal's own first; none: not replayed."""
    return partition.rows(PROFILES)


def count_types(partition: PartitionResults, query: StateQuery) -> Rows:
    """Existing entities by type."""
    values = query.replay.values | {"at": query.at}
    return partition.rows(TYPES, values)


def first_fatal(partition: PartitionResults) -> int | None:
    """The first entry that its own service does not start with; None where there is none."""
    offset: int | None = partition.value(FATAL)
    return offset


def list_state(partition: PartitionResults, query: StateQuery) -> tuple[Rows, int]:
    """One page of the list, and the number of all."""
    condition, values = narrowed(query)
    sql = SOURCES[query.shown].replace("{condition}", condition)
    order = '"offset"' if query.shown == "refused" else IN_ORDER
    return partition.page(sql, order, values, query.number, ENTITIES_PER_PAGE)


def count_shown(partition: PartitionResults, query: StateQuery) -> dict[str, int]:
    """Numbers of present and deleted entities and of rejected entries."""
    condition, values = narrowed(query)
    counts = (f"SELECT count(*) FROM ({sql.replace('{condition}', condition)})" for sql in SOURCES.values())
    return dict(zip(SOURCES, (partition.value(sql, values) for sql in counts), strict=True))


def lacking(partition: PartitionResults, query: StateQuery, offsets: list[int]) -> Rows:
    """Of these records those that the service rejects because they need what no record brings."""
    return partition.rows(LACKING, query.replay.values | {"at": query.at, "offsets": offsets})


def neighbours(partition: PartitionResults, query: StateQuery) -> dict[str, Any]:
    """The offsets of the changes `before` and `after` this one, of what the filters leave; null at the ends."""
    condition, values = narrowed(query)
    return partition.row(NEIGHBOURS.replace("{condition}", condition), values) or {}


@remembered
def changes_along(
    partition: PartitionResults, replay: ReplayView, bounds: tuple[int, int]
) -> list[tuple[int, int]]:
    """(bucket of offsets, number of changes)."""
    values = replay.values | {"first": bounds[0], "last": bounds[1]}
    rows = partition.rows(CHANGES.replace("{condition}", "true"), values)
    return [(int(row["bucket"]), row["changes"]) for row in rows]


def narrowed(query: StateQuery) -> tuple[str, dict[str, Any]]:
    """The filters as a condition; its values, with those of the replay and of the offset."""
    condition, values = all_of(
        entity_type=("entity_type = $entity_type", query.entity_type),
        under=("(entity_id = $under OR starts_with(entity_id, $under || '/'))", query.under),
        contains=("contains(lower(entity_id), lower($contains))", query.contains),
    )
    return condition, values | query.replay.values | {"at": query.at}
