"""Repeated records: someone ran the tool again, and the text contains both outputs. The second is not counted.

A record is a repeat if its whole text is equal, including the offset: the batch with its records for kafka-dump-log, the line
for other tools. Of a batch printed with and without its records, the fuller one stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import REPEAT, Aside, ToolOutput

HAS_OFFSET = re.compile(rb'(?:^|\s|[{,"])"?[Oo]ffset"?\s?[:=] ?\d')
RECORD_PART = re.compile(
    rb'"(?:\w*partition\w*|\w*topic\w*|\w*key|\w*value|payload|content|message\w*|body|data|\w*timestamp\w*|ts|time)" ?:',
    re.IGNORECASE,
)
DUMPING = re.compile(rb"Dumping (.*)")
BATCH = re.compile(rb"baseOffset: |offset: ")
RECORD = re.compile(rb"[|-] offset: ")


@dataclass
class Unit:
    """A record, or a batch with its records: its place in its output, and what identifies it when repeated."""

    output: int
    run: int  # of the tool; within one, nothing is a repeat
    start: int
    end: int
    name: bytes
    text: bytes
    records: int


@dataclass
class Units:
    """The units of all outputs, and the fullest of each name so far."""

    runs: int = 0
    first: dict[bytes, Unit] = field(default_factory=dict)
    repeats: list[Unit] = field(default_factory=list)

    def take(self, unit: Unit) -> None:
        earlier = self.first.get(unit.name)
        if earlier is None:
            self.first[unit.name] = unit
        elif earlier.run != unit.run and (earlier.text == unit.text or not unit.records):
            self.repeats.append(unit)
        elif earlier.run != unit.run and not earlier.records:
            self.repeats.append(earlier)
            self.first[unit.name] = unit


def without_repeats(outputs: list[ToolOutput]) -> tuple[list[ToolOutput], list[Aside]]:
    """The outputs without what an earlier one contains, and the removed lines."""
    units = Units()
    for number, output in enumerate(outputs):
        for unit in units_of(output, number, units):
            units.take(unit)
    asides = [aside for unit in units.repeats for aside in asides_of(outputs[unit.output], unit)]
    dropped = {(unit.output, line) for unit in units.repeats for line in range(unit.start, unit.end)}
    for number, output in enumerate(outputs):
        keep = [line for line in range(len(output.lines)) if (number, line) not in dropped]
        if len(keep) < len(output.lines):
            output.lines, output.begins = [output.lines[k] for k in keep], [output.begins[k] for k in keep]
    return outputs, asides


def units_of(output: ToolOutput, number: int, units: Units) -> Iterator[Unit]:
    if output.tool == "dump":
        yield from batches(output, number, units)
    elif output.tool in ("console", "json"):
        yield from lines(output, number, units)


def lines(output: ToolOutput, number: int, units: Units) -> Iterator[Unit]:
    """Each record that shows an offset, with its continuation lines. A value may have an offset of its own, and nothing else."""
    units.runs += 1
    texts: set[bytes] = set()
    starts = [k for k, begins in enumerate(output.begins) if begins]
    for start, end in pairwise([*starts, len(output.lines)]):
        text = joined(output.lines[start:end]).rstrip()
        if HAS_OFFSET.search(text) and (output.tool != "json" or RECORD_PART.search(text)):
            if text in texts:
                units.runs += 1
                texts = set()
            texts.add(text)
            yield Unit(number, units.runs, start, end, output.tool.encode() + text, text, 1)


def batches(output: ToolOutput, number: int, units: Units) -> Iterator[Unit]:
    """Each batch with its records, identified by the dumped file and its own line."""
    units.runs += 1
    dumped = b""
    starts = [k for k, line in enumerate(output.lines) if output.begins[k] and not RECORD.match(line.text)]
    for start, end in pairwise([*starts, len(output.lines)]):
        text = output.lines[start].text
        if match := DUMPING.match(text):
            dumped = match[1]
            units.runs += 1
        elif BATCH.match(text):
            count = sum(bool(RECORD.match(line.text)) for line in output.lines[start:end])
            is_old = text.startswith(b"offset: ")
            name = dumped + b"\n" + text
            yield Unit(
                number, units.runs, start, end, name, joined(output.lines[start:end]).rstrip(), count + is_old
            )


def joined(upload_lines: list[UploadLine]) -> bytes:
    return b"\n".join(line.text for line in upload_lines)


def asides_of(output: ToolOutput, unit: Unit) -> Iterator[Aside]:
    """The lines of a repeat; the first counts its records."""
    for number in range(unit.start, unit.end):
        line = output.lines[number]
        if line.text.strip():
            yield Aside(line, REPEAT, unit.records if number == unit.start else 0)
