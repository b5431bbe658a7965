"""Companions of a journal: what Kafka's tools print of a cluster, recognised by lines and read whole into rows.

    tool_print     makes the source of one tool; its module has the parser
    rows, number   tables of padded columns: header => name (spaces name)*     row => cell (spaces cell)*
    settings_...   properties of topics as rows of `properties`, like a backup's metadata and a capture's manifest

A parser returns the rows that it finds, in order, and skips other lines, such as a prompt or a warning. A text counts as a
tool's output if most of its lines are the tool's: a value of a dump may quote one. A cell contains no space; an empty one
is printed as `-` or not at all, the last may be missing, and a header may be repeated for another group.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from spark.sources import Chunk, InputFile, Recognition, Source, Split, whole
from spark.sources._grammar.declared import LOGGED
from spark.sources._lines.lines import is_utf_16, text_of, text_of_head
from spark.sources.companion.rows import Read, columns_of, table
from spark.storage.files import read_bytes
from spark.terms.wording import some

TOOL_PRINTS = (
    "kafka-topics-describe",
    "kafka-configs-describe",
    "kafka-get-offsets",
    "kafka-transactions",
    "kafka-consumer-groups",
    "log-cleaner-lines",
)  # ids of the sources
Row = dict[str, str]  # a printed table's row by column name
Fact = dict[str, Any]
Facts = dict[str, list[Fact]]  # by table; all rows of a table have the same members
MAX_BYTES = 64 * 1024 * 1024
LINES = 2_000  # with text in them, that recognition looks at
SCORE = 88  # above every layout of text, below what a name and a checksum prove
# What a record begins with in a dump that people make; its values may quote a print.
RECORD_BEGINS = re.compile(
    r"\s*(?:\{|\[\s*[{\"]|(?:CreateTime|LogAppendTime|NoTimestampType|Partition|Offset|baseOffset|offset|\| offset): ?-?\d)"
)
ENDS = re.compile(r"[│|]?\s*$")
SHOWN = ("cleanup.policy", "min.compaction.lag.ms", "retention.ms", "message.format.version", "replicas")
TOPICS_NAMED = 5


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
        if (
            RECORD_BEGINS.match(text)
            or not matches(text)
            or any(declared.begins(head) for declared in LOGGED)
        ):
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


def as_read(name: str, rows: list[Fact]) -> Read:
    names = list(rows[0])
    return Read(name, columns_of(names, [[row[column] for column in names] for row in rows]))


def are_most(lines: int, text: str) -> bool:
    return lines * 2 > sum(bool(line.strip()) for line in text.splitlines())


def rows(text: str, headers: Collection[tuple[str, ...]], least: int = 1) -> Iterator[Row]:
    """Rows of every table with one of these headers; up to `least` - 1 cells at a row's end may be missing."""
    header: tuple[str, ...] | None = None
    for line in text.splitlines():
        cells = tuple(ENDS.sub("", line).replace(",", " ").split())
        if (starts := beginning(cells, headers)) is not None:
            header = starts
        elif not cells:
            continue
        elif header is not None and len(header) - least < len(cells) <= len(header):
            yield dict(zip(header, cells, strict=False))


def beginning(cells: tuple[str, ...], headers: Collection[tuple[str, ...]]) -> tuple[str, ...] | None:
    """The header that a line is, whatever prompt precedes it."""
    for header in headers:
        if cells[-len(header) :] == header and len(cells) <= len(header) + 3:
            return header
    return None


def number(cell: str | None) -> int | None:
    """A 64-bit integer; None for `-`, `None` and anything else."""
    if cell is None or not re.fullmatch(r"-?\d{1,19}", cell, re.ASCII):
        return None
    value = int(cell)
    return value if -(2**63) <= value < 2**63 else None


@dataclass(frozen=True)
class Setting:
    """A property of a topic; `partition` is None for the whole topic."""

    topic: str
    partition: int | None
    name: str
    value: str


def settings_facts(rows: Iterable[Setting]) -> Facts:
    """One row for each setting; those of the whole topic have partition 0."""
    return {
        "properties": [
            {"topic": row.topic, "partition": row.partition or 0, "name": row.name, "value": row.value}
            for row in rows
        ]
    }


def settings_sentence(rows: Facts) -> str:
    """The settings that matter to a journal, by topic."""
    topics = dict.fromkeys(row["topic"] for row in rows["properties"])
    if not topics:
        return "It names no topic: settings of brokers, users or clients are not used."
    return f"Settings of {some([topic_settings(topic, rows) for topic in topics], TOPICS_NAMED)}."


def topic_settings(topic: str, rows: Facts) -> str:
    """`orders (cleanup.policy=compact)`."""
    named = [row for row in rows["properties"] if row["topic"] == topic and row["name"] in SHOWN]
    settings = dict.fromkeys(f"{row['name']}={row['value']}" for row in named)
    return f"{topic} ({', '.join(settings)})" if settings else topic
