"""Pages of result tables, one copy of a partition after the other, each in the order of one column.

A cursor holds the number of the partition's copy, the value the next page begins at, and how many rows with that
value were sent. Results never change, so it stays right for as long as there are results.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from spark.tables.replica import PartitionReplica
from webapp.api.reports.results import WHERE_REPLICA, PartitionResults, ResultTables, Rows
from webapp.api.rest.cursors import within_page
from webapp.reports.queries.kinds import FORMER_KINDS, KINDS, OF_BYTES, kind_source, kinds_at

ROWS = """
SELECT * FROM {table} WHERE {where} AND {column} {compared} $start ORDER BY {column}, {ties} LIMIT $most OFFSET $skip
"""


@dataclass(frozen=True)
class Listed:
    """A table: the column that gives its order, those that settle ties, and its filters as SQL."""

    table: str
    column: str
    ties: tuple[str, ...]
    text: str
    filters: Mapping[str, tuple[str, str]]  # name in the address -> (condition on $name, what it means)
    address: str = ""
    has_replicas: bool = True
    size: str = ""  # SQL of a row's bytes, where a row may be large

    @property
    def name(self) -> str:
        """In the address."""
        return self.address or self.table


@dataclass(frozen=True)
class ListStart:
    """Where a page begins."""

    number: int = 0  # of the replica
    value: Any = None
    skip: int = 0

    def cursor(self) -> list[Any]:
        """For the address."""
        return [self.number] if self.value is None else [self.number, self.value, self.skip]


OFFSETS = {
    "first": ("{0} >= $first", "from this offset"),
    "last": ("{0} <= $last", "to this offset"),
}


def within(column: str) -> dict[str, tuple[str, str]]:
    """Filters `first` and `last` on a column of offsets."""
    return {name: (condition.format(column), words) for name, (condition, words) in OFFSETS.items()}


def like(name: str, column: str, words: str) -> dict[str, tuple[str, str]]:
    """A filter on equality."""
    return {name: (f"{column} = ${name}", words)}


OFFSET = '"offset"'
OF_KIND = f"""
($kind IN {OF_BYTES} AND kind = $kind OR $kind NOT IN {OF_BYTES} AND "offset" IN (SELECT "offset" FROM ({{kinds}}) WHERE kind = $kind))
"""
LISTED = (
    Listed(
        "lifelines",
        OFFSET,
        ("kind", "key_hash_1", "key_hash_2"),
        "Marks of the timeline: each record and the ones before and after it with the same key",
        within(OFFSET)
        | {"kind": (OF_KIND, " | ".join(KINDS))}
        | like("type", "entry_type", "entry type"),
        address="marks",
    ),
    Listed(
        "entries",
        OFFSET,
        ("file", "entity_id"),
        "Records as the journal's dialect reads them",
        within(OFFSET)
        | like("type", "entry_type", "entry type")
        | like("action", "entry_action", "create | update | delete | ...")
        | like("entity", "entity_id", "the whole id of an entity")
        | {"unreadable": ("(decode_error IS NOT NULL) = $unreadable", "true: unreadable entries only")},
        size="strlen(attributes)",
    ),
    Listed(
        "keys",
        "first_offset",
        ("key_hash_1", "key_hash_2"),
        "Distinct keys",
        within("first_offset")
        | like("type", "entry_type", "entry type")
        | {
            "key": ("contains(coalesce(TRY(decode(\"key\")), \"key\"::VARCHAR), $key)", "part of the key's text"),
            "deleted": ("(live_bytes = 0 AND tombstones > 0) = $deleted", "whether its last record is a tombstone"),
        },
        size='octet_length("key")',
    ),
    Listed(
        "state",
        "valid_from_offset",
        ("view", "profile", "entity_type", "entity_id", "valid_to_offset", "origin_offset"),
        "Versions of entities, as the real service replays the journal",
        within("valid_from_offset")
        | like("view", "view", "log | next | full")
        | like("profile", "profile", "whose rules")
        | like("type", "entity_type", "entity type")
        | like("entity", "entity_id", "the whole id of an entity")
        | {"at": ("valid_from_offset <= $at AND (valid_to_offset IS NULL OR valid_to_offset > $at)", "the state at this offset")},
        size="strlen(attributes)",
    ),
    Listed(
        "refusals",
        OFFSET,
        ("view", "profile", "entity_type", "entity_id", "reason"),
        "Entries that the service rejects, and the reason",
        within(OFFSET) | like("view", "view", "log | next | full") | like("reason", "reason", "id of the reason"),
    ),
    Listed(
        "transactions",
        "coalesce(first_offset, marker_offset)",
        ("producer_id", "producer_epoch", "marker_offset"),
        "Transactions",
        within("coalesce(first_offset, marker_offset)")
        | like("outcome", "outcome", "committed | aborted | open | marker_missing")
        | like("producer", "producer_id", "producer id"),
    ),
    Listed(
        "batches",
        "base_offset",
        ("file", "position"),
        "Record batches",
        within("base_offset") | {"broken": ("(NOT crc_ok) = $broken", "true: corrupt batches only")},
    ),
    Listed(
        "gaps",
        "first_offset",
        ("last_offset", "cause"),
        "Missing offsets, with their cause",
        within("first_offset") | like("cause", "cause", "compaction | retention | damage | unexplained | ..."),
    ),
    Listed(
        "damage",
        "position",
        ("file", "size_bytes", "reason", "detail"),
        "Unreadable bytes",
        like("reason", "reason", "truncated | torn | zeros | not_a_batch | ..."),
    ),
    Listed("epochs", "epoch", ("first_offset",), "Leader epochs", {}),
    Listed("formats", "number", ("first_offset",), "Message formats along the log", {}),
    Listed("cleanings", "\"partition\"", ("why",), "What the log cleaner would do", {}),
    Listed("files", "file", ("name",), "Files of the input", like("kind", "kind", "segment | export | companion | ignored"), has_replicas=False),
)  # fmt: skip


def page_of_table(
    results: ResultTables,
    listed: Listed,
    params: Mapping[str, Any],
    replicas: list[PartitionReplica],
    start: ListStart,
    limit: int,
) -> tuple[Rows, ListStart | None]:
    """Rows, and where the next page begins: behind them, or at the next copy of a partition."""
    conditions = [listed.filters[name][0] for name in listed.filters if name in params]
    values = {name: params[name] for name in listed.filters if name in params}
    if listed.table == "lifelines" and "kind" in values:
        values["kind"] = FORMER_KINDS.get(values["kind"], values["kind"])
    for number in range(start.number, len(replicas) if listed.has_replicas else 1):
        begin = start if number == start.number else ListStart(number)
        tables = results.of(replicas[number]) if listed.has_replicas else results
        rows_of = partial(_rows, tables, listed, conditions, values, begin)
        if listed.size:  # of a page only as much as fits, by the bytes of its rows
            sizes = rows_of(limit, f"{listed.size} AS size")
            limit = within_page([row["size"] or 0 for row in sizes]) or limit
        if rows := rows_of(limit + 1):
            if listed.table == "lifelines":
                rows = _with_kinds(results.of(replicas[number]), rows)
            return rows[:limit], _next(listed, rows, begin, limit, len(replicas))
    return [], None


def _rows(
    tables: ResultTables | PartitionResults,
    listed: Listed,
    conditions: list[str],
    values: dict[str, Any],
    start: ListStart,
    limit: int,
    columns: str = "*",
) -> Rows:
    condition = " AND ".join([WHERE_REPLICA if listed.has_replicas else "true", *conditions])
    # a null in the order has no place in it, so nothing compares it
    compared, value = (">=", start.value) if start.value is not None else ("IS DISTINCT FROM", None)
    sql = ROWS.format(
        table=listed.table,
        where=condition,
        column=listed.column,
        ties=", ".join(listed.ties),
        compared=compared,
    )
    sql = sql.replace("SELECT *", f"SELECT {columns}, {listed.column} AS ordered_by")
    if isinstance(tables, PartitionResults):
        sql = sql.replace("{kinds}", kind_source(tables).sql)
    return tables.rows(sql, values | {"start": value, "most": limit, "skip": start.skip})


def _with_kinds(partition: PartitionResults, rows: Rows) -> Rows:
    kinds = kinds_at(partition, [row["offset"] for row in rows])
    return [row | {"kind": kinds.get(row["offset"], row["kind"])} for row in rows]


def _next(listed: Listed, rows: Rows, start: ListStart, limit: int, replicas: int) -> ListStart | None:
    if len(rows) <= limit:
        is_last = not listed.has_replicas or start.number + 1 >= replicas
        return None if is_last else ListStart(start.number + 1)
    value = rows[limit]["ordered_by"]
    same = sum(row["ordered_by"] == value for row in rows[:limit])
    if value == start.value:
        same += start.skip
    return ListStart(start.number, value, same)
