"""The versions of a subject that are alive at the end of a `_schemas` journal, with their schemas parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import orjson

from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables

MAX_VERSIONS = 20_000  # that are parsed, for the time it takes
SEVERAL = "SELECT 1 FROM live_state WHERE entity_type = 'schema' AND suffix(entity_id, '/2') LIMIT 1"
LIVE = f"""
    WITH live AS (
        SELECT {REPLICA_COLUMNS}, regexp_replace(entity_id, '/[^/]*$', '') AS subject, origin_offset AS "offset",
            TRY_CAST(regexp_extract(entity_id, '[^/]*$') AS BIGINT) AS version
        FROM live_state
        WHERE entity_type = 'schema' AND NOT coalesce(json_extract_string(attributes, '$.deleted') = 'true', false)
        QUALIFY count(*) OVER (PARTITION BY {REPLICA_COLUMNS}, subject) > 1
        ORDER BY {REPLICA_COLUMNS}, subject, version LIMIT {MAX_VERSIONS}
    )
    SELECT {REPLICA_COLUMNS}, subject, version, "offset", value
    FROM live JOIN records USING ({REPLICA_COLUMNS}, "offset") WHERE value IS NOT NULL
    ORDER BY {REPLICA_COLUMNS}, subject, version
"""


class LiveVersion(NamedTuple):
    """A live version. `beside`: what else a registry compares: its references, metadata and rules."""

    subject: str
    version: int
    offset: int
    schema_type: str
    text: str
    schema: Any
    beside: bytes


def subjects(tables: ResultTables) -> Iterator[tuple[Row, list[LiveVersion]]]:
    """For each subject with several live versions: its copy of a partition, and those in JSON in their order."""
    rows: Iterable[Row] = tables.rows(LIVE) if tables.rows(SEVERAL) else []
    for _, of_subject in groupby(
        rows, key=lambda row: (row["topic"], row["partition"], row["replica"], row["subject"])
    ):
        members = list(of_subject)
        versions = [version for row in members if (version := version_of(row))]
        if len(versions) > 1:
            yield members[0], versions


def version_of(row: Row) -> LiveVersion | None:
    """None for a schema that is no JSON, such as one of Protobuf."""
    try:
        value: Any = orjson.loads(row["value"])
        text = value["schema"]
        schema = orjson.loads(text)
    except (ValueError, TypeError, KeyError):
        return None
    beside = orjson.dumps(
        [value.get(name) or None for name in ("references", "metadata", "ruleSet")],
        option=orjson.OPT_SORT_KEYS,
    )
    return LiveVersion(
        row["subject"], row["version"], row["offset"], value.get("schemaType") or "AVRO", text, schema, beside
    )
