"""Unknown message type: a call in the journal of a message class that the registry cannot read back.

Innocent: nothing. Page: docs/detectors/unknown-message-type.md
"""

from __future__ import annotations

from spark.detectors import Detector, located, query
from spark.detectors._effects import on_entities
from spark.dialects.apicurio_v3.message_classes import WRITTEN_BUT_NOT_READ
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, plural

# One row per message class that cannot be read, and copy of a partition.
UNKNOWN = f"""
    SELECT {REPLICA_COLUMNS}, attributes ->> '$.unknownClass' AS message_class, count(*) AS records,
        min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM entries WHERE decode_error IS NOT NULL AND attributes LIKE '%"unknownClass"%'
    GROUP BY ALL HAVING message_class IS NOT NULL ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def describe(row: Row) -> Finding:
    name, offsets = row["message_class"], list(row["offsets"])
    position = f"{'the first ' if row['records'] > len(offsets) else ''}at {at_offsets(offsets)}"
    versions = WRITTEN_BUT_NOT_READ.get(name)
    cause = (
        f"Versions {versions} write this class but cannot read it."
        if versions
        else "No version up to 3.3.1 writes it. Possible causes: a newer version, a changed build, or a shared topic."
    )
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_entities("rejected", "message class", [name]),
        title=(
            f"The registry does not apply {plural(row['records'], 'call')} of {marked.name(name)}: unknown message class ({position})"
        ),
        explanation=(
            f"The header mt names the class with which the registry reads a record. {cause} At every start, the registry ignores "
            "such a record. The registry logs this at debug level only. The effect of the call is lost. Instances that executed the call "
            "before their restart differ from instances that start now."
        ),
        **located(row),
        key=name,
        entity=name,
        evidence=offsets,
        remedy=detector.remedy(),
        references=detector.references,
        entities={f"class:{name}"},
    )


def headline(findings: list[Finding]) -> str:
    classes = plural(len({finding.entity for finding in findings}), "message class", "message classes")
    return f"the registry does not apply calls of {classes} that it cannot read"


detector = Detector(
    id="unknown-message-type",
    title="Unknown message class",
    find=query(UNKNOWN),
    describe=describe,
    headline=headline,
    rows_of="entries",
    scope="partition",
    dialects=("apicurio-v3",),
)
