"""Copied journal: many records name a seq above their offset, which no writer can; Redpanda ignores them.

Innocent: a seq below the offset (a write that lost its race). Page: docs/detectors/copied-journal.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._writes import DIALECT, REDPANDA_REFERENCES, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps

MAX_EVIDENCE = 50
JOURNAL = "journal"  # the entity that findings about the whole journal share


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition that was copied without its offsets."""
    asked = f"SELECT * EXCLUDE (offsets), offsets[:{MAX_EVIDENCE}] AS offsets FROM registry_copies ORDER BY {REPLICA_COLUMNS}"
    return prepared(tables).rows(asked)


def describe(row: Row) -> Finding:
    """The row in words."""
    first, last = row["first_shift"], row["last_shift"]
    shift = str(first) if first == last else f"{first} at its start, {last} at its end"
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"{row['topic']}-{row['partition']} is a copy whose offsets moved: {plural(row['ahead'], 'record')} from offset "
            f"{row['first_offset']} to {row['last_offset']} name a seq above their own offset"
        ),
        explanation=(
            "Redpanda's schema registry writes into each key the offset that the record will take (seq). No writer can be "
            "ahead of the log, so these records were written elsewhere and copied or restored here; on the way "
            f"offsets that compaction had emptied closed up. The shift is {shift}. The registry ignores each "
            f"record with a value whose seq is not its offset, without a message above debug level: "
            f"{plural(row['ignored'], 'record')} from the first moved one on. Subjects, versions and settings in them are not there for it."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        entity=JOURNAL,
        evidence=list(row["offsets"]),
        remedy=steps(
            [
                "Keep the source of the copy; nothing is lost there.",
                "Stop the registry on the copy, so that nobody registers schemas in a half-empty one.",
                (
                    "Copy again into an empty topic so that every record keeps its offset: fill each missing offset with a "
                    'NOOP record (key {"keytype":"NOOP","magic":0}). Or restore over the REST API: mode IMPORT, then '
                    "each schema with its id and version."
                ),
                words.look_again(row["topic"]),
            ]
        ),
        references=[*REDPANDA_REFERENCES, "https://github.com/redpanda-data/redpanda/issues/6332"],
        entities={JOURNAL},
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    verb = "is a copy" if len(findings) == 1 else "are copies"
    return f"{plural(len(findings), 'journal')} {verb} whose records a Redpanda registry ignores"


detector = Detector(
    id="copied-journal",
    title="Journal copied without its offsets",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
    one_cause="topic",
)
