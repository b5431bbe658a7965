"""Tables of unknown tools: CSV, TSV, and tables as SQL clients, Spark and Markdown print them.

    Topic;Partition;Offset;Timestamp;Key;Value          names in any case and spelling: `Partition ID`, `message_offset`
    orders;0;17;1700000000000;k;"{""total"": 1}"        separated by comma, semicolon, tab or bar; quoted as in RFC 4180

Read by the columns that a user named, else by their names if an offset and a key or a value are among them. Other columns are
named in a note. A last resort for records: every other layout takes precedence over names. Page: docs/sources/other-csv.md
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from spark.sources import EXPORT_LACKS, HEAD_BYTES, Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._columns.question import mapping_of, of_table
from spark.sources._columns.reading import MappedRecords, PlacedParts, lacking
from spark.sources._columns.rows import TableRow
from spark.sources._columns.tables import ALIGNED, RULED, UnknownTable, find_table, table_rows
from spark.sources._lines.lines import MAX_BYTES
from spark.sources._lines.named_parts import whole_number
from spark.sources._lines.records import chunks
from spark.storage.files import read_bytes
from spark.terms.column_mapping import ColumnName, parsed_columns, written_columns
from spark.terms.wording import listed, plural

ID = "other-csv"
BY_USER, BY_NAMES = 97, 15  # scores
CUT_CELLS = {RULED: 1, ALIGNED: 1}  # that end in dots before they are known to be cut; else
MANY_CUT_CELLS = 3


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the columns that a user named, otherwise by names for an offset with whole numbers and for a key or a value."""
    columns = mapping_of(file)
    table = table_in(file, head, columns)
    if table is None:
        return Recognition(False, "no table with columns")
    in_file = of_table(table)
    if absent := in_file.absent(columns):
        names = listed([f"`{column}`" for column in absent])
        return Recognition(False, f"{table.title} without the column {names}")
    if not columns and not in_file.guess.is_certain:
        return Recognition(False, "no first line that names columns for an offset and for a key or a value")
    if columns and not has_offsets(table, columns):
        return Recognition(False, f"no whole number in the column `{columns['offset']}`")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"an unknown tool's table of more than {MAX_BYTES >> 20} MiB: split it")
    return Recognition(True, table.title, BY_USER if columns else BY_NAMES)


def table_in(file: InputFile, head: bytes, columns: Mapping[str, ColumnName]) -> UnknownTable | None:
    by_number = bool(columns) and all(column.number for column in columns.values())
    return find_table(head, file.size_bytes > len(head), by_number)


def has_offsets(table: UnknownTable, columns: Mapping[str, ColumnName]) -> bool:
    """Whether any of the first rows has a whole number where a user says that the offset is."""
    if "offset" not in columns:
        return True
    number = places(table, columns)["offset"]
    return any(whole_number(row[number].strip()) is not None for row in table.sample)


def places(table: UnknownTable, columns: Mapping[str, ColumnName]) -> dict[str, int]:
    """Part -> number of its column, from 0."""
    return {
        role: column.number - 1 if column.number else table.labels.index(column.name)
        for role, column in columns.items()
    }


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    head = read_bytes(file.path, HEAD_BYTES)
    columns = mapping_of(file)
    table = table_in(file, head, columns)
    columns = columns or (of_table(table).guess.certain if table else {})
    if table is None or not columns:
        return []
    form = {"form": table.form, "names": list(table.names), "width": table.width}
    lacks = [*lacking(columns), *(["exact-bytes"] if table.form in CUT_CELLS else [])]
    return whole(
        ID, file, number, topic, partition, replica, table=form, columns=written_columns(columns), lacks=lacks
    )


def read(split: Split) -> Iterator[Chunk]:
    """Rows as records with their positions in the file; a row with more or fewer cells than columns is damage."""
    form: Any = split.detail["table"]
    table = UnknownTable(form["form"], tuple(form["names"]), form["width"], ())
    columns = parsed_columns(str(split.detail["columns"]))
    read_at = places(table, columns)
    others = [label for number, label in enumerate(table.labels) if number not in read_at.values()]
    prints_null = table.form in CUT_CELLS
    records = MappedRecords(
        columns, "Columns", others, prints_null, CUT_CELLS.get(table.form, MANY_CUT_CELLS)
    )
    content = read_bytes(split.path)
    rows = partial(placed_parts, content, table, read_at)
    yield from chunks(split, records.read(rows), records.note)
    around = sum(not isinstance(row, TableRow) for row in table_rows(content, table))
    if around:
        yield Chunk(note=f"{plural(around, 'line')} around the table are not read.")


def placed_parts(content: bytes, table: UnknownTable, read_at: Mapping[str, int]) -> Iterator[PlacedParts]:
    for row in table_rows(content, table):
        if not isinstance(row, TableRow):
            continue
        if row.cells is None:
            count = f"{row.width} cells" if row.width else "more or fewer cells"
            yield PlacedParts(row.start, row.end, None, f"{count} below {table.width} columns", row.raw)
        else:
            parts = {role: row.cells[number] for role, number in read_at.items()}
            yield PlacedParts(row.start, row.end, parts, raw=row.raw)


source = Source(
    id=ID,
    title="table of an unknown tool",
    kind="export",
    lacks=EXPORT_LACKS | {"topic", "duplicate-headers", "null-or-empty"},
    recognise=recognise,
    read=read,
    cut=split,
)
