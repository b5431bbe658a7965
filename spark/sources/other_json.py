"""JSON exports of unknown tools: objects with an offset, a key and a value under any of their usual names.

    offset     offset Offset messageOffset kafkaOffset          partition  partition Partition partitionId partitionID
    timestamp  timestamp Timestamp ts time (ms or ISO 8601)     topic      topic Topic
    key        key Key messageKey                               value      value Value payload content Content message body data ...
    headers    headers Headers (a map, or a list of {key, value})

Also one level down (`metadata`, `meta`, `record`). Other members are named in a note. An object without a member
for its value has an unknown value, never a null one. A last resort for records: every other layout takes precedence.
Page: docs/sources/other-json.md
"""

from __future__ import annotations

from collections.abc import Iterator

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._json.shape import look
from spark.sources._lines.lines import MAX_BYTES, objects
from spark.sources._lines.named_parts import INNER, KEY, OFFSET, PARTITION, ROLES, VALUE, NamedParts
from spark.sources._lines.records import TextRecord, UnreadLine, chunks

ID = "other-json"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By an offset, and a partition, a key or a value."""
    shape = look(head)
    if shape.problem:
        return Recognition(False, shape.problem)
    names = set(shape.names) | {
        name
        for inner in INNER
        for members in shape.values(inner)
        if isinstance(members, dict)
        for name in members
    }
    if not names.intersection(OFFSET):
        return Recognition(
            False, f"no offset under a usual name; has {', '.join(shape.names[:12]) or 'no members'}"
        )
    if not names.intersection((*PARTITION, *KEY, *VALUE)):
        return Recognition(False, "an offset, but no partition, key or value under a usual name")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"an unknown tool's export of more than {MAX_BYTES >> 20} MiB: split it")
    recognised = [name for role in ROLES.values() for name in role if name in names]
    return Recognition(True, f"an unknown tool's records: {', '.join(recognised)}; {shape.form}", 15)


def records(split: Split, parts: NamedParts) -> Iterator[TextRecord | UnreadLine]:
    """Records; other objects are damage."""
    for start, end, members in objects(split):
        yield (
            UnreadLine(start, end, "not valid JSON") if members is None else parts.record(start, end, members)
        )


def read(split: Split) -> Iterator[Chunk]:
    parts = NamedParts()
    yield from chunks(split, records(split, parts), parts.note)


source = Source(
    id=ID,
    title="JSON records of an unknown tool",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "duplicate-headers"},
    recognise=recognise,
    read=read,
)
