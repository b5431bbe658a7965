"""Redpanda Console, "Save messages" as CSV (`messages.csv`): nothing is quoted.

    timestamp,partitionID,offset,key,value,keySize,valueSize[,compression][,isTransactional]

The console writes `;` for each comma in a key or value, keeps their line feeds, and prints null, "", 0 and false as an empty
cell. Commas therefore only separate cells: they show where a row with line feeds ends. The sizes are those of the
record's bytes. Source: redpanda-data/console `save-messages-dialog`.
"""

from __future__ import annotations

import re
from functools import partial

from spark.sources import InputFile, Recognition
from spark.sources._csv import Row, windows
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.spans import Spans, to_whole_numbers
from spark.sources._json.times import to_times_ms

NAMES = ("timestamp", "partitionID", "offset", "key", "value", "keySize", "valueSize")
HEADER = re.compile(rb"(?:\xef\xbb\xbf)?" + ",".join(NAMES).encode() + rb"((?:,\w+)*)[ \t]*(?:\r?\n|\Z)")
CELL = rb"([^,]*)"
ROW = re.compile(
    rb"(\d{1,19}),(\d{1,10}),(\d{1,19}),%b,%b,(\d{0,10}),(\d{0,10})(?:,(?:[a-z0-9]+|true|false)?){0,2}[ \t]*\r?(?:\n|\Z)"
    % (CELL, CELL)
)
ROW_START = re.compile(rb"^\d{1,19},\d{1,10},\d{1,19},", re.MULTILINE)


def recognise(file: InputFile, head: bytes) -> Recognition:
    header = HEADER.match(head)
    if header is None:
        return Recognition(False, f"the first line is not `{','.join(NAMES)}`")
    return Recognition(
        True, "the header of messages.csv; commas became `;`, and null, empty, 0 and false are one", 90
    )


def cut(content: bytes, is_all: bool) -> tuple[list[Row], int]:
    """Rows in sequence; after a broken row, from the next line that begins with three numbers."""
    rows: list[Row] = []
    position = 0
    while position < len(content):
        row = ROW.match(content, position)
        if row is None or (row.end() == len(content) and not is_all):
            following = ROW_START.search(content, position + 1)
            if following is None:
                break
            position = following.start()
            continue
        rows.append((position, row.end(), row.regs[1:]))
        position = row.end()
    return rows, len(content) if is_all else position


def fields(columns: list[Spans]) -> Fields:
    """An empty cell with a size above zero is not null: the text did not survive the export."""
    timestamp, partition, offset, key, value, key_size, value_size = columns
    return Fields(
        offset=offset,
        partition=partition,
        timestamps_ms=to_times_ms(timestamp),
        key=sized(key, key_size),
        value=sized(value, value_size),
    )


def sized(text: Spans, sizes: Spans) -> RecordField:
    """A key or value, null if nothing is printed and its size is absent or zero."""
    numbers, states = to_whole_numbers(sizes)
    return RecordField(text, is_null=text.is_null & (numbers == 0), sizes=(numbers, states))


layout = Layout(
    "redpanda-console-csv", NAMES, fields, partial(windows, cut), is_cut=False, offset_name="offset"
)
source = layout.source(
    "Redpanda Console, saved messages (CSV)",
    recognise,
    lacks={"topic", "headers", "null-or-empty", "exact-bytes"},
)
