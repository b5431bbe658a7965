"""Dead letters: records that a connector or application could not process and wrote to another topic, with the reason in headers.

Low: the topic is there for them. Innocent: records that were sent back into their topic and keep the headers; a topic of which only some
records have them, as a copy of dead letters into a topic in use does. Page: docs/detectors/dead-letters.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS
from spark.dialects.dead_letters import WRITERS, DeadLetterWriter
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, quoted, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

MAX_MESSAGE = 200  # characters of an exception's message
NEWEST = f"""
    SELECT {REPLICA_COLUMNS}, list_transform(arg_max(headers, "offset"), lambda h: h.key::VARCHAR) AS names FROM records
    WHERE {APPLICATIONS} AND len(headers) > 0 GROUP BY {REPLICA_COLUMNS} ORDER BY ALL
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
        arg_min(source_partition, "offset") AS source_partition, arg_min(source_offset, "offset") AS source_offset
    FROM all_records WHERE source_topic IS NOT NULL AND source_topic <> {own}
    GROUP BY ALL ORDER BY letters DESC, first_offset
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition, with its `errors`."""
    for newest in tables.rows(NEWEST):
        writer = next(
            (writer for writer in WRITERS if {writer.topic, writer.offset} <= {*newest["names"]}), None
        )
        errors = tables.rows(question(newest, writer)) if writer else []
        letters = sum(error["letters"] for error in errors)
        if writer and errors and 2 * letters > errors[0]["records"]:
            yield {**newest, "writer": writer, "errors": errors, "letters": letters}


def question(partition: Row, writer: DeadLetterWriter) -> str:
    """Of several headers with one name the first is that of the origin, the last that of the newest failure."""
    return LETTERS.format(
        topic=text_of(writer.topic, "first"),
        partition=number_of(writer, writer.partition),
        at=number_of(writer, writer.offset),
        error=f"coalesce({', '.join(text_of(name, 'last') for name in (*writer.errors, ''))})",
        message=text_of(writer.message, "last"),
        application=text_of(writer.reader, "last"),
        place=is_of(replica_of(partition)),
        applications=APPLICATIONS,
        own=quoted(partition["topic"]),
        max_message=MAX_MESSAGE,
    )


def value_of(header: str, which: str) -> str:
    """SQL for the value of a header: of several with this name the first or the last."""
    return f"list_filter(headers, lambda h: h.key = {quoted(header)}::BLOB)[{1 if which == 'first' else -1}].value"


def text_of(header: str, which: str) -> str:
    value = value_of(header, which)
    return f"coalesce(TRY(decode({value})), {value}::VARCHAR)" if header else "NULL::VARCHAR"


def number_of(writer: DeadLetterWriter, header: str) -> str:
    """SQL for the number in a header: text, or four or eight bytes."""
    if writer.has_binary_numbers:
        return f"TRY_CAST('0x' || hex({value_of(header, 'first')}) AS BIGINT)"
    return f"TRY_CAST({value_of(header, 'first')}::VARCHAR AS BIGINT)"


def describe(row: Row) -> Finding:
    errors, writer = row["errors"], row["writer"]
    worst, offsets = errors[0], sorted({error["first_offset"] for error in errors})[:OFFSETS_NAMED]
    return Finding(
        detector=detector.id,
        severity="low",
        title=(
            f"{plural(row['letters'], 'record')} of {source_of(worst)} {'was' if row['letters'] == 1 else 'were'} not processed"
            f"{by_whom(worst, writer)}: {'it is a dead letter' if row['letters'] == 1 else 'they are dead letters'} in {words.partition_name(row)}"
            + (f" ({marked.name(short(worst['error']))})" if worst["error"] else "")
        ),
        explanation=(
            f"{marked.name(writer.title)} {'write' if writer.title.endswith('groups') else 'writes'} a record that fails to a dead letter topic, with the reason in headers, and continues with "
            f"the next record. {words.partition_name(row)} contains {plural(row['letters'], 'such record')}, from "
            f"{moment(min(error['first_ms'] for error in errors))} to {moment(max(error['last_ms'] for error in errors))}. "
            f"{' '.join(in_words(error, writer) for error in errors[:3])} Nothing reads dead letters again unless someone does it: the target lacks this data."
        ),
        **located(
            row, min(error["first_offset"] for error in errors), max(error["last_offset"] for error in errors)
        ),
        entity=f"dead-letters:{writer.title}",
        evidence=offsets,
        effects=on_records("rejected", row, offsets, whom="consumers"),
        remedy=detector.remedy(topic=row["topic"], more_than_one_exception=len(errors) > 1),
        references=detector.references,
    )


def short(error: str) -> str:
    """The class of an exception without its package; Streams before 4.2.1 writes the message behind it."""
    return error.partition(":")[0].rpartition(".")[2]


def by_whom(error: Row, writer: DeadLetterWriter) -> str:
    name = error["application"]
    return f" by {writer.reader_noun} {marked.entity(name, writer.reader_noun)}" if name else ""


def source_of(error: Row) -> str:
    return marked.topic(error["source_topic"])


def in_words(error: Row, writer: DeadLetterWriter) -> str:
    """One error: how often, first where, and its message."""
    record = (
        f"{marked.partition(error['source_topic'], error['source_partition'])} offset {marked.number(error['source_offset'])}"
        if error["source_offset"] is not None and error["source_partition"] is not None
        else source_of(error)
    )
    text = (error["message"] or "").strip().rstrip(".:")
    message = f": {marked.quote(text)}" if text else ""
    name = f": {marked.name(error['error'].partition(':')[0])}" if error["error"] else ""
    return (
        f"{plural(error['letters'], 'record')}{by_whom(error, writer)}, first {record} (dead letter at offset {marked.offset(error['first_offset'])})"
        f"{name}{message}."
    )


detector = Detector(
    id="dead-letters",
    title="Records in a dead letter topic",
    find=find,
    describe=describe,
    headline=clause("dead letters in {partitions}: records that were not processed"),
    rows_of="records",
    dialects=("dead-letters",),
    needs=frozenset({"headers", "contents"}),
    one_cause="topic",
)
