"""JSON exports of unknown tools: objects with an offset, a key and a value under any of their usual names.

    offset     offset Offset messageOffset kafkaOffset          partition  partition Partition partitionId partitionID
    timestamp  timestamp Timestamp ts time (ms or ISO 8601)     topic      topic Topic
    key        key Key messageKey                               value      value Value payload content Content message body data ...
    headers    headers Headers (a map, or a list of {key, value})

Also one level down (`metadata`, `meta`, `record`). Where these do not suffice, the members are those that a user named, or members
at any depth whose names say for sure what they are, also in a list within one object. Other members are named in a note. An object
without a member for its value has an unknown value, never a null one. A last resort for records: every other layout takes
precedence over names. Page: docs/sources/other-json.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._columns.members import MISSING, Objects, find_objects, objects_of, resolved
from spark.sources._columns.question import has_path, mapping_of, of_objects
from spark.sources._columns.reading import MappedRecords, PlacedParts, lacking
from spark.sources._json.shape import look
from spark.sources._lines.lines import MAX_BYTES, objects
from spark.sources._lines.named_parts import (
    KEY,
    OFFSET,
    PARTITION,
    ROLES,
    VALUE,
    NamedParts,
    flattened,
)
from spark.sources._lines.records import TextRecord, UnreadLine, chunks
from spark.storage.files import read_bytes
from spark.terms.column_mapping import ColumnName, parsed_columns, written_columns
from spark.terms.wording import listed

ID = "other-json"
BY_USER, BY_NAMES, BY_PATHS = 97, 15, 12  # scores


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the members that a user named, by an offset and a partition, a key or a value, or by members at any depth."""
    usual = by_usual_names(file, head)
    objects = find_objects(head)
    columns = mapping_of(file)
    if objects is None or (usual.matches and not columns) or file.size_bytes > MAX_BYTES:
        return usual
    if absent := [f"`{column}`" for column in columns.values() if not has_path(objects, column)]:
        return Recognition(False, f"{objects.title} without the member {listed(absent)}")
    if not columns and not of_objects(objects).guess.is_certain:
        return usual
    return Recognition(True, objects.title, BY_USER if columns else BY_PATHS)


def by_usual_names(file: InputFile, head: bytes) -> Recognition:
    shape = look(head)
    if shape.problem:
        return Recognition(False, shape.problem)
    named = [set(flattened(members)) for members in shape.objects]
    names = set().union(*named)
    if not names.intersection(OFFSET):
        return Recognition(
            False, f"no offset under a usual name; has {', '.join(shape.names[:12]) or 'no members'}"
        )
    of_records = {name for has in named if has.intersection(OFFSET) for name in has}
    if not of_records.intersection((*PARTITION, *KEY, *VALUE)):
        return Recognition(False, "an offset, but no partition, key or value under a usual name")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"an unknown tool's export of more than {MAX_BYTES >> 20} MiB: split it")
    recognised = [name for role in ROLES.values() for name in role if name in names]
    return Recognition(True, f"an unknown tool's records: {', '.join(recognised)}; {shape.form}", BY_NAMES)


def records(split: Split, parts: NamedParts) -> Iterator[TextRecord | UnreadLine]:
    """Records; other objects are damage."""
    for start, end, members in objects(split):
        yield (
            UnreadLine(start, end, "not valid JSON") if members is None else parts.record(start, end, members)
        )


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    head = read_bytes(file.path, HEAD_BYTES)
    objects, columns = find_objects(head), mapping_of(file)
    target = (file, number, topic, partition, replica)
    if objects is None or (not columns and by_usual_names(file, head).matches):
        return whole(ID, *target)
    columns = columns or of_objects(objects).guess.certain
    if not columns:
        return whole(ID, *target)
    return whole(
        ID, *target, columns=written_columns(columns), within=objects.within,
        others=others(objects, columns), lacks=lacking(columns),
    )  # fmt: skip


def others(objects: Objects, columns: Mapping[str, ColumnName]) -> list[str]:
    """Members that no part is read from: neither they nor what is within or around them."""
    read = [column.name for column in columns.values()]
    return [
        path
        for path in objects.paths
        if not any(
            path == name or path.startswith(f"{name}.") or name.startswith(f"{path}.") for name in read
        )
    ]


def read(split: Split) -> Iterator[Chunk]:
    if "columns" not in split.detail:
        parts = NamedParts()
        yield from chunks(split, records(split, parts), parts.note)
        return
    columns = parsed_columns(str(split.detail["columns"]))
    unread = split.detail.get("others")
    mapped = MappedRecords(columns, "Members", unread if isinstance(unread, list) else [])
    text = read_bytes(split.path).decode("utf-8", "replace")
    rows = partial(placed_parts, text, str(split.detail.get("within") or ""), columns)
    yield from chunks(split, mapped.read(rows), mapped.note)


def placed_parts(text: str, within: str, columns: Mapping[str, ColumnName]) -> Iterator[PlacedParts]:
    for start, end, members in objects_of(text, within):
        if members is None:
            yield PlacedParts(start, end, None, "not valid JSON")
            continue
        in_file = {role: resolved(members, column.name) for role, column in columns.items()}
        yield PlacedParts(start, end, {role: cell for role, cell in in_file.items() if cell is not MISSING})


source = Source(
    id=ID,
    title="JSON records of an unknown tool",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "duplicate-headers"},
    recognise=recognise,
    read=read,
    cut=split,
)
