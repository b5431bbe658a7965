"""Logs and dumps without their beginning: where they begin, who needs what lay before, and whether something told that it was deleted.

Compaction keeps the first segment's name, so a first segment named above 0 shows a missing head; of a dump its entries show it
(`_needed_head`), or a start of the log that a tool printed. The broker's own start of the log (a capture, a checkpoint, a print of
kafka-get-offsets) and a cleanup.policy with `delete` tell that the head was deleted; otherwise nothing does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spark.detectors import located
from spark.detectors.apicurio._journals import services
from spark.detectors.log._history_heads import DEBEZIUM, KSQLDB, OF_ENTRIES
from spark.detectors.log._needed_head import late_starts
from spark.log.cluster_settings import NEWEST_CAPTURES, POLICIES, PRINTED_STARTS
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Confidence, Finding
from spark.terms.topic_rules import rules_of
from spark.units.pages import page

# Topics by the names their services give them; a service may be told another name, then its entries tell.
JOURNALS = (
    (re.compile(r"(^|[.-])_schemas"), "schema registry"),
    (re.compile(r"kafkasql-journal"), "Apicurio Registry"),
    (re.compile(r"connect.*[_.-](configs?|offsets?|status(es)?)$"), "Kafka Connect worker"),
    (re.compile(r"_command_topic$"), "ksqlDB server"),
    (re.compile(r"schema[_.-]?(changes|history)|db[_.-]?history"), "Debezium connector"),
)
SOME_SERVICE = "the journal's service"
SNAPSHOT_MARKER = "CreateSnapshot1Message"  # class name in the header `mt`

# The companions tell whether the segments before were there when the folder was copied. A capture's files are named by
# what was asked for: the broker's own word counts.
HEADS = f"""
    WITH {NEWEST_CAPTURES}, {PRINTED_STARTS},
    named AS (
        SELECT {REPLICA_COLUMNS}, name, base_offset, regexp_matches(name, '[0-9]{{20}}[.]log$') AS is_segment
        FROM files
        WHERE topic <> '?' AND base_offset IS NOT NULL AND regexp_matches(name, '[0-9]{{20}}[.](log|index|timeindex|txnindex)$')
    ),
    heads AS (
        SELECT {REPLICA_COLUMNS}, min(base_offset) FILTER (is_segment) AS head_offset,
            arg_min(name, base_offset) FILTER (is_segment) AS name, count_if(is_segment) AS segments,
            min(base_offset) FILTER (NOT is_segment) AS index_offset
        FROM named GROUP BY ALL HAVING head_offset > 0
    ),
    moved_starts AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS log_start_offset FROM checkpoints WHERE kind = 'log_start' GROUP BY ALL
    ),
    reported AS (
        SELECT {REPLICA_COLUMNS}, c.log_start_offset AS told_offset, cleanup_policy FROM newest_captures c
        WHERE c.log_start_offset IS NOT NULL
    )
    SELECT heads.* REPLACE (greatest(coalesce(told_offset, head_offset), log_start_offset) AS head_offset), log_start_offset, told_offset, cleanup_policy,
        printed_start, said_by
    FROM heads LEFT JOIN moved_starts USING ({REPLICA_COLUMNS}) LEFT JOIN reported USING ({REPLICA_COLUMNS})
    LEFT JOIN printed_starts USING (topic, partition)
    WHERE coalesce(told_offset, head_offset) > 0 ORDER BY {REPLICA_COLUMNS}
"""
# What a service tells others, what several may write, and windows that retention deletes are not read back from the start.
INTERPRETED = """
    SELECT topic, any_value(entry_type) AS entry_type FROM entries
    WHERE decode_error IS NULL AND entry_type NOT IN ('Event', 'Snapshot', 'heartbeat', 'checkpoint', 'offset-sync', 'store-window', 'store-session',
        'store-buffer', 'store-join')
    GROUP BY topic
"""
SEGMENTED = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM files WHERE regexp_matches(name, '[0-9]{{20}}[.]log$')
"""
SNAPSHOTS = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM records
    WHERE topic = %s AND list_contains([header.value FOR header IN headers], '{SNAPSHOT_MARKER}'::BLOB)
"""


# Dumps of which a tool printed where the log begins.
PRINTED_HEADS = f"""
    WITH {PRINTED_STARTS},
    dumps AS (
        SELECT {REPLICA_COLUMNS}, min(first_offset) AS dump_offset FROM runs ANTI JOIN ({SEGMENTED}) USING ({REPLICA_COLUMNS})
        GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, printed_start AS head_offset, printed_start, said_by
    FROM dumps JOIN printed_starts USING (topic, partition) WHERE printed_start BETWEEN 1 AND dump_offset ORDER BY {REPLICA_COLUMNS}
"""


# Folders whose first records the broker no longer serves, though a segment has them still.
HIDDEN_HEADS = f"""
    WITH starts AS (
        SELECT {REPLICA_COLUMNS}, max("offset") AS head_offset FROM checkpoints WHERE kind = 'log_start' GROUP BY ALL
    )
    SELECT {REPLICA_COLUMNS}, head_offset, head_offset AS log_start_offset, min(first_offset) AS kept_from
    FROM starts JOIN runs USING ({REPLICA_COLUMNS}) GROUP BY ALL HAVING kept_from < head_offset ORDER BY {REPLICA_COLUMNS}
"""


def beginnings(tables: ResultTables) -> list[dict[str, Any]]:
    """One row per copy of a partition without its head."""
    segmented = {replica_of(row) for row in tables.rows(SEGMENTED)}
    heads: dict[PartitionReplica, dict[str, Any]] = {}
    # Where only a tool or the broker's checkpoint tells it, journals alone count.
    known = with_services(tables, [*tables.rows(PRINTED_HEADS), *tables.rows(HIDDEN_HEADS)])
    for rows in (
        late_starts(tables, segmented),
        [row for row in known if row["service"]],
        with_services(tables, tables.rows(HEADS)),
    ):
        heads |= {replica_of(row): {**NOTHING_TOLD, **heads.get(replica_of(row), {}), **row} for row in rows}
    whole_again = restored(tables, {row["topic"] for row in heads.values() if row["service"]})
    policies = {row["topic"]: row for row in tables.rows(POLICIES)} if heads else {}
    return [
        {**row, **policy_of(row, policies.get(row["topic"], {}))}
        for replica, row in sorted(heads.items())
        if replica not in whole_again
    ]


def policy_of(row: Row, settings: Row) -> dict[str, Any]:
    """The topic's policy and limits; of a capture without them, the policy alone."""
    policy = row.get("cleanup_policy")
    return {**POLICY_UNKNOWN, "policy": policy, "has_limit": "delete" in (policy or ""), **settings}


NOTHING_TOLD = dict.fromkeys(
    (
        "name",
        "kept_from",
        "index_offset",
        "log_start_offset",
        "told_offset",
        "printed_start",
        "said_by",
        "shown",
    )
)
POLICY_UNKNOWN = dict.fromkeys(("policy", "policy_said_by", "retention_ms", "retention_bytes", "has_limit"))


def is_deleted(row: Row) -> bool:
    """Whether something tells that the head was deleted, and not that a copy or a dump leaves it out."""
    if row["printed_start"] is not None:
        return bool(row["printed_start"] >= row["head_offset"])
    if row["told_offset"] is not None or (row["log_start_offset"] or 0) >= row["head_offset"]:
        return True
    has_older_index = row["index_offset"] is not None and row["index_offset"] < row["head_offset"]
    return has_retention(row) and not has_older_index


def is_start_told(row: Row) -> bool:
    """Whether the broker's start of the log is known."""
    starts = (row[name] for name in ("printed_start", "told_offset", "log_start_offset"))
    return any(start is not None and start >= row["head_offset"] for start in starts)


def has_retention(row: Row) -> bool:
    """Whether the topic's settings let the broker delete its oldest segments."""
    return bool(row["has_limit"])


def with_services(tables: ResultTables, heads: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same rows with who replays their topic from its start; null: nobody that is known of."""
    named = service_names(tables) if heads else {}
    return [{**head, "service": service(head["topic"], named)} for head in heads]


def service_names(tables: ResultTables) -> dict[str, str]:
    """Topic -> who replays it from its start, as its entries tell."""
    names = {
        row["topic"]: OF_ENTRIES.get(row["entry_type"], SOME_SERVICE)
        for row in tables.rows(INTERPRETED)
        if not row["topic"].startswith("__")
    }
    return names | {topic: name for topic, name in services(tables).items() if topic in names}


def service(topic: str, named: Mapping[str, str]) -> str | None:
    """Who replays this topic from its start; null: nobody that is known of."""
    for pattern, name in JOURNALS:
        if pattern.search(topic.lower()):
            return name
    return named.get(topic)


def restored(tables: ResultTables, topics: set[str]) -> set[PartitionReplica]:
    """Partitions that hold a snapshot marker: what lay before it is in the snapshot."""
    return {replica_of(row) for topic in sorted(topics) for row in tables.rows(SNAPSHOTS % quoted(topic))}


def finding_of(
    row: Row, detector: str, confidence: Confidence, *, title: str, explanation: str, remedy: str
) -> Finding:
    """The finding on a log without its head: `title`, `explanation` and `remedy` are the detector's own."""
    return Finding(
        detector=detector,
        severity="critical" if row["service"] else "info",
        **located(row, 0, row["head_offset"] - 1),
        entity="head",
        evidence=[row["head_offset"], *row.get("evidence", ())],
        confidence=confidence,
        references=page("detectors", detector).references,
        entities={"head"},
        title=title,
        explanation=explanation,
        remedy=remedy,
    )


def capitalized(name: str) -> str:
    """A service's name at the start of a sentence."""
    return f"{name[:1].upper()}{name[1:]}"


DIALECTS = {KSQLDB: "ksqldb-commands", DEBEZIUM: "debezium-history"}  # of services with keyless topics


def is_keyless(service_name: str | None) -> bool:
    """Whether compaction would remove records that this service needs."""
    dialect = DIALECTS.get(service_name or "")
    return dialect is not None and rules_of(dialect).is_keyless


def matters(offsets: str) -> str:
    """Why it matters; `offsets`: what to call those that are gone."""
    return (
        "A service replays its journal from the first record. After the next start, the service lacks every entry that was written "
        f"only in the {offsets} offsets. A running instance may still have them in memory."
    )
