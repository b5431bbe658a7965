"""Foreign records: the journal holds records that no version of its service writes.

Innocent: nothing; a record that the service writes and cannot read is unreadable-entry. Page:
docs/detectors/foreign-records.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import orjson

from spark.detectors import Detector, clause, located
from spark.detectors._effects import on_records
from spark.detectors.apicurio._journals import V2, V3, services
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, listed, plural

SAMPLED = 200
MAX_TYPE = 18  # of Apicurio Registry 2.x
FOREIGN = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{SAMPLED}] AS offsets
    FROM entries
    WHERE decode_error IS NOT NULL AND attributes LIKE '%"foreign":true%'
        AND coalesce(TRY_CAST(attributes ->> '$.foreign' AS BOOLEAN), false)
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
# A snapshot or an event of Apicurio Registry 3.x has topics of its own.
ASTRAY = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{SAMPLED}] AS offsets
    FROM entries WHERE entry_type IN ('Snapshot', 'Event') AND topic IN (%s)
    GROUP BY ALL ORDER BY {REPLICA_COLUMNS}
"""
KEYS = """SELECT key FROM records WHERE {of_replica} AND "offset" IN ({offsets})"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition that holds such records."""
    owners = services(tables)
    rows = tables.rows(FOREIGN)
    journals = [quoted(topic) for topic, service in owners.items() if service == V3]
    if journals:
        rows += tables.rows(ASTRAY % ", ".join(journals))
    for row in rows:
        offsets = ", ".join(map(str, row["offsets"]))
        keys = tables.rows(KEYS.format(of_replica=is_of(replica_of(row)), offsets=offsets))
        yield {**row, "service": owners.get(row["topic"]), "writers": writers(key["key"] for key in keys)}


def writers(keys: Iterable[bytes | None]) -> list[str]:
    """Who may have written these keys, the most frequent first."""
    return [name for name, _ in Counter(writer_of(key or b"") for key in keys).most_common()]


def writer_of(key: bytes) -> str:
    """The service whose keys look like this one."""
    if len(key) > 1 and key[0] <= MAX_TYPE and key[1:2] == b"{":
        return V2
    members = object_of(key)
    if "messageType" in members:
        return V3
    if "keytype" in members:
        return "a schema registry"
    if members:
        return "a service with JSON keys"
    if key[1:2] == b"{":
        return f"a service that writes type byte {marked.number(key[0])} and JSON, possibly a newer version of the registry"
    return "an unknown service"


def object_of(key: bytes) -> dict[str, Any]:
    """A JSON object's members; none where it is not one."""
    try:
        members = orjson.loads(key)
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}


def describe(row: Row) -> Finding:
    offsets = row["offsets"][:OFFSETS_NAMED]
    more = f" and {grouped(row['records'] - len(offsets))} more" if row["records"] > len(offsets) else ""
    written = listed(row["writers"]) or "an unknown service"
    own = row["service"] or "the service"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_records("rejected", row, offsets),
        title=(
            f"{marked.topic(row['topic'], 'The topic')} contains {plural(row['records'], 'record')} that {own} never writes, at {at_offsets(offsets)}{more}"
        ),
        explanation=(
            f"Their keys look like those of {written}. Two services share the topic, or someone wrote to it manually. "
            f"{sentence_of(own)} skips these records. The service that wrote them may skip or reject the other records of the "
            "topic, start with a part of its data, or fail to start."
        ),
        **located(row),
        entity="foreign",
        evidence=offsets,
        remedy=detector.remedy(),
        references=detector.references,
        entities={f"offset:{offset}" for offset in row["offsets"]},
    )


def sentence_of(service: str) -> str:
    """A service's name at the start of a sentence."""
    return service if service.startswith("Apicurio") else f"The {service.removeprefix('the ')}"


detector = Detector(
    id="foreign-records",
    title="Records written by another service",
    find=find,
    describe=describe,
    headline=clause("{count} records written by another service", "journal contains", "journals contain"),
    rows_of="entries",
    needs=frozenset({"key", "contents"}),
)
