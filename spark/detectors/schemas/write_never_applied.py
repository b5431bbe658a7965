"""Write never applied: a schema lost its race for an offset in Redpanda's registry and was not written again.

Innocent: a retry that counts, or another node that wrote the same schema (write-race); a part of the log that compaction
has thinned, where the retry may have stood. Page: docs/detectors/write-never-applied.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located
from spark.detectors.schemas._races import never_applied
from spark.detectors.schemas._writes import DIALECT, RACE_REACH
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Effect, Finding
from spark.terms.typed_wording import at_offsets, listed

RETRIES = 4  # of a write that lost; the log may end before the first of them


def describe(row: Row) -> Finding:
    offsets, seqs = list(row["offsets"]), list(row["seqs"])
    name = f"{marked.entity(row['subject'], 'subject')} version {marked.name(row['version'])}"
    is_sure = row["end_offset"] >= offsets[-1] + RACE_REACH
    pairs = listed(
        f"seq {marked.number(seq)} at offset {marked.offset(offset)}"
        for seq, offset in zip(seqs, offsets, strict=True)
    )
    return Finding(
        detector=detector.id,
        severity="medium" if row["end_offset"] >= offsets[-1] + RETRIES else "low",
        confidence="proven" if is_sure else "likely",
        title=f"The schema for {name} was not applied: another record took its offset first ({at_offsets(offsets)})",
        explanation=(
            f"Node {listed(map(marked.name, row['nodes']))} wrote the schema as {name} with ID {marked.name(row['id'])}, but another record took its offset first: {pairs}. The "
            "registry ignores a record whose seq differs from its offset. The node must then retry. No later record that the registry applies contains "
            "this schema for the subject. The client may have got a success response, and messages may contain the ID. That ID belongs to another schema "
            "or to none."
            + ("" if is_sure else " The log ends soon after this record, so the retry may follow.")
        ),
        **located(row, *offsets),
        entity=f"schema:{row['subject']}/{row['version']}@{row['text']}",
        evidence=sorted({*offsets, *seqs}),
        remedy=detector.remedy(subject=row["subject"], last_offset=offsets[-1], topic=row["topic"]),
        references=detector.references,
        effects=[Effect("rejected", "version", f"{row['subject']}/{row['version']}")],
        entities={f"schema:{row['subject']}/{row['version']}", *(f"offset:{offset}" for offset in offsets)},
    )


detector = Detector(
    id="write-never-applied",
    title="Schema registration not applied",
    find=never_applied,
    describe=describe,
    headline=clause(
        "{count} not applied: another record took the offset first",
        "schema registration was",
        "schema registrations were",
    ),
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
