"""Events that AWS Lambda receives from MSK or a self-managed Kafka: records by partition, keys and values in Base64.

    {"eventSource": "aws:kafka" | "SelfManagedKafka", ..., "records": {"t-0": [{"topic", "partition", "offset", "timestamp",
        "timestampType", "key", "value", "headers": [{"h": [104, 105]}]}, ..]}}

One event, several one after another, or an array of them. Source: AWS Lambda developer guide, "Using Lambda with Amazon MSK".
Page: docs/sources/lambda-event.md
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._json.shape import CUT, look
from spark.sources._lines.lines import MAX_BYTES, objects
from spark.sources._lines.records import TextRecord, UnreadLine, chunks

ID = "lambda-event"
SOURCES = {"aws:kafka", "SelfManagedKafka", "aws:SelfManagedKafka"}
TYPES = {"CREATE_TIME": "create", "LOG_APPEND_TIME": "log_append"}


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its source, or by records grouped under `topic-partition`."""
    shape = look(head).having("records")
    if shape.problem:
        return Recognition(False, shape.problem)
    is_named = bool(
        SOURCES.intersection(name for name in shape.values("eventSource") if isinstance(name, str))
    )
    groups = [group for group in shape.values("records") if group is CUT or isinstance(group, dict)]
    if not groups or not (is_named or any(is_group(group) for group in groups)):
        return Recognition(False, "`records` contains no records grouped by `topic-partition`")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"an event of more than {MAX_BYTES >> 20} MiB: split it")
    return Recognition(True, f"events of AWS Lambda, {shape.form}", 85)


def is_group(group: Any) -> bool:
    lists = list(group.values()) if isinstance(group, dict) else []
    return bool(lists) and all(
        isinstance(rows, list) and all(isinstance(row, dict) and "offset" in row for row in rows)
        for rows in lists
    )


def read_event(start: int, end: int, event: Any) -> Iterator[TextRecord | UnreadLine]:
    groups = event.get("records") if isinstance(event, dict) else None
    if not isinstance(groups, dict):
        yield UnreadLine(start, end, "truncated, or not an event of Lambda", is_cut=event is None)
        return
    for rows in groups.values():
        for row in rows if isinstance(rows, list) else []:
            yield read_row(start, end, row)


def read_row(start: int, end: int, row: Any) -> TextRecord | UnreadLine:
    try:
        text_record = TextRecord(
            start, end, offset=int(row["offset"]), partition=int(row["partition"]), topic=str(row["topic"])
        )
        text_record.key, text_record.value = (octets(row.get(name)) for name in ("key", "value"))
        text_record.key_is_null, text_record.value_is_null = (
            text_record.key is None,
            text_record.value is None,
        )
        text_record.headers = [
            pair for header_members in row.get("headers") or [] for pair in header(header_members)
        ]
        if isinstance(row.get("timestamp"), int):
            text_record.timestamp_ms, text_record.timestamp_type = (
                row["timestamp"],
                TYPES.get(row.get("timestampType")),
            )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return UnreadLine(
            start,
            end,
            "a record of the event lacks a member, or a member has another type than AWS documents",
        )
    return text_record


def octets(text: str | None) -> bytes | None:
    """Base64."""
    return None if text is None else base64.b64decode(text, validate=True)


def header(members: dict[str, list[int]]) -> Iterator[tuple[bytes, bytes | None]]:
    """A header's name and its bytes as numbers, which Java prints with a sign."""
    for name, numbers in members.items():
        yield name.encode(), None if numbers is None else bytes(number & 0xFF for number in numbers)


def read(split: Split) -> Iterator[Chunk]:
    yield from chunks(
        split, (row for begin, end, event in objects(split) for row in read_event(begin, end, event))
    )


source = Source(
    id=ID,
    title="events of AWS Lambda (MSK)",
    kind="export",
    lacks=EXPORT_LACKS,
    recognise=recognise,
    read=read,
)
