"""Headers in their three forms: a flat array, an array of named pairs, an object.

Arrays keep order and duplicates. An object keeps its order; duplicates were lost before it was written.
"""

from __future__ import annotations

import numpy as np

from spark.sources._json import scan
from spark.sources._json.records import Headers, RecordField
from spark.sources._json.spans import Spans, items, members, pairs


def flat(arrays: Spans) -> Headers:
    """`[name, value, name, value]`; a name without a value gets null."""
    counts, all_items = items(arrays)
    pair_counts = (counts + 1) // 2
    row_starts, pair_starts = np.cumsum(counts) - counts, np.cumsum(pair_counts) - pair_counts
    within = np.arange(len(all_items)) - np.repeat(row_starts, counts)
    is_name = within % 2 == 0
    target = (np.repeat(pair_starts, counts) + within // 2)[~is_name]
    values = _nulls(arrays, int(pair_counts.sum()))
    values.kinds[target] = all_items.kinds[~is_name]
    values.starts[target] = all_items.starts[~is_name]
    values.ends[target] = all_items.ends[~is_name]
    return Headers(pair_counts, all_items.only(is_name), RecordField(values))


def _nulls(like: Spans, rows: int) -> Spans:
    kinds = np.full(rows, scan.NULL, np.uint8)
    return Spans(like.buffer, kinds, np.zeros(rows, np.int64), np.zeros(rows, np.int64))


def named(arrays: Spans) -> Headers:
    """`[{"key": name, "value": value}]`."""
    counts, objects = items(arrays)
    names, values, string_values = members(objects, "key", "value", "stringValue")
    return Headers(counts, names, RecordField(first_present(values, string_values)))


def mapped(objects: Spans) -> Headers:
    """`{name: value}`."""
    counts, names, values = pairs(objects)
    return Headers(counts, names, RecordField(values))


def either(arrays: Spans) -> Headers:
    """Objects or arrays, whichever occur; the first array decides between `named` and `flat`."""
    if (arrays.plain_kinds == scan.OBJECT).any():
        return mapped(arrays)
    _, first_items = items(arrays.only(np.flatnonzero(arrays.plain_kinds == scan.ARRAY)[:1]))
    has_objects = len(first_items) > 0 and first_items.plain_kinds[0] == scan.OBJECT
    return named(arrays) if has_objects else flat(arrays)


def first_present(*choices: Spans) -> Spans:
    chosen = choices[0]
    for other in choices[1:]:
        absent = chosen.is_absent
        chosen = Spans(
            chosen.buffer,
            np.where(absent, other.kinds, chosen.kinds),
            np.where(absent, other.starts, chosen.starts),
            np.where(absent, other.ends, chosen.ends),
        )
    return chosen
