"""Illegal sequence: a record with a seq above its offset, in a journal that is no copy as a whole.

Innocent: a seq below the offset (write-race); deletes, which are never checked; records without seq, of another registry.
Page: docs/detectors/illegal-sequence.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors._effects import on_entities
from spark.detectors.schemas._writes import (
    DIALECT,
    MISPLACED,
    prepared,
    version_of,
)
from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import version_name

# One row per record that is ahead of the log.
AHEAD = f"""
    {MISPLACED} AND seq > "offset"
    ORDER BY topic, partition, replica, "offset"
"""


def describe(row: Row) -> Finding:
    offset, subject = row["offset"], subject_of(row)
    return Finding(
        detector=detector.id,
        severity="critical",
        effects=on_entities("rejected", row["entry_type"].lower(), [row["entity_id"]]),
        title=f"The registry ignores {subject} (offset {marked.offset(offset)}): its seq {marked.number(row['seq'])} is above its offset",
        explanation=(
            f"A node writes the offset that it expects for its record as seq. Offset {marked.offset(row['seq'])} did not exist when node {marked.number(row['node'])} "
            f"wrote the record at offset {marked.offset(offset)}. If two nodes write at the same time, the later record has a seq below its offset, "
            "never above it. So the record comes from a copy, from a tool, or from a node that reads another log. The registry does "
            "not apply it."
        ),
        **located(row, offset),
        entity=f"sequence:{offset}",
        evidence=[offset],
        remedy=detector.remedy(subject_or_setting=subject, topic=row["topic"]),
        references=detector.references,
        entities={version_of(row), f"offset:{offset}"},
    )


def subject_of(row: Row) -> str:
    """What the record is about."""
    if row["entry_type"] == "SCHEMA":
        return version_name(row["entity_id"])
    return f"{row['entry_type']} of {marked.entity(row['subject'], 'subject') if row['subject'] else 'all subjects'}"


detector = Detector(
    id="illegal-sequence",
    title="Sequence number above the record's offset",
    find=query(AHEAD, prepare=prepared),
    describe=describe,
    headline=clause("the registry ignores {count} with a seq above the record's offset", "record"),
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
