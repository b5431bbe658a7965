"""Reads a JSON layout from end to end: splits, the string encoding judged by a sample, windows as chunks.

A large file is cut before an object that is first on its line with the indent of the first object. A string contains no
line feed and nested objects have more indent, so such a position begins a record. A file without one (an array on one
line) stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from spark.sources import EXPORT_LACKS, Chunk, InputFile, Recognition, Source, Split
from spark.sources._json import numbers, records, scan, strings
from spark.sources._json.records import Fields, FieldsOf, RecordField, Tally, Whereabouts
from spark.sources._json.spans import Spans, to_bytes, to_text, to_whole_numbers
from spark.sources._json.stream import WINDOW_BYTES, StreamWindow, UnreadSpan, windows
from spark.sources._json.string_encodings import HighText, StringEncoding, choose, choose_characters
from spark.sources._split_points import SPLIT_BYTES, find_behind, split_points
from spark.storage.files import file_size, read_bytes

SAMPLE_RANGES = 8
SAMPLE_BYTES = 1024 * 1024  # of each range
SAMPLE_ROWS = 200  # of each window
HEAD_BYTES = 64 * 1024


WindowsOf = Callable[..., Iterator[StreamWindow]]


@dataclass(frozen=True)
class Layout:
    """A text layout: the members it reads (the first is in every record) and how it converts them."""

    id: str
    names: tuple[str, ...]
    fields: FieldsOf
    windows: WindowsOf = windows
    is_cut: bool = True  # at the beginnings of objects; else a file is read in one piece
    offset_name: str = ""  # where it is not the first of the names

    def source(
        self,
        title: str,
        recognise: Callable[[InputFile, bytes], Recognition],
        lacks: Collection[str] = (),
    ) -> Source:
        """The layout as a source. `lacks`: in addition to what all exports lack."""
        return Source(self.id, title, "export", recognise, self.read, EXPORT_LACKS.union(lacks), self.split)

    def split(self, file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
        """Splits of about 24 MB at lines or elements, each with what was found for the whole file."""
        survey = self.survey(file.path)
        detail: dict[str, object] = {"reading": survey.reading.to_json(), "topic": survey.topic}
        detail["partition"] = survey.partition
        places = borders(file.path) if self.is_cut else [0, file_size(file.path)]
        return [
            Split(number, file.path, file.name, self.id, start, end, topic, partition, replica, detail)
            for start, end in pairwise(places)
        ]

    def read(self, split: Split, window_bytes: int = WINDOW_BYTES) -> Iterator[Chunk]:
        """Chunks of records and damage. The first states how strings are read, the last what did not fit."""
        reading, whereabouts = _from_detail(split)
        file_bytes = file_size(split.path)
        tally = Tally()
        announced = None
        for window in self.windows(split.path, split.start, split.end, self.names, window_bytes):
            fields = self.fields(window.members)
            if reading.characters is None:  # the sample had none above U+007F
                reading = choose_characters(reading, _high_texts(fields))
            table, is_good = records.table(split, window, fields, reading, tally)
            why = records.NOT_A_PAIR if fields.offset is None else records.NOT_A_NUMBER
            unreadable = records.unreadable(window, is_good, why)
            spans = sorted([*window.damage, *unreadable], key=lambda s: s.start)
            damage = self._damage(split, spans, table, whereabouts, file_bytes) if spans else None
            whereabouts = whereabouts.after(table)
            news = reading.sentence if reading.sentence != announced and len(table) else None
            announced = news or announced
            yield Chunk(records=table, damage=damage, note=news)
        if leftovers := tally.sentences(reading):
            yield Chunk(note=leftovers)

    def _damage(
        self, split: Split, spans: list[UnreadSpan], rows: pa.Table, whereabouts: Whereabouts, file_bytes: int
    ) -> pa.Table:
        starts = np.array([span.start for span in spans], np.int64)
        names = self.names[0], self.offset_name or self.names[0]
        return records.damage(split, spans, whereabouts.before(starts, rows), names, file_bytes)

    def survey(self, path: str) -> LayoutSurvey:
        """What a sample of the file shows for all of it."""
        keys: list[bytes] = []
        values: list[bytes] = []
        high: list[HighText] = []
        topic, partition = None, None
        for start, end in _sample_ranges(file_size(path)):
            for window in self.windows(path, start, end, self.names):
                fields = self.fields(window.members)
                keys += _texts(fields.key)
                values += _texts(fields.value)
                high += _high_texts(fields)
                topic = topic or _first_topic(fields)
                partition = _first_partition(fields) if partition is None else partition
        return LayoutSurvey(choose(keys, values, high), topic, partition)


@dataclass(frozen=True)
class LayoutSurvey:
    """How the file's strings are read, and the topic and partition of its first record."""

    reading: StringEncoding
    topic: str | None
    partition: int | None


def _first_topic(fields: Fields) -> str | None:
    named = fields.topic.only(~fields.topic.is_null) if fields.topic else None
    return to_text(named.only(slice(0, 1)))[0].as_py() if named else None


def _first_partition(fields: Fields) -> int | None:
    if fields.partition is None or len(fields.partition) == 0:
        return None
    numbers_read, states = to_whole_numbers(fields.partition.only(slice(0, 1)))
    return int(numbers_read[0]) if states[0] == numbers.WHOLE and 0 <= numbers_read[0] < 2**31 else None


def _from_detail(split: Split) -> tuple[StringEncoding, Whereabouts]:
    detail = split.detail
    topic, partition = detail.get("topic") or split.topic, detail.get("partition")
    whereabouts = Whereabouts(str(topic), partition if isinstance(partition, int) else split.partition)
    reading = detail["reading"]
    return StringEncoding(**reading) if isinstance(reading, dict) else StringEncoding(), whereabouts


def _sample_ranges(size_bytes: int) -> list[tuple[int, int]]:
    if size_bytes <= SAMPLE_RANGES * SAMPLE_BYTES:
        return [(0, size_bytes)]
    last = size_bytes - SAMPLE_BYTES
    starts = [last * k // (SAMPLE_RANGES - 1) for k in range(SAMPLE_RANGES)]
    return [(start, start + SAMPLE_BYTES) for start in starts]


def _sampled(spans: Spans) -> Spans:
    step = max(1, len(spans) // SAMPLE_ROWS)
    return spans.only(slice(None, None, step))


def _texts(field: RecordField) -> list[bytes]:
    """Strings of a field, neither null nor empty; none if the layout defines their encoding."""
    if field.is_told:
        return []
    is_text = (field.text.plain_kinds == scan.STRING) & (field.text.ends > field.text.starts)
    texts: list[bytes] = to_bytes(_sampled(field.text.only(is_text))).column.to_pylist()
    return texts


def _high_texts(fields: Fields) -> list[HighText]:
    """Keys and values with characters above U+007F; content records first, because their lengths decide."""
    high_texts = []
    for field in (fields.key, fields.value):
        if field.is_told:
            continue
        spans = _sampled(field.text.only(field.text.kinds & (scan.HIGH | scan.HIGH_ESCAPES) != 0))
        readings = (
            to_bytes(spans, reading).column for reading in (strings.UTF_8, strings.BYTES, strings.LATIN_1)
        )
        texts = zip(*(column.to_pylist() for column in readings), strict=True)
        high_texts += [
            HighText(int(flags), *text) for flags, text in zip(np.atleast_1d(spans.kinds), texts, strict=True)
        ]
    return high_texts


def borders(path: str, split_bytes: int = SPLIT_BYTES) -> list[int]:
    """0, positions to cut about every `split_bytes`, the file's size."""
    size_bytes = file_size(path)
    opening = _opening(path)
    if opening is None:
        return [0, size_bytes]
    pattern = re.compile(rb"\n(?=%b)" % re.escape(opening))
    return split_points(
        size_bytes, lambda start: find_behind(path, pattern, start, start + split_bytes), split_bytes
    )


def _opening(path: str) -> bytes | None:
    """Indent and brace of the first record."""
    head = read_bytes(path, HEAD_BYTES)
    brace = head.find(b"{")
    indent = head[head.rfind(b"\n", 0, max(brace, 0)) + 1 : max(brace, 0)].removeprefix(b"\xef\xbb\xbf")
    return indent + b"{" if brace >= 0 and indent.strip() in (b"", b"data:") else None
