"""The same record twice: somebody ran the tool again, and both prints are in the text. The second is not counted.

A record is the same where its whole print is, its offset included: the batch with its records in a print of
kafka-dump-log, the line elsewhere. Of a batch printed once with and once without its records the fuller stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import REPEAT, Aside, PrintPart

HAS_OFFSET = re.compile(rb'(?:^|\s|[{,"])"?[Oo]ffset"?\s?[:=] ?\d')
DUMPING = re.compile(rb"Dumping (.*)")
BATCH = re.compile(rb"baseOffset: |offset: ")
RECORD = re.compile(rb"[|-] offset: ")


@dataclass
class Unit:
    """A record, or a batch with its records: where it stands in its part, and what makes it the same as another."""

    part: int
    run: int  # of the tool; within one, nothing is a repeat
    start: int
    end: int
    name: bytes
    text: bytes
    records: int


@dataclass
class Units:
    """The units of all parts; the fullest of each name so far."""

    runs: int = 0
    first: dict[bytes, Unit] = field(default_factory=dict)
    repeats: list[Unit] = field(default_factory=list)

    def take(self, unit: Unit) -> None:
        """One more."""
        known = self.first.get(unit.name)
        if known is None:
            self.first[unit.name] = unit
        elif known.run != unit.run and (known.text == unit.text or not unit.records):
            self.repeats.append(unit)
        elif known.run != unit.run and not known.records:
            self.repeats.append(known)
            self.first[unit.name] = unit


def without_repeats(parts: list[PrintPart]) -> tuple[list[PrintPart], list[Aside]]:
    """The parts without what an earlier one has, and what that is."""
    units = Units()
    for number, part in enumerate(parts):
        for unit in units_of(part, number, units):
            units.take(unit)
    asides = [aside for unit in units.repeats for aside in asides_of(parts[unit.part], unit)]
    dropped = {(unit.part, line) for unit in units.repeats for line in range(unit.start, unit.end)}
    for number, part in enumerate(parts):
        keep = [line for line in range(len(part.lines)) if (number, line) not in dropped]
        if len(keep) < len(part.lines):
            part.lines, part.begins = [part.lines[k] for k in keep], [part.begins[k] for k in keep]
    return parts, asides


def units_of(part: PrintPart, number: int, units: Units) -> Iterator[Unit]:
    """The units of one part."""
    if part.tool == "dump":
        yield from batches(part, number, units)
    elif part.tool in ("console", "json", "consumed"):
        yield from lines(part, number, units)


def lines(part: PrintPart, number: int, units: Units) -> Iterator[Unit]:
    """Each record with its further lines, where it tells an offset."""
    units.runs += 1
    seen: set[bytes] = set()
    starts = [k for k, begins in enumerate(part.begins) if begins]
    for start, end in pairwise([*starts, len(part.lines)]):
        text = joined(part.lines[start:end]).rstrip()
        if HAS_OFFSET.search(text):
            if text in seen:
                units.runs += 1
                seen = set()
            seen.add(text)
            yield Unit(number, units.runs, start, end, part.tool.encode() + text, text, 1)


def batches(part: PrintPart, number: int, units: Units) -> Iterator[Unit]:
    """Each batch with its records, named by the file that was dumped and its own line."""
    units.runs += 1
    dumped = b""
    starts = [k for k, line in enumerate(part.lines) if part.begins[k] and not RECORD.match(line.text)]
    for start, end in pairwise([*starts, len(part.lines)]):
        text = part.lines[start].text
        if match := DUMPING.match(text):
            dumped = match[1]
            units.runs += 1
        elif BATCH.match(text):
            count = sum(bool(RECORD.match(line.text)) for line in part.lines[start:end])
            is_old = text.startswith(b"offset: ")
            name = dumped + b"\n" + text
            yield Unit(
                number, units.runs, start, end, name, joined(part.lines[start:end]).rstrip(), count + is_old
            )


def joined(upload_lines: list[UploadLine]) -> bytes:
    """Several lines as one text."""
    return b"\n".join(line.text for line in upload_lines)


def asides_of(part: PrintPart, unit: Unit) -> Iterator[Aside]:
    """The lines of a repeat; the first counts its records."""
    for number in range(unit.start, unit.end):
        line = part.lines[number]
        if line.text.strip():
            yield Aside(line, REPEAT, unit.records if number == unit.start else 0)
