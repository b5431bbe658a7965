"""Copied journal: many records name a seq above their offset, which no writer can; Redpanda ignores them.

Innocent: a seq below the offset (a write that lost its race). Page: docs/detectors/copied-journal.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors.schemas._writes import DIALECT, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import offset_range, plural

MAX_EVIDENCE = 50
JOURNAL = "journal"  # the entity that findings about the whole journal share
# One row per copy of a partition that was copied without its offsets.
COPIES = f"""
    SELECT * EXCLUDE (offsets), offsets[:{MAX_EVIDENCE}] AS offsets FROM registry_copies ORDER BY {REPLICA_COLUMNS}
"""


def describe(row: Row) -> Finding:
    first, last = row["first_shift"], row["last_shift"]
    shift = (
        str(first)
        if first == last
        else f"{marked.number(first)} at its start, {marked.number(last)} at its end"
    )
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"Redpanda registries ignore {plural(row['ignored'], 'record')} of {marked.partition(row['topic'], row['partition'])}: a copy changed the "
            f"offsets ({plural(row['ahead'], 'seq', 'seqs')} above the record's offset, "
            f"{offset_range(row['first_offset'], row['last_offset'])})"
        ),
        explanation=(
            "Redpanda's schema registry writes the expected offset of a record into its key (seq). A seq above the record's offset is "
            "impossible for a record that was written to this log. So these records were copied or restored from another topic, and "
            f"the offsets that compaction had removed there were closed. The shift is {shift}. The registry ignores each record "
            f"with a value whose seq differs from its offset. The registry logs this at debug level only. It ignores "
            f"{plural(row['ignored'], 'record')}, so their subjects, versions and settings do not exist for it."
        ),
        **located(row),
        entity=JOURNAL,
        evidence=list(row["offsets"]),
        remedy=detector.remedy(topic=row["topic"]),
        references=detector.references,
        entities={JOURNAL},
    )


detector = Detector(
    id="copied-journal",
    title="Journal copied with changed offsets",
    find=query(COPIES, prepare=prepared),
    describe=describe,
    headline=clause("Redpanda registries ignore records of {count}: a copy changed the offsets", "journal"),
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
    one_cause="topic",
    befalls=("rejected", "service"),
)
