"""Copies: exports of the same records in one input, such as a dump before and one after a compaction.

Read together as one log they would double every record. Parts of one dump follow each other instead: the offsets
at a file's two ends tell which it is. A file that holds several partitions is taken as a part.

    "offset": 5            members of JSON: kcat -J, AKHQ, rpk and others
    Offset:5  offset: 5    labels of lines: kafka-console-consumer, kafka-dump-log, ConsumerRecord
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.sources import InputFile
from spark.storage.files import open_binary

END_BYTES = 64 * 1024


@dataclass(frozen=True)
class Names:
    """How texts of a kind name the offset of a record, its partition and its topic."""

    offset: re.Pattern[bytes]
    partition: re.Pattern[bytes]
    topic: re.Pattern[bytes]


LABELS = Names(
    re.compile(rb"^[^{\"\n]*?\b[Oo]ffset\s?[:=]\s?(\d{1,18})", re.M),
    re.compile(rb"^[^{\"\n]*?\b[Pp]artition\s?[:=]\s?(\d{1,9})", re.M),
    re.compile(
        rb"^(?:Dumping [^\n]*?([\w.-]{1,249}-\d{1,9})[/\\]\d{20}\.|[^{\"\n]*?\btopic = ([\w.-]{1,249}))", re.M
    ),
)
MEMBERS = Names(
    re.compile(rb'(?<!\\)"[Oo]ffset"\s*:\s*(\d{1,18})'),
    re.compile(rb'(?<!\\)"[Pp]artition(?:ID)?"\s*:\s*(\d{1,9})'),
    re.compile(rb'(?<!\\)"topic"\s*:\s*"([^"]{1,249})"'),
)


@dataclass(frozen=True)
class Ends:
    """First and last offset of an export, and the partition it is of."""

    partition_name: tuple[object, bytes]
    first: int
    last: int


def copies(files: list[InputFile]) -> set[str]:
    """Names of the exports that hold mostly the same offsets as another one."""
    ends = {file.name: both_ends for file in files if (both_ends := ends_of(file))}
    return {
        name
        for name, file_ends in ends.items()
        if any(name != other and mostly_the_same(file_ends, other_ends) for other, other_ends in ends.items())
    }


def ends_of(file: InputFile) -> Ends | None:
    """None where the file tells no offset or names several partitions."""
    with open_binary(file.path) as stream:
        text = stream.read(END_BYTES)
        stream.seek(max(0, file.size_bytes - END_BYTES))
        tail = stream.read()
    # Values behind labels may be JSON with such members.
    names = LABELS if LABELS.offset.search(text) else MEMBERS
    offsets = [int(digits) for digits in names.offset.findall(text) + names.offset.findall(tail)]
    topics, partitions = (
        set(pattern.findall(text) + pattern.findall(tail)) for pattern in (names.topic, names.partition)
    )
    if not offsets or len(topics) > 1 or len(partitions) > 1:
        return None
    partition_name = topics.pop() if topics else b"", partitions.pop() if partitions else b"0"
    return Ends(partition_name, min(offsets), max(offsets))


def mostly_the_same(ends: Ends, other: Ends) -> bool:
    """Parts may share a few records where one tool stopped and was started again; copies share most."""
    shared = min(ends.last, other.last) - max(ends.first, other.first) + 1
    shorter = min(ends.last - ends.first, other.last - other.first) + 1
    return ends.partition_name == other.partition_name and shared * 2 > shorter
