"""Illegal sequence: a record with a seq above its offset, in a journal that is no copy as a whole.

Innocent: a seq below the offset (write-race); deletes, which are never checked; records without seq, of another registry.
Page: docs/detectors/illegal-sequence.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._writes import (
    DIALECT,
    REDPANDA_REFERENCES,
    SEQUENCED,
    prepared,
    version_of,
)
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import plural, steps, version_name

AHEAD = f"""
    SELECT * FROM ({SEQUENCED}) WHERE seq > "offset" AND entry_action NOT IN ('delete', 'empty')
    ORDER BY topic, partition, replica, "offset"
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per record that is ahead of the log."""
    return prepared(tables).rows(AHEAD)


def describe(row: Row) -> Finding:
    """The row in words."""
    offset, what = row["offset"], subject_of(row)
    return Finding(
        detector=detector.id,
        severity="critical",
        title=f"{what} at offset {offset} carries seq {row['seq']}, which no node could know yet: it is ignored",
        explanation=(
            f"A node writes seq as the offset it expects its record to take. Offset {row['seq']} did not exist when the record "
            f"at offset {offset} was written (node {row['node']}). A write that lost its race has a seq below its offset, never "
            "above. So the record comes from a copy, from a tool, or from a node that follows another log. "
            "The registry ignores it: what it says does not hold."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=offset,
        last_offset=offset,
        entity=f"sequence:{offset}",
        evidence=[offset],
        remedy=steps(
            [
                "Find out what wrote to the topic at that time: a restore, a mirror, a script.",
                f"Compare {what} in the registry with what it should be, and write it once more over the REST API.",
                "Let only registries write to this topic (ACL).",
                words.look_again(row["topic"]),
            ]
        ),
        references=REDPANDA_REFERENCES,
        entities={version_of(row), f"offset:{offset}"},
    )


def subject_of(row: Row) -> str:
    """What the record is about."""
    if row["entry_type"] == "SCHEMA":
        return version_name(row["entity_id"])
    return f"{row['entry_type']} of {row['subject'] or 'all subjects'}"


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    carry = "carries" if len(findings) == 1 else "carry"
    return f"{plural(len(findings), 'record')} {carry} a seq ahead of the log and {'is' if len(findings) == 1 else 'are'} ignored"


detector = Detector(
    id="illegal-sequence",
    title="Sequence number ahead of the log",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
