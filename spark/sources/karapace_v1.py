"""Karapace schema backup, version 1: one JSON array of pairs, read by later versions, no longer written.

    [[key, value], ...]      key: object, or a string of JSON; value: the same, or null

Offsets are the numbers of the pairs. Objects are kept as compact JSON; the bytes on the broker are unknown.
Source: Karapace `backup/backends/v1.py`.
"""

from __future__ import annotations

import json

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources._json import scan
from spark.sources._json.layout import Layout
from spark.sources._json.records import Fields, RecordField
from spark.sources._json.spans import Spans, items
from spark.sources._json.stream import OPENING, item_windows

NAMES = ("pair",)
KEY_MEMBER = '"keytype"'
NO_PAIRS = Recognition(False, "its first item is not a pair of key (with a keytype) and value")
NOTE = "offsets are row numbers; keys and values are JSON text, not the bytes on the broker"


def recognise(file: InputFile, head: bytes) -> Recognition:
    """An array whose first item is a pair with a schema registry's key."""
    opening = OPENING.match(head)
    if opening is None:
        return Recognition(False, "not a JSON array")
    text = head[opening.end() :].decode("latin-1").lstrip()
    try:
        first, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        is_cut = text.startswith("[") and KEY_MEMBER in text[:512] and len(head) < file.size_bytes
        return Recognition(True, f"an array of pairs; {NOTE}", 60) if is_cut else NO_PAIRS
    is_pair = (
        isinstance(first, list) and len(first) == 2 and KEY_MEMBER in json.dumps(first[0]).replace("\\", "")
    )
    return Recognition(True, f"V1, an array of pairs of key and value; {NOTE}", 60) if is_pair else NO_PAIRS


def fields(columns: list[Spans]) -> Fields:
    """Key and value of each pair; an item that is not a pair is damage."""
    counts, sides = items(columns[0])
    keys, values = pair_sides(columns[0], counts, sides)
    return Fields(offset=None, key=RecordField(keys), value=RecordField(values), is_readable=counts == 2)


def pair_sides(arrays: Spans, counts: scan.Places, sides: Spans) -> tuple[Spans, Spans]:
    """First and second item of every row; absent unless the row has exactly two."""
    firsts = np.minimum(np.cumsum(counts) - counts, max(len(sides) - 2, 0))
    is_pair = counts == 2
    if not is_pair.any():
        nothing = arrays.masked_by(is_pair)
        return nothing, nothing
    return sides.only(firsts).masked_by(is_pair), sides.only(firsts + 1).masked_by(is_pair)


layout = Layout("karapace-v1", NAMES, fields, item_windows, is_cut=False)
source = layout.source(
    "Karapace schema backup, version 1",
    recognise,
    lacks={"topic", "offset", "timestamps", "headers", "exact-bytes", "null-or-empty"},
)
