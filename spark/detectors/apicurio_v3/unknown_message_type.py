"""Unknown message type: a call in the journal of a message class that the registry cannot read back.

Innocent: nothing. Page: docs/detectors/unknown-message-type.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector
from spark.dialects.apicurio_v3.message_classes import WRITTEN_BUT_NOT_READ
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.wording import OFFSETS_NAMED, at_offsets, plural, steps

UNKNOWN = f"""
    SELECT {REPLICA_COLUMNS}, attributes ->> '$.unknownClass' AS message_class, count(*) AS records,
        min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM entries WHERE decode_error IS NOT NULL AND attributes LIKE '%"unknownClass"%'
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per message class that cannot be read, and copy of a partition."""
    return [row for row in tables.rows(UNKNOWN) if row["message_class"] is not None]


def describe(row: Row) -> Finding:
    """The row in words."""
    name, offsets = row["message_class"], list(row["offsets"])
    first = ", the first" if row["records"] > len(offsets) else ""
    versions = WRITTEN_BUT_NOT_READ.get(name)
    cause = (
        f"The versions {versions} write this class, but their reader does not list it."
        if versions
        else "No version up to 3.3.1 writes it: a newer version or a changed build did, or the topic is shared."
    )
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"{plural(row['records'], 'call')} of {name}{first} at {at_offsets(offsets)}, which the registry cannot read"
        ),
        explanation=(
            f"The header mt names the class by which the registry reads a record. {cause} At every start it takes such a "
            "record for a deletion of nothing: what the call did is gone, without a message above debug level, and "
            "instances that did it before they restarted differ from those that start now."
        ),
        topic=row["topic"],
        partition=row["partition"],
        replica=row["replica"],
        first_offset=row["first_offset"],
        last_offset=row["last_offset"],
        key=name,
        entity=name,
        evidence=offsets,
        remedy=steps(
            [
                "Do not restart the instance that still serves everything: export it first.",
                "Find the version that wrote these records (the time of the records tells), and run "
                "all instances with the same one or a later one whose reader knows the class.",
                "Where no version does, do by hand over REST what the calls did.",
            ]
        ),
        references=[
            "https://github.com/Apicurio/apicurio-registry/issues/9532",
            "https://github.com/Apicurio/apicurio-registry/issues/7810",
        ],
        entities={f"class:{name}"},
    )


def headline(findings: list[Finding]) -> str:
    """For the verdict."""
    calls = plural(len({finding.entity for finding in findings}), "kind")
    return f"calls of {calls} that the registry cannot read back"


detector = Detector(
    id="unknown-message-type",
    title="Call that the registry cannot read back",
    find=find,
    describe=describe,
    headline=headline,
    rows_of="entries",
    dialects=("apicurio-v3",),
)
