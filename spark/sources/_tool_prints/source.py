"""A tool's print as a companion of the journal: recognised by its lines, read whole, its facts as rows.

A print is taken for one when most of its lines are the tool's: a value of a dump may quote one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from spark.sources import Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._not_a_journal import is_utf_16, text_of, text_of_head
from spark.sources.companion.rows import Read, columns_of, table
from spark.storage.files import read_bytes

Row = dict[str, Any]
Facts = dict[str, list[Row]]  # by table; all rows of a table have the same members
MAX_BYTES = 64 * 1024 * 1024
LINES = 2_000  # with text in them, that recognition looks at
SCORE = 88  # above every layout of text, below what a name and a checksum prove
# What a record begins with in a dump that people make; its values may quote a print.
RECORD_BEGINS = re.compile(
    r"\s*(?:\{|\[\s*[{\"]|(?:CreateTime|LogAppendTime|NoTimestampType|Partition|Offset|baseOffset|offset|\| offset): ?-?\d)"
)


def tool_print(
    id: str,
    title: str,
    matches: Callable[[str], bool],
    facts: Callable[[str, str], Facts],
    sentence: Callable[[Facts], str],
) -> Source:
    """A source for a tool's output. `facts` gets the text and the command before it; `sentence` summarises the rows for users."""

    def recognise(file: InputFile, head: bytes) -> Recognition:
        text = "" if b"\0" in head[:1024] and not is_utf_16(head) else text_of_head(head)
        text = "\n".join(islice((line for line in text.splitlines() if line.strip()), LINES))
        if RECORD_BEGINS.match(text) or not matches(text):
            return Recognition(False, f"no lines of {title} in it, or others that are more")
        return Recognition(True, f"what {title} output: it contains no records", SCORE)

    def cut(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
        (split,) = whole(id, file, number, topic, partition, replica, command=file.command)
        return [replace(split, end=min(split.end, MAX_BYTES))]

    def read(split: Split) -> Iterator[Chunk]:
        rows = facts(text_of(read_bytes(split.path, split.end)), str(split.detail.get("command", "")))
        others = {
            name: table(split, as_read(name, table_rows)) for name, table_rows in rows.items() if table_rows
        }
        yield Chunk(others=others, note=sentence(rows))

    return Source(id=id, title=title, kind="companion", recognise=recognise, read=read, cut=cut)


def as_read(name: str, rows: list[Row]) -> Read:
    names = list(rows[0])
    return Read(name, columns_of(names, [[row[column] for column in names] for row in rows]))


def are_most(lines: int, text: str) -> bool:
    return lines * 2 > sum(bool(line.strip()) for line in text.splitlines())
