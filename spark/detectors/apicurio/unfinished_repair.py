"""Unfinished repair: the first records of a repair are in the journal, and the rest is missing.

A repair begins with the DELETE of an artifact that it writes again. Each of its records carries a header with the
repair's id, its number and how many there are; DELETEs of repairs from before this header have the request id of
another record. Innocent: a repair whose last record is there; one that a later, finished repair follows; last records
that the cleaner may have removed, where nothing is missing. Page: docs/detectors/unfinished-repair.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spark.detectors import Detector, clause, located
from spark.tables.repair_records import MARKED, UNMARKED_DELETES, unfinished_repair
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_columns, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import offset_range, plural, since_day, some

MAX_NAMED = 20
MAX_EFFECTS = 200
REPAIRED = f"""
    SELECT DISTINCT {REPLICA_COLUMNS} FROM ({MARKED})
    UNION SELECT DISTINCT {REPLICA_COLUMNS} FROM ({UNMARKED_DELETES}) ORDER BY ALL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition with an unfinished repair."""
    for columns in tables.rows(REPAIRED):
        replica = replica_of(columns)
        unfinished = unfinished_repair(tables, replica)
        if unfinished:
            row: dict[str, Any] = {**replica_columns(replica), "offsets": sorted(unfinished.offsets)}
            yield row | {
                "missing": None if unfinished.total is None else unfinished.total - (unfinished.number or 0),
                "total": unfinished.total,
                "written_at_ms": unfinished.written_at_ms,
                "lost": sorted(unfinished.lost),
            }


def describe(row: Row) -> Finding:
    offsets = row["offsets"]
    names = [marked.quote(f"{kind} {name}") for kind, name in row["lost"]]
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{title_of(row)} at {offset_range(offsets[0], offsets[-1])}",
        explanation=(
            f"Journalscope's program ApplyRepair wrote the records at {offset_range(offsets[0], offsets[-1])}"
            f"{since_day(row['written_at_ms']).replace('since', 'on')} and did not finish. A repair deletes an artifact, then writes its "
            f"content and all its records again. {lost_sentence(names)} Nobody asked for these DELETEs."
        ),
        **located(row, offsets[0], offsets[-1]),
        entity="unfinished-repair",
        evidence=offsets[:MAX_NAMED],
        effects=[Effect("lost", kind, name) for kind, name in row["lost"][:MAX_EFFECTS]],
        remedy=detector.remedy(topic=row["topic"]),
        references=detector.references,
        entities={f"artifact:{name}" for kind, name in row["lost"] if kind == "artifact"},
    )


def title_of(row: Row) -> str:
    """`Unfinished repair: 9 of 11 records are missing`."""
    if row["missing"] is None:
        number = len(row["lost"])
        return f"Unfinished repair: {plural(number, 'entity', 'entities')} {'is' if number == 1 else 'are'} missing,"
    verb = "is" if row["missing"] == 1 else "are"
    return f"Unfinished repair: {marked.number(row['missing'])} of {plural(row['total'], 'record')} {verb} missing,"


def lost_sentence(names: list[str]) -> str:
    """What the registry lacks."""
    if not names:
        return "The registry still contains what it contained before."
    return f"Until the rest is written, the registry lacks or changes {some(names, MAX_NAMED)}."


detector = Detector(
    id="unfinished-repair",
    title="Unfinished repair",
    find=find,
    describe=describe,
    headline=clause("a repair of {partitions} is unfinished"),
    dialects=("apicurio-v2", "schema-registry"),
    rows_of="records",
    scope="partition",
)
