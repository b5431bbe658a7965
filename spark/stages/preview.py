"""Preview: what an inspection of one pasted text would read and set aside. No Spark session, nothing kept.

Its caller (`spark.entry.preview_server`) gives a folder of its own for the prints. The document:

    size_bytes, lines    of the text
    refused              a sentence where an inspection would refuse the text, else ""; `tried`: what was tried
    question             where columns must be named: see `spark.sources._columns.question`; else null
    is_counted           false: time was over before all records were counted
    parts                one for each print, in order; see `Counted`
    set_aside            kind -> lines that are no output of a tool
    runs                 [first line, last line, number of the part or 0, kind] in order, MAX_RUNS at most
    runs_to_line         the last line that they cover
    ticket               number of one that the text around the prints names, else ""
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark.sources import Chunk, InputFile, Split
from spark.sources._wrapping.lines import UploadLine, encoding_of, lines_of
from spark.sources._wrapping.written import DUMPS, line_map, read_split
from spark.sources.dump_log_text.recognise import DAMAGE, RECORD, kind_in_dump
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.stages.plan import InspectionPlan, plan_inputs
from spark.stages.prints.joined import joined
from spark.terms.errors import UnknownColumns, UnreadableInput

MAX_RUNS = 20_000
PLACES_OF_ITS_OWN = (*DUMPS, "log-segment")  # whose records name places in a log, not in the text
TEXT = "pasted"
COMPANION = "companion"
NOTHING: dict[str, Any] = {
    "is_counted": True,
    "parts": [],
    "set_aside": {},
    "runs": [],
    "runs_to_line": 0,
    "ticket": "",
}
# `OPS-4711`, and not the issues and proposals of Kafka, names of algorithms and standards, or `broker-1`.
TICKET = re.compile(
    r"(?<![\w./-])(?!(?:AES|CRC|CVE|HTTP|IBM|ISO|KAFKA|KIP|MD|RFC|RSA|SHA|UTF)-)[A-Z][A-Z0-9]{1,9}-\d{2,7}(?![\w-]|\.\d)"
)
MEMBERS = ("number", "layout", "title", "kind", "note", "records", "batches", "entries", "damage")

ByteRange = tuple[int, int]  # bytes of the text: first, behind the last


@dataclass
class Counted:
    """One print: what it is, its lines, how much is in it."""

    number: int
    layout: str
    title: str
    kind: str
    note: str
    span: ByteRange
    lines: ByteRange = (0, 0)
    records: int = 0
    batches: int = 0
    entries: int = 0  # of what is no log and counts nothing itself, such as an index
    damage: int = 0
    control: Counter[str] = field(default_factory=Counter)
    topics: set[tuple[str, int]] = field(default_factory=set)
    described: set[str] = field(default_factory=set)  # topics of which a tool's output tells something
    offsets: ByteRange | None = None
    marks: dict[int, str] = field(default_factory=dict, repr=False)  # byte -> kind of the line that it is in

    def add(self, chunk: Chunk, split: Split) -> None:
        self.batches += chunk.batches.num_rows if chunk.batches is not None else 0
        if self.kind == COMPANION and chunk.note:
            self.note = chunk.note  # counts what people see: partitions rather than rows of ours
            tables = (table for table in chunk.others.values() if "topic" in table.column_names)
            self.described |= {
                topic for table in tables for topic in table.column("topic").unique().to_pylist()
            }
        else:
            self.entries += sum(table.num_rows for table in chunk.others.values())
        if chunk.damage is not None:
            self.damage += chunk.damage.num_rows
            self.marks |= dict.fromkeys(chunk.damage.column("position").to_pylist(), DAMAGE)
        if chunk.records is not None and chunk.records.num_rows:
            self.add_records(chunk.records, split)

    def add_records(self, records: pa.Table, split: Split) -> None:
        """How many, of which partitions, from which offset to which."""
        control = records.column("control_type")
        self.control.update(kind for kind in control.to_pylist() if kind)
        self.records += control.null_count
        pairs = zip(records.column("topic").to_pylist(), records.column("partition").to_pylist(), strict=True)
        self.topics |= {pair for pair in set(pairs) if pair[0] != UNKNOWN_TOPIC}
        if "offset" not in split.lacks:
            bounds = pc.min_max(records.column("offset")).as_py()
            ends = [end for end in (self.offsets or ()) if end is not None]
            self.offsets = (min([bounds["min"], *ends]), max([bounds["max"], *ends]))
        if split.source not in PLACES_OF_ITS_OWN:
            self.marks = dict.fromkeys(records.column("batch_position").to_pylist(), RECORD) | self.marks

    def document(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in MEMBERS},
            "first_line": self.lines[0],
            "last_line": self.lines[1],
            "control": dict(self.control),
            "partitions": [{"topic": topic, "partition": number} for topic, number in sorted(self.topics)],
            "described": sorted(filter(None, self.described)),
            "first_offset": self.offsets and self.offsets[0],
            "last_offset": self.offsets and self.offsets[1],
        }


def preview(content: bytes, name: str, folder: Path, max_seconds: float) -> dict[str, Any]:
    """What an inspection would read of a text. Records are counted until `max_seconds` are over."""
    deadline = time.monotonic() + max_seconds
    lines = lines_of(content, encoding_of(content[:4096]) or "utf-8")
    document: dict[str, Any] = {
        "size_bytes": len(content),
        "lines": len(lines),
        "refused": "",
        "tried": "",
        "question": None,
    }
    path = folder / TEXT
    path.write_bytes(content)
    try:
        plan = plan_inputs([InputFile(name, str(path), len(content))], {}, None, folder / "prints")
    except UnknownColumns as why:
        document |= {"refused": str(why), "question": why.question}
        return document | NOTHING
    except UnreadableInput as why:
        refused, _, tried = str(why).partition("\n\n")
        document |= {"refused": refused, "tried": tried}
        return document | NOTHING
    plan = joined(plan, lambda work_of, due: [work_of(group) for group in due])
    prints = prints_of(plan, len(content))
    is_counted = count(prints, plan, deadline)
    asides = {row["line"]: row for row in plan.set_aside}
    runs = list(runs_of(lines, prints, asides))
    first_runs = runs[:MAX_RUNS]
    return document | {
        "is_counted": is_counted,
        "parts": [counted.document() for counted in prints],
        "set_aside": dict(Counter(row["kind"] for row in plan.set_aside)),
        "runs": first_runs,
        "runs_to_line": first_runs[-1][1] if first_runs else 0,
        "ticket": ticket_in(row["text"] for row in plan.set_aside if row["kind"] == "text"),
    }


def ticket_in(lines: Iterable[str]) -> str:
    """The first number of a ticket in text around the prints."""
    return next((named[0] for line in lines if (named := TICKET.search(line))), "")


def prints_of(plan: InspectionPlan, size_bytes: int) -> list[Counted]:
    """One for each file of the plan that a layout reads, with its bytes of the text."""
    splits = {split.file: split for split in reversed(plan.splits)}
    prints: list[Counted] = []
    for row in plan.files:
        split = splits.get(row["file"])
        if split is not None:
            words = (row["layout"], row["layout_title"], row["kind"], row["note"])
            prints.append(Counted(len(prints) + 1, *words, span_of(split, size_bytes)))
    return prints


def span_of(split: Split, size_bytes: int) -> ByteRange:
    """Where a print lies in the text."""
    if not split.detail.get("is_written"):
        return 0, size_bytes
    positions = line_map(split.path)[1]
    return int(positions[0]), int(positions[-1])


def count(prints: list[Counted], plan: InspectionPlan, deadline: float) -> bool:
    """Read all splits until the deadline; whether it was far enough away."""
    files = sorted({split.file for split in plan.splits})
    for split in plan.splits:
        counted = prints[files.index(split.file)]
        for chunk in read_split(split):
            counted.add(chunk, split)
            if time.monotonic() > deadline:
                return False
    return True


def runs_of(
    lines: list[UploadLine], prints: list[Counted], asides: dict[int, dict[str, Any]]
) -> Iterator[list[Any]]:
    """Lines that follow one another and are the same; writes down which lines a part has."""
    labelled = ((line.number, *what_is(line, prints, asides)) for line in lines)
    for (number, kind), group in groupby(labelled, key=lambda label: label[1:]):
        numbers = [label[0] for label in group]
        if number:
            counted = prints[number - 1]
            counted.lines = (counted.lines[0] or numbers[0], numbers[-1])
        yield [numbers[0], numbers[-1], number, kind]


def what_is(line: UploadLine, prints: list[Counted], asides: dict[int, dict[str, Any]]) -> tuple[int, str]:
    """Number of the part that a line is in, or 0, and what it is."""
    aside = asides.get(line.number)
    if aside and aside["position"] <= line.start and aside["position"] + aside["size_bytes"] >= line.end:
        return 0, str(aside["kind"])
    counted = next(
        (counted for counted in prints if counted.span[0] < line.end and line.start < counted.span[1]), None
    )
    if counted is None:
        return 0, ""
    if counted.layout in DUMPS:
        return counted.number, kind_in_dump(line.text)
    marks = (counted.marks.get(position, "") for position in (line.start, max(line.start, counted.span[0])))
    return counted.number, next(filter(None, marks), "")
