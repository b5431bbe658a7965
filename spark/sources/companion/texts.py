"""Companions that are text: checkpoints and properties.

    Checkpoint => version:"0" LF count LF Line{count}
    Line of a leader-epoch-checkpoint  => epoch start_offset
    Line of a broker's checkpoint      => topic partition offset
    Line of a Streams checkpoint       => topic partition offset     offset -4: unknown
    partition.metadata                 => (name ": " value LF)*
    meta.properties                    => Java properties

Source: Kafka `CheckpointFile.java` (a wrong count or line makes the broker reject the file), `PartitionMetadataFile`.
Kafka Streams `OffsetCheckpoint` (4.1). A checkpoint of 0 bytes is normal on a young broker. Readers raise InvalidCompanion.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark.sources.companion.names import MAX_OFFSET
from spark.sources.companion.rows import Read, columns_of

MAX_INT = 2**31 - 1
EPOCH_LINE = re.compile(r"(\d{1,10})\s+(\d{1,19})", re.ASCII)
PARTITION_LINE = re.compile(r"(\S+)\s+(\d{1,10})\s+(\d{1,19})", re.ASCII)
UNKNOWN_LINE = re.compile(r"\S+\s+\d{1,10}\s+-4", re.ASCII)  # a store of Streams whose offset is not known
PROPERTY = re.compile(r"((?:\\.|[^=:\s\\])+)\s*[=:\s]\s*(.*)")
ESCAPED = re.compile(r"\\(.)")


class InvalidCompanion(Exception):
    """The file does not have the broker's format; the message says where."""


def read_epochs(content: bytes) -> Read:
    """Rows of EPOCH_ENTRIES."""
    rows = [epoch_row(line, number) for number, line in lines(content)]
    return Read("epoch_entries", columns_of(("epoch", "start_offset"), rows))


def epoch_row(line: str, number: int) -> tuple[int, int]:
    """Epoch and start offset."""
    match = EPOCH_LINE.fullmatch(line)
    if not match or int(match[1]) > MAX_INT or int(match[2]) > MAX_OFFSET:
        raise InvalidCompanion(f"Line {number} should contain an epoch and an offset. It is {quoted(line)}.")
    return int(match[1]), int(match[2])


def read_offsets(content: bytes, kind: str, replicas: Mapping[str, str], elsewhere: str) -> Read:
    """Rows of CHECKPOINTS. `replicas`: the copies in the broker's folder, by `<topic>-<partition>`."""
    rows = [partition_row(line, number) for number, line in lines(content)]
    columns = columns_of(("topic", "partition", "offset"), rows)
    names = [replicas.get(f"{topic}-{partition}", elsewhere) for topic, partition, _ in rows]
    return Read("checkpoints", {**columns, "replica": names, "kind": [kind] * len(rows)})


def read_store_offsets(content: bytes, replica: str) -> Read:
    """Rows of CHECKPOINTS of a Streams task: the last record of each changelog in its local store."""
    numbered = [(number, line) for number, line in lines(content) if not UNKNOWN_LINE.fullmatch(line)]
    rows = [(*partition_row(line, number), replica, "streams_store") for number, line in numbered]
    return Read("checkpoints", columns_of(("topic", "partition", "offset", "replica", "kind"), rows))


def partition_row(line: str, number: int) -> tuple[str, int, int]:
    """Topic, partition, offset."""
    match = PARTITION_LINE.fullmatch(line)
    if not match or int(match[2]) > MAX_INT or int(match[3]) > MAX_OFFSET:
        raise InvalidCompanion(
            f"Line {number} should contain a topic, a partition and an offset. It is {quoted(line)}."
        )
    return match[1], int(match[2]), int(match[3])


def lines(content: bytes) -> list[tuple[int, str]]:
    """A checkpoint's lines after version and count, with their numbers; none for an empty file."""
    if not content:
        return []
    text_lines = text(content).split("\n")
    if text_lines[0].strip() != "0":
        raise InvalidCompanion(f"Line 1 should contain the version, 0. It is {quoted(text_lines[0])}.")
    count = text_lines[1].strip() if len(text_lines) > 1 else ""
    if not re.fullmatch(r"\d{1,10}", count, re.ASCII):
        raise InvalidCompanion(f"Line 2 should contain the number of entries. It is {quoted(count)}.")
    entries = [(number, line.strip()) for number, line in enumerate(text_lines[2:], 3) if line.strip()]
    if len(entries) != int(count):
        raise InvalidCompanion(f"Line 2 announces {int(count):,} entries, and {len(entries):,} follow.")
    return entries


def read_properties(content: bytes) -> Read:
    """Rows of PROPERTIES."""
    return Read("properties", columns_of(("name", "value"), property_rows(content)))


def property_rows(content: bytes) -> list[tuple[str, str]]:
    numbered = enumerate(text(content).split("\n"), 1)
    return [row for number, line in numbered if (row := property_row(line.strip(), number))]


def property_row(line: str, number: int) -> tuple[str, str] | None:
    """Name and value; None for a comment or an empty line."""
    if not line or line[0] in "#!":
        return None
    match = PROPERTY.fullmatch(line)
    if not match:
        raise InvalidCompanion(f"Line {number} should contain a name and a value. It is {quoted(line)}.")
    return ESCAPED.sub(r"\1", match[1]), ESCAPED.sub(r"\1", match[2])


def text(content: bytes) -> str:
    """The content as text; a broker writes UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidCompanion(f"The file should be text, but byte {error.start} is not.") from error


def quoted(line: str) -> str:
    return repr(line[:60]) + ("..." if len(line) > 60 else "")
