"""kafka-console-consumer with a column that has a label (time, partition, offset, epoch), all versions.

    shape.py  columns, by the command and the first records     walk.py  records into numbers, in compiled code
    read.py   into tables

Page: docs/sources/console-consumer.md
"""

from __future__ import annotations

import re
from itertools import pairwise

from spark.sources import HEAD_BYTES, InputFile, Recognition, Source, Split
from spark.sources._lines.lines import UTF_16, UTF_16_MARKS
from spark.sources._split_points import SPLIT_BYTES, find_behind, split_points
from spark.sources.console_consumer.read import read
from spark.sources.console_consumer.shape import START, ConsoleShape, as_told, look
from spark.storage.files import read_bytes

ID = "console-consumer"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the labels that its records begin with."""
    if head.startswith(UTF_16_MARKS):
        return Recognition(False, UTF_16)
    shape = look(head, file.size_bytes <= len(head))
    if shape is None:
        return Recognition(
            False, "no line begins with `CreateTime:`, `LogAppendTime:`, `Partition:`, `Offset:` or `Epoch:`"
        )
    shape = as_told(shape, file.command)
    before = START.search(head)
    if before is not None and head[: before.start()].count(b"\n") > head.count(b"\n") // 2:
        return Recognition(False, "most of its first lines come before the first line of a record")
    return Recognition(
        True, f"columns of kafka-console-consumer: {shape.words}", 80 if shape.has_offset else 60
    )


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """Splits of about 24 MB that begin with a record; a single one if offsets must be counted."""
    shape = look(read_bytes(file.path, HEAD_BYTES), file.size_bytes <= HEAD_BYTES)
    if shape is None:
        return []
    shape = as_told(shape, file.command)
    places = borders(file, shape) if shape.has_offset else [0, file.size_bytes]
    detail: dict[str, object] = {"shape": vars(shape), "lacks": shape.lacks}
    return [
        Split(number, file.path, file.name, ID, start, end, topic, partition, replica, detail)
        for start, end in pairwise(places)
    ]


def borders(file: InputFile, shape: ConsoleShape, split_bytes: int = SPLIT_BYTES) -> list[int]:
    """0, positions to cut about every `split_bytes`, the file's size; a distant next record makes a larger split."""
    pattern = re.compile(b"\n(?=" + shape.start + b")")
    return split_points(file.size_bytes, lambda start: find_behind(file.path, pattern, start), split_bytes)


source = Source(
    id=ID,
    title="kafka-console-consumer",
    kind="export",
    lacks=frozenset({"batches", "producers", "control", "topic", "null-or-empty"}),
    recognise=recognise,
    read=read,
    cut=split,
)
