"""Dead letters: what the headers of a dead-letter topic say, as sentences for `journals[].facts`.

Who wrote them, from which partitions and offsets they come, and why: counted over all records of the topic, one copy of each
partition. The headers: `spark.dialects.dead_letters`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spark.dialects.dead_letters import ID, WRITERS, DeadLetterWriter
from spark.tables import Manifest
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import offset_range, plural, some

MAX_NAMED = 5
# Of several headers with one name the first is the origin, the last the newest failure.
LETTERS = """
    WITH preferred AS (
        SELECT topic, partition, arg_max(replica, (records, replica)) AS replica
        FROM (SELECT topic, partition, replica, count(*) AS records FROM records WHERE topic = $topic GROUP BY ALL) GROUP BY ALL
    ),
    letters AS MATERIALIZED (
        SELECT {topic} AS origin, {partition} AS origin_partition, {at} AS origin_offset, {reader} AS reader, {reason} AS reason,
            TRY_CAST({deliveries} AS BIGINT) AS deliveries
        FROM records SEMI JOIN preferred USING (topic, partition, replica) WHERE control_type IS NULL AND {topic} IS NOT NULL
    )
"""
ORIGINS = """
    SELECT origin, origin_partition, min(origin_offset) AS first_offset, max(origin_offset) AS last_offset, count(*) AS letters
    FROM letters GROUP BY ALL ORDER BY letters DESC, origin, origin_partition
"""
REASONS = "SELECT reason, count(*) AS letters FROM letters GROUP BY ALL ORDER BY letters DESC, reason"
READERS = "SELECT reader, count(*) AS letters FROM letters WHERE reader IS NOT NULL GROUP BY ALL ORDER BY letters DESC, reader"
DELIVERIES = "SELECT max(deliveries) AS deliveries FROM letters"


def with_facts(journals: Sequence[dict[str, Any]], manifest: Manifest) -> list[dict[str, Any]]:
    """The journals of report.json, each with its member `facts`."""
    return [
        journal | {"facts": facts(journal["topic"], manifest) if journal["dialect"] == ID else []}
        for journal in journals
    ]


def facts(topic: str, manifest: Manifest) -> list[str]:
    """Sentences about the dead letters of each writer."""
    tables = ResultTables.open(manifest)
    return [sentence for writer in WRITERS for sentence in sentences(writer, topic, tables)]


def sentences(writer: DeadLetterWriter, topic: str, tables: ResultTables) -> list[str]:
    """Of one writer; none if it wrote none of them."""
    letters = LETTERS.format(
        topic=text_of(writer.topic, "first"),
        partition=number_of(writer, writer.partition),
        at=number_of(writer, writer.offset),
        reader=text_of(writer.reader, "last"),
        reason=f"coalesce({', '.join(text_of(name, 'last') for name in writer.reasons)})",
        deliveries=text_of(writer.deliveries, "last"),
    )
    origins, reasons, readers, (most,) = (
        tables.rows(letters + question, {"topic": topic})
        for question in (ORIGINS, REASONS, READERS, DELIVERIES)
    )
    if not origins:
        return []
    count = sum(row["letters"] for row in origins)
    by = some([f"{writer.reader_noun} {marked.name(row['reader'])}" for row in readers], MAX_NAMED)
    deliveries = most["deliveries"]
    return [
        f"{plural(count, 'dead letter')} of {writer.title}{f' ({by})' if readers else ''}.",
        f"The original records: {some([origin(row) for row in origins], MAX_NAMED)}.",
        f"Reasons: {some([reason(row) for row in reasons], MAX_NAMED)}.",
        *([f"A record was delivered up to {plural(deliveries, 'time')}."] if deliveries else []),
    ]


def origin(row: Row) -> str:
    """`orders-1 offsets 3-9 (4 records)`."""
    if row["origin_partition"] is None:
        return f"{marked.topic(row['origin'])} ({plural(row['letters'], 'record')})"
    partition = marked.partition(row["origin"], row["origin_partition"])
    if row["first_offset"] is None:
        return f"{partition} ({plural(row['letters'], 'record')})"
    return f"{partition}, {offset_range(row['first_offset'], row['last_offset'])} ({plural(row['letters'], 'record')})"


def reason(row: Row) -> str:
    """`java.lang.IllegalStateException (4 records)`."""
    name = marked.quote(row["reason"]) if row["reason"] else "not in the headers"
    return f"{name} ({plural(row['letters'], 'record')})"


def header(name: str, which: str) -> str:
    """SQL for the value of a header: of several with this name the first or the last."""
    index = {"first": 1, "last": -1}[which]
    return f"list_filter(headers, lambda h: h.key = '{name}'::BLOB)[{index}].value"


def text_of(name: str, which: str) -> str:
    value = header(name, which)
    return f"coalesce(TRY(decode({value})), {value}::VARCHAR)" if name else "NULL"


def number_of(writer: DeadLetterWriter, name: str) -> str:
    """SQL for the number in a header: text, or four or eight bytes."""
    value = header(name, "first")
    if writer.has_binary_numbers:
        return f"TRY_CAST('0x' || hex({value}) AS BIGINT)"
    return f"TRY_CAST({value}::VARCHAR AS BIGINT)"
