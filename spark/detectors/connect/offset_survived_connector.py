"""Offset survived its connector: a source connector was deleted and created again under its name, and went on at the old offset.

Deleting a connector does not delete its offsets. If going on was wanted, nothing is wrong. Innocent: an offset that was deleted before; a new
connector that began at the start; a pause. Page: docs/detectors/offset-survived-connector.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson

from spark.detectors import Detector, DoesNotApply, clause, located
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import moment

CREATED_AGAIN = """
    WITH configs AS (
        SELECT topic, partition, replica, "offset", entity_id AS connector, entry_action FROM entries
        WHERE entry_type = 'connector' AND decode_error IS NULL
    ),
    deleted AS (SELECT DISTINCT topic, replica, connector FROM configs WHERE entry_action = 'delete'),
    steps AS (
        SELECT configs.*, timestamp_ms, lag(entry_action) OVER one AS action_before, lag("offset") OVER one AS deleted_offset,
            lag(timestamp_ms) OVER one AS deleted_ms
        FROM configs SEMI JOIN deleted USING (topic, replica, connector) JOIN lifelines USING (topic, partition, replica, "offset")
        WINDOW one AS (PARTITION BY configs.topic, configs.replica, connector ORDER BY "offset")
    )
    SELECT topic, partition, replica, connector, max("offset") AS "offset", arg_max(timestamp_ms, "offset") AS created_ms,
        arg_max(deleted_offset, "offset") AS deleted_offset, arg_max(deleted_ms, "offset") AS deleted_ms
    FROM steps WHERE action_before = 'delete' AND entry_action <> 'delete' AND timestamp_ms IS NOT NULL AND deleted_ms IS NOT NULL
    GROUP BY topic, partition, replica, connector ORDER BY topic, replica, connector
"""
# The last offset of each source partition before the connector was created again, and the first one since then.
AROUND = """
    WITH mine AS (
        SELECT topic, partition, replica, "offset", entity_id, entry_action, attributes FROM entries
        WHERE entry_type = 'connector-offset' AND decode_error IS NULL AND starts_with(entity_id, {prefix})
    )
    SELECT topic, partition, replica, entity_id, max("offset") FILTER (timestamp_ms < {created}) AS old_offset,
        arg_max(entry_action, "offset") FILTER (timestamp_ms < {created}) AS old_action,
        arg_max(attributes, "offset") FILTER (timestamp_ms < {created}) AS old,
        min("offset") FILTER (timestamp_ms >= {created}) AS new_offset,
        arg_min(entry_action, "offset") FILTER (timestamp_ms >= {created}) AS new_action,
        arg_min(attributes, "offset") FILTER (timestamp_ms >= {created}) AS new
    FROM mine JOIN lifelines USING (topic, partition, replica, "offset")
    GROUP BY topic, partition, replica, entity_id HAVING old_action <> 'delete' AND new_action <> 'delete' ORDER BY new_offset
"""
BOTH = "SELECT count(DISTINCT entry_type) AS kinds FROM entries WHERE entry_type IN ('connector', 'connector-offset')"


def absent(tables: ResultTables) -> str | None:
    """It joins two topics of Connect."""
    kinds = tables.rows(BOTH)[0]["kinds"]
    if kinds == 2:
        return None
    if not kinds:
        return DoesNotApply("the input contains neither configs nor offsets of Kafka Connect")
    return "it compares the configs topic of Kafka Connect with its offsets topic, and the input contains only one of them"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per connector that went on."""
    again: dict[str, Row] = {}
    for row in tables.rows(CREATED_AGAIN):
        again.setdefault(row["connector"], row)
    for connector, created in again.items():
        question = AROUND.format(prefix=quoted(f"{connector}/{{"), created=created["created_ms"])
        went_on = [row for row in tables.rows(question) if is_above(row["old"], row["new"])]
        if went_on:
            yield {**went_on[0], "created": created, "connector": connector, "count": len(went_on)}


def is_above(old_text: str, new_text: str) -> bool:
    """Whether the connector went on: nothing in its first offset is below the old one, and something is above."""
    old, new = orjson.loads(old_text), orjson.loads(new_text)
    if new.get("snapshot") not in (None, False, "false", "last"):
        return False
    orders = [
        order for name in old.keys() & new.keys() if (order := compared(old[name], new[name])) is not None
    ]
    return bool(orders) and min(orders) >= 0 and max(orders) > 0


def compared(old: Any, new: Any) -> int | None:
    """-1, 0, 1; None where values have no order: numbers do, and text of one length, such as log sequence numbers."""
    if isinstance(old, bool) or isinstance(new, bool):
        return None
    if isinstance(old, int | float) and isinstance(new, int | float):
        return (new > old) - (new < old)
    if isinstance(old, str) and isinstance(new, str) and len(old) == len(new):
        return (new > old) - (new < old)
    return None


def describe(row: Row) -> Finding:
    created = row["created"]
    connector = marked.entity(row["connector"], "connector")
    configs = marked.partition(created["topic"], created["partition"])
    offsets = marked.partition(row["topic"], row["partition"])
    return Finding(
        detector=detector.id,
        severity="medium",
        effects=[Effect("at_risk", "connector", row["connector"])],
        title=f"Source connector {connector} was created again and continued at the offset of the deleted one: data before it is not read again",
        explanation=(
            f"{configs} contains the deletion of the connector at offset {marked.offset(created['deleted_offset'])} ({moment(created['deleted_ms'])}) and a "
            f"new config at offset {marked.offset(created['offset'])} ({moment(created['created_ms'])}). Its offset at offset {marked.offset(row['old_offset'])} of "
            f"{offsets}, {marked.quote(row['old'])}, was not deleted. The first offset of the new connector, at offset {marked.offset(row['new_offset'])}, is above it: "
            f"{marked.quote(row['new'])}. So it did not start from the beginning. If the connector had to continue there, nothing is wrong."
        ),
        **located(row, row["old_offset"], row["new_offset"]),
        entity=f"connector:{row['connector']}",
        evidence=[row["old_offset"], row["new_offset"]],
        remedy=detector.remedy(connector=row["connector"], topic=row["topic"]),
        references=detector.references,
        entities={f"connector:{row['connector']}"},
    )


detector = Detector(
    id="offset-survived-connector",
    title="Offset survived its connector",
    find=find,
    describe=describe,
    headline=clause(
        "{count} continued at the offset of a deleted one", "source connector", "source connectors"
    ),
    rows_of="entries",
    needs=frozenset({"timestamps"}),
    dialects=("connect",),
    absent=absent,
    wants="both-topics",
    one_cause="each",
)
