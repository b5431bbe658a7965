"""A layout read from end to end: cut into splits, its reading found from a sample, its windows made into chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from spark.sources import Chunk, InputFile, Split
from spark.sources._json import records, scan, strings
from spark.sources._json.borders import borders
from spark.sources._json.readings import HighText, Reading, choose, choose_characters
from spark.sources._json.records import Field, Fields, FieldsOf, Tally
from spark.sources._json.spans import Spans, to_bytes
from spark.sources._json.stream import WINDOW_BYTES, windows

SAMPLE_RANGES = 8
SAMPLE_BYTES = 1024 * 1024  # of each range
SAMPLE_ROWS = 200  # of each window


@dataclass(frozen=True)
class Layout:
    """A JSON layout: the members it looks at (the offset first) and what it makes of them."""

    id: str
    names: tuple[str, ...]
    fields: FieldsOf

    def split(self, file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
        """Stretches of about 32 MB where lines or elements begin, all with the reading found for the whole file."""
        detail: dict[str, object] = {"reading": self.reading(file.path).to_json()}
        places = borders(file.path)
        return [
            Split(number, file.path, file.name, self.id, start, end, topic, partition, replica, detail)
            for start, end in pairwise(places)
        ]

    def read(self, split: Split, window_bytes: int = WINDOW_BYTES) -> Iterator[Chunk]:
        """Chunks of records and damage; the first says how strings are read, the last what did not fit."""
        reading = _from_detail(split) or self.reading(split.path)
        file_bytes = Path(split.path).stat().st_size
        tally = Tally()
        said = None
        for window in windows(split.path, split.start, split.end, self.names, window_bytes):
            fields = self.fields(window.members)
            reading = _decided(reading, fields)
            table, is_good = records.table(split, window, fields, reading, tally)
            stretches = sorted([*window.damage, *records.unreadable(window, is_good)], key=lambda s: s.start)
            damage = records.damage(split, stretches, self.names[0], file_bytes) if stretches else None
            news = reading.sentence if reading.sentence != said and len(table) else None
            said = news or said
            yield Chunk(records=table, damage=damage, note=news)
        if leftovers := tally.sentences(reading):
            yield Chunk(note=leftovers)

    def reading(self, path: str) -> Reading:
        """The reading that a sample of the file speaks for."""
        keys: list[bytes] = []
        values: list[bytes] = []
        high: list[HighText] = []
        for start, end in _sample_ranges(Path(path).stat().st_size):
            for window in windows(path, start, end, self.names):
                fields = self.fields(window.members)
                keys += _texts(fields.key)
                values += _texts(fields.value)
                high += _high_texts(fields)
        return choose(keys, values, high)


def _from_detail(split: Split) -> Reading | None:
    reading = split.detail.get("reading")
    return Reading(**reading) if isinstance(reading, dict) else None


def _decided(reading: Reading, fields: Fields) -> Reading:
    """What high characters mean is found where the first ones turn up, if the sample had none."""
    return choose_characters(reading, _high_texts(fields)) if reading.characters is None else reading


def _sample_ranges(size_bytes: int) -> list[tuple[int, int]]:
    if size_bytes <= SAMPLE_RANGES * SAMPLE_BYTES:
        return [(0, size_bytes)]
    last = size_bytes - SAMPLE_BYTES
    starts = [last * k // (SAMPLE_RANGES - 1) for k in range(SAMPLE_RANGES)]
    return [(start, start + SAMPLE_BYTES) for start in starts]


def _sampled(spans: Spans) -> Spans:
    step = max(1, len(spans) // SAMPLE_ROWS)
    return spans.only(slice(None, None, step))


def _texts(field: Field) -> list[bytes]:
    """Strings of a field, neither null nor empty."""
    is_text = (field.text.plain_kinds == scan.STRING) & (field.text.ends > field.text.starts)
    texts: list[bytes] = to_bytes(_sampled(field.text.only(is_text))).column.to_pylist()
    return texts


def _high_texts(fields: Fields) -> list[HighText]:
    """Keys and values with characters above U+007F; content records first, whose lengths decide."""
    found = []
    for field in (fields.key, fields.value):
        spans = _sampled(field.text.only(field.text.kinds & (scan.HIGH | scan.HIGH_ESCAPES) != 0))
        readings = (
            to_bytes(spans, reading).column for reading in (strings.UTF_8, strings.BYTES, strings.LATIN_1)
        )
        texts = zip(*(column.to_pylist() for column in readings), strict=True)
        found += [
            HighText(int(flags), *text) for flags, text in zip(np.atleast_1d(spans.kinds), texts, strict=True)
        ]
    return found
