"""Write never applied: a schema lost its race for an offset in Redpanda's registry and was not written again.

Innocent: a retry that counts, or another node that wrote the same schema (write-race); a part of the log that compaction
has thinned, where the retry may have stood. Page: docs/detectors/write-never-applied.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.detectors.schemas import _words as words
from spark.detectors.schemas._races import never_applied
from spark.detectors.schemas._writes import DIALECT, RACE_REACH, REDPANDA_REFERENCES
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import at_offsets, listed, plural, steps

RETRIES = 4  # of a write that lost; the log may end before the first of them


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per subject and schema."""
    return never_applied(tables)


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets, seqs = list(row["offsets"]), list(row["seqs"])
    name = f"{row['subject']} version {row['version']}"
    is_sure = row["end_offset"] >= offsets[-1] + RACE_REACH
    pairs = listed(f"seq {seq} at offset {offset}" for seq, offset in zip(seqs, offsets, strict=True))
    return Finding(
        detector=detector.id,
        severity="medium" if row["end_offset"] >= offsets[-1] + RETRIES else "low",
        confidence="proven" if is_sure else "likely",
        title=f"The schema that {name} was to get never took effect: its write at {at_offsets(offsets)} lost the race",
        explanation=(
            f"Node {listed(row['nodes'])} wrote the schema as {name} with id {row['id']}, but another record was quicker: "
            f"{pairs}. The registry ignores a record whose seq is not its offset; the node must then try again. No "
            "later record that counts gives the subject this schema. The client may have been told that it was registered, "
            "and messages may carry the id, which means another schema or none."
            + ("" if is_sure else " The log ends soon after: the retry may still come.")
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=offsets[0],
        last_offset=offsets[-1],
        entity=f"schema:{row['subject']}/{row['version']}@{row['text']}",
        evidence=sorted({*offsets, *seqs}),
        remedy=steps(
            [
                f"Ask the registry for the schema: POST /subjects/{row['subject']} with its text answers 404 if it is not there.",
                f"Register it again: POST /subjects/{row['subject']}/versions. The text stands in offset {offsets[-1]}.",
                "If a producer used the id it was told, look for messages with it: they are read with another schema.",
                words.look_again(row["topic"]),
            ]
        ),
        references=REDPANDA_REFERENCES,
        entities={f"schema:{row['subject']}/{row['version']}", *(f"offset:{offset}" for offset in offsets)},
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    return f"{plural(len(findings), 'schema write')} lost the race and never took effect"


detector = Detector(
    id="write-never-applied",
    title="Write that never took effect",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    needs=frozenset({"offset", "key"}),
    dialects=(DIALECT,),
)
