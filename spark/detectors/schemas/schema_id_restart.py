"""Schema id restart: new schemas get ids far below the highest, one after the other: the leader had not read to the end.

Innocent: ids that were imported (mode IMPORT); a part of the log that compaction has thinned, unless the ids collide.
Page: docs/detectors/schema-id-restart.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, located
from spark.detectors._effects import on_entities
from spark.detectors.schemas._writes import DIALECT, Gaps, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import at_offsets, grouped, plural

RUN = 3  # new schemas with ids one after the other, at least
FAR = 10  # ids below the highest, at least; and no more than half of it
MAX_EVIDENCE = 50
# A schema is new where its text first gets an id, be it again; the id is far below when those before it went twice as high.
RUNS = f"""
    WITH news AS (
        SELECT {REPLICA_COLUMNS}, context, text, min("offset") AS "offset", id, arg_min(subject, "offset") AS subject
        FROM registry_writes WHERE counts AND entry_type = 'SCHEMA' AND entry_action = 'register' GROUP BY ALL
    ),
    heights AS (
        SELECT *, max(id) OVER (
            PARTITION BY {REPLICA_COLUMNS}, context ORDER BY "offset" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS highest
        FROM news
    ),
    low AS (
        SELECT *, id::HUGEINT - row_number() OVER (PARTITION BY {REPLICA_COLUMNS}, context ORDER BY "offset") AS run
        FROM heights WHERE id <= highest // 2 AND highest::HUGEINT - id >= {FAR}
    )
    SELECT {REPLICA_COLUMNS}, context, count(*) AS schemas, min(id) AS first_id, max(id) AS last_id,
        arg_min(highest, "offset") AS highest, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset") AS offsets, list(subject ORDER BY "offset") AS subjects
    FROM low GROUP BY {REPLICA_COLUMNS}, context, run HAVING count(*) >= {RUN} ORDER BY {REPLICA_COLUMNS}, first_offset
"""
# Modes are compacted, too: where only a later one is left, there may have been an import before it.
IMPORTS = f"""
    SELECT DISTINCT {REPLICA_COLUMNS}, subject FROM registry_writes WHERE entry_type = 'MODE' AND entry_action = 'set'
"""
TAKEN = f"""
    SELECT DISTINCT {REPLICA_COLUMNS}, context, id FROM registry_writes
    WHERE counts AND entry_type = 'SCHEMA' GROUP BY ALL HAVING min(text) <> max(text)
"""
NOOPS = f"""
    SELECT {REPLICA_COLUMNS}, "offset" FROM registry_writes WHERE entry_type = 'NOOP' ORDER BY "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per run of ids that begins anew."""
    runs = prepared(tables).rows(RUNS)
    if not runs:
        return
    gaps = Gaps(tables)
    modes = {(*replica_of(row), row["subject"]) for row in tables.rows(IMPORTS)}
    taken = {(*replica_of(row), row["context"], row["id"]) for row in tables.rows(TAKEN)}
    noops = tables.rows(NOOPS)
    for run in runs:
        replica = replica_of(run)
        ids = range(run["first_id"], run["last_id"] + 1)
        collides = any((*replica, run["context"], schema_id) in taken for schema_id in ids)
        is_imported = any((*replica, subject) in modes for subject in may_import(run))
        if not is_imported and (collides or not gaps.any_in(replica, 0, run["first_offset"])):
            before = [
                n["offset"] for n in noops if replica_of(n) == replica and n["offset"] < run["first_offset"]
            ]
            yield {**run, "started": before[-1] if before else None}


def may_import(run: Row) -> set[str | None]:
    """Whose mode lets these ids be imported: a subject's, its context's, that of all."""
    context = run["context"]
    return {None, "", f":{context}:", ":.__GLOBAL:", *run["subjects"]}


def describe(row: Row) -> Finding:
    offsets = list(row["offsets"])
    start = (
        f" A registry started or took over at offset {marked.offset(row['started'])}."
        if row["started"] is not None
        else ""
    )
    inside = "" if row["context"] == "." else f" of context {marked.name(row['context'])}"
    return Finding(
        detector=detector.id,
        severity="critical",
        effects=on_entities(
            "misread",
            "schema-id",
            [f"{row['context']}/{schema_id}" for schema_id in range(row["first_id"], row["last_id"] + 1)],
        ),
        title=(
            f"{plural(row['schemas'], 'new schema')} at {at_offsets(offsets, 4)} got IDs that can belong to other schemas: the IDs{inside} "
            f"restarted at {marked.number(row['first_id'])} after {marked.number(row['highest'])}"
        ),
        explanation=(
            f"A new schema gets the highest ID that the registry has read, plus one. The highest ID before offset {marked.offset(row['first_offset'])} was "
            f"{marked.number(row['highest'])}, but the next new schemas got IDs {marked.number(row['first_id'])}-{marked.number(row['last_id'])}.{start} The leader had not read the journal to its "
            "end, or it had read another journal. Every ID that was already in use now belongs to two schemas. Consumers can read messages with "
            "such an ID with the wrong schema."
        ),
        **located(row),
        entity=f"schema-ids:{row['context']}@{row['first_offset']}",
        evidence=[*([row["started"]] if row["started"] is not None else []), *offsets[:MAX_EVIDENCE]],
        remedy=detector.remedy(topic=row["topic"], count=row["schemas"]),
        references=detector.references,
        entities={
            f"schema-id:{row['context']}/{schema_id}"
            for schema_id in range(row["first_id"], row["last_id"] + 1)
        },
    )


def headline(findings: list[Finding]) -> str:
    times = "" if len(findings) == 1 else f" {grouped(len(findings))} times"
    return f"new schemas got IDs that can belong to other schemas: schema IDs restarted far below the highest{times}"


detector = Detector(
    id="schema-id-restart",
    title="Schema IDs restarted",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
