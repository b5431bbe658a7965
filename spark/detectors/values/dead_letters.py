"""Dead letters: records that a connector or application could not process and wrote to another topic, with the reason in headers.

Innocent: records that were sent back into their topic and keep the headers; a topic of which only some records have them, as a copy of
dead letters into a topic in use does. Page: docs/detectors/dead-letters.md
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

MIN_HEADERS = 3  # topic, partition and offset of the record that failed
MAX_MESSAGE = 200  # characters of an exception's message


class LetterHeaders(NamedTuple):
    """The headers of one framework. `application`: who failed, where a header names it."""

    framework: str
    topic: str
    partition: str
    offset: str
    error: str
    message: str
    application: str = ""


# Kafka: DeadLetterQueueReporter (Connect, KIP-298), ExceptionHandlerUtils (Streams, KIP-1034). SmallRye: KafkaDeadLetterQueue.
FRAMEWORKS = (
    LetterHeaders(
        "Kafka Connect",
        *(f"__connect.errors.{name}" for name in ("topic", "partition", "offset")),
        *(
            f"__connect.errors.{name}"
            for name in ("exception.class.name", "exception.message", "connector.name")
        ),
    ),
    LetterHeaders(
        "Kafka Streams",
        *(f"__streams.errors.{name}" for name in ("topic", "partition", "offset", "exception", "message")),
    ),
    LetterHeaders(
        "SmallRye Reactive Messaging",
        *(
            f"dead-letter-{name}"
            for name in ("topic", "partition", "offset", "exception-class-name", "reason")
        ),
    ),
)

# All records of such a topic have the headers, so the newest record with headers of each partition says where to look.
NEWEST = f"""
    SELECT {REPLICA_COLUMNS}, max("offset") AS "offset" FROM records WHERE {APPLICATIONS} AND len(headers) >= {MIN_HEADERS}
    GROUP BY {REPLICA_COLUMNS}
"""
SUSPECTS = f"""
    SELECT DISTINCT {REPLICA_COLUMNS}, header FROM (
        SELECT {REPLICA_COLUMNS}, unnest(list_transform(headers, lambda h: h.key::VARCHAR)) AS header
        FROM records SEMI JOIN ({NEWEST}) USING ({REPLICA_COLUMNS}, "offset")
    ) WHERE header IN ({", ".join(quoted(headers.topic) for headers in FRAMEWORKS)}) ORDER BY ALL
"""
# One row per error, the most frequent first.
LETTERS = """
    WITH all_records AS (
        SELECT "offset", timestamp_ms, {topic} AS source_topic, {partition} AS source_partition, {at} AS source_offset,
            {error} AS error, {message} AS message, {application} AS application
        FROM records WHERE {place} AND {applications}
    )
    SELECT error, application, arg_min(left(message, {max_message}), "offset") AS message, count(*) AS letters,
        (SELECT count(*) FROM all_records) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, arg_min(source_topic, "offset") AS source_topic,
        TRY_CAST(arg_min(source_partition, "offset") AS INT) AS source_partition,
        TRY_CAST(arg_min(source_offset, "offset") AS BIGINT) AS source_offset
    FROM all_records WHERE source_topic IS NOT NULL AND source_topic <> {own}
    GROUP BY ALL ORDER BY letters DESC, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition, with its `errors`."""
    frameworks = {headers.topic: headers for headers in FRAMEWORKS}
    for suspect in tables.rows(SUSPECTS):
        headers = frameworks[suspect["header"]]
        errors = tables.rows(question(suspect, headers))
        letters = sum(error["letters"] for error in errors)
        if errors and 2 * letters > errors[0]["records"]:
            yield {**suspect, "framework": headers.framework, "errors": errors, "letters": letters}


def question(suspect: Row, headers: LetterHeaders) -> str:
    return LETTERS.format(
        topic=text_of(headers.topic),
        partition=text_of(headers.partition),
        at=text_of(headers.offset),
        error=text_of(headers.error),
        message=text_of(headers.message),
        application=text_of(headers.application),
        place=is_of(replica_of(suspect)),
        applications=APPLICATIONS,
        own=quoted(suspect["topic"]),
        max_message=MAX_MESSAGE,
    )


def text_of(header: str) -> str:
    """SQL for the last value of a header as text."""
    value = f"list_filter(headers, lambda h: h.key = {quoted(header)}::BLOB)[-1].value"
    return f"coalesce(TRY(decode({value})), {value}::VARCHAR)" if header else "NULL::VARCHAR"


def describe(row: Row) -> Finding:
    errors = row["errors"]
    worst, offsets = errors[0], sorted({error["first_offset"] for error in errors})[:OFFSETS_NAMED]
    return Finding(
        detector=detector.id,
        severity="medium",
        title=(
            f"{plural(row['letters'], 'record')} of {source_of(worst)} {'was' if row['letters'] == 1 else 'were'} not processed"
            f"{by_whom(worst)}: {'it is a dead letter' if row['letters'] == 1 else 'they are dead letters'} in {words.partition_name(row)}"
            f" ({marked.name(short(worst['error']))})"
        ),
        explanation=(
            f"{marked.name(row['framework'])} writes a record that fails to a dead letter topic, with the reason in headers, and continues with "
            f"the next record. {words.partition_name(row)} contains {plural(row['letters'], 'such record')}, from "
            f"{moment(min(error['first_ms'] for error in errors))} to {moment(max(error['last_ms'] for error in errors))}. "
            f"{' '.join(in_words(error) for error in errors[:3])} Nothing reads dead letters again unless someone does it: the target lacks this data."
        ),
        **located(
            row, min(error["first_offset"] for error in errors), max(error["last_offset"] for error in errors)
        ),
        entity=f"dead-letters:{row['framework']}",
        evidence=offsets,
        effects=on_records("rejected", row, offsets, whom="consumers"),
        remedy=detector.remedy(topic=row["topic"], more_than_one_exception=len(errors) > 1),
        references=detector.references,
    )


def short(error: str | None) -> str:
    """The class of an exception without its package; Streams before 4.2.1 writes the message behind it."""
    return (error or "no exception named").partition(":")[0].rpartition(".")[2]


def by_whom(error: Row) -> str:
    return f" by connector {marked.entity(error['application'], 'connector')}" if error["application"] else ""


def source_of(error: Row) -> str:
    return marked.topic(error["source_topic"])


def in_words(error: Row) -> str:
    """One error: how often, first where, and its message."""
    record = (
        f"{marked.partition(error['source_topic'], error['source_partition'])} offset {marked.number(error['source_offset'])}"
        if error["source_offset"] is not None and error["source_partition"] is not None
        else source_of(error)
    )
    text = (error["message"] or "").strip().rstrip(".:")
    message = f": {marked.quote(text)}" if text else ""
    return (
        f"{plural(error['letters'], 'record')}{by_whom(error)}, first {record} (dead letter at offset {marked.offset(error['first_offset'])}): "
        f"{marked.name((error['error'] or 'no exception named').partition(':')[0])}{message}."
    )


detector = Detector(
    id="dead-letters",
    title="Records in a dead letter topic",
    find=find,
    describe=describe,
    headline=clause("dead letters in {partitions}: records that were not processed"),
    rows_of="records",
    needs=frozenset({"headers", "contents"}),
    one_cause="topic",
)
