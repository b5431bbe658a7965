"""kafka-console-consumer with `print.key=true` and nothing else, and kcat with `-K`: `key SEPARATOR value`, one record a line.

    settings.py  separator, null literal and headers in the command      shape.py  the same judged by the lines
    read.py      lines into records

Keys and values are printed unchanged, so a value may contain line feeds and the separator. Offsets, partitions and times are not
printed. Source: Kafka `DefaultMessageFormatter` (0.9 to 4.1), kcat. Page: docs/sources/console-key-value.md
"""

from __future__ import annotations

from spark.sources import HEAD_BYTES, InputFile, Recognition, Source, Split, whole
from spark.sources._lines.lines import UTF_16, UTF_16_MARKS, head_lines
from spark.sources.console_consumer.shape import look as labelled
from spark.sources.console_key_value.read import read
from spark.sources.console_key_value.settings import of_command
from spark.sources.console_key_value.shape import KeyValueShape, asked_shape, guessed_shape
from spark.storage.files import read_bytes

ID = "console-key-value"
ASKED, GUESSED, DOUBTFUL = 75, 45, 8


def shape_of(file: InputFile, head: bytes) -> KeyValueShape | None:
    """How the lines are read: by the command, otherwise by their form."""
    first_lines = head_lines(head, file)
    settings = of_command(file.command)
    return asked_shape(settings, first_lines) if settings else guessed_shape(first_lines)


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the command before the output, or by keys and values that are JSON."""
    if head.startswith(UTF_16_MARKS):
        return Recognition(False, UTF_16)
    settings = of_command(file.command)
    if labelled(head, file.size_bytes <= len(head)) is not None:
        return Recognition(False, "its lines begin with labels (`Offset:`, `CreateTime:`, ..)")
    if not settings and b"\0" in head:
        return Recognition(False, "not text: it contains NUL bytes")
    shape = shape_of(file, head)
    if shape is None:
        return Recognition(False, "no separator (tab, `:`, `|`, ..) separates keys from values on its lines")
    score = ASKED if settings else DOUBTFUL if shape.is_doubtful else GUESSED
    return Recognition(True, f"key, {shape.name}, value on each line", score)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    shape = shape_of(file, read_bytes(file.path, HEAD_BYTES)) or KeyValueShape("\t")
    return whole(ID, file, number, topic, partition, replica, shape=vars(shape))


source = Source(
    id=ID,
    title="kafka-console-consumer with keys alone",
    kind="export",
    lacks=frozenset(
        {
            "batches",
            "producers",
            "control",
            "topic",
            "partition",
            "offset",
            "timestamps",
            "headers",
            "null-or-empty",
        }
    ),
    recognise=recognise,
    read=read,
    cut=split,
)
