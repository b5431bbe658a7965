"""Columns of values that are still in the buffer: the result of a scan, from which tables are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from spark.sources._json import numbers, scan, strings
from spark.sources._json.scan import Bytes, Places

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Spans:
    """One value a row: its kind and flags (see `scan`) and its range in `buffer`."""

    buffer: Bytes
    kinds: Bytes
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.kinds)

    @property
    def plain_kinds(self) -> Bytes:
        return self.kinds & np.uint8(scan.KIND)

    @property
    def is_absent(self) -> Mask:
        return self.plain_kinds == scan.ABSENT

    @property
    def is_null(self) -> Mask:
        """The member is absent or `null`."""
        return self.plain_kinds <= scan.NULL

    def only(self, rows: Any) -> Spans:
        """The rows of a mask, slice or index array; contiguous, otherwise functions would be compiled twice."""
        chosen = (np.ascontiguousarray(column[rows]) for column in (self.kinds, self.starts, self.ends))
        return Spans(self.buffer, *chosen)

    def masked_by(self, mask: Mask) -> Spans:
        """All rows, but absent where the mask is false."""
        return Spans(self.buffer, np.where(mask, self.kinds, np.uint8(scan.ABSENT)), self.starts, self.ends)


@dataclass(frozen=True)
class Values:
    """Bytes of a column, null where the span is, with the problems found (see `strings`)."""

    column: pa.Array
    problems: Bytes

    def __len__(self) -> int:
        return len(self.column)

    @property
    def sizes(self) -> NDArray[np.int32]:
        """Length in bytes, 0 for null."""
        offsets = np.frombuffer(self.column.buffers()[1], np.int32, len(self) + 1)
        return np.diff(offsets)


def name_table(names: Sequence[str]) -> tuple[Bytes, Places]:
    """Member names in the scanner's form."""
    encoded = [name.encode() for name in names]
    starts = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    return np.frombuffer(bytearray(b"".join(encoded)), np.uint8), starts


def members(objects: Spans, *names: str) -> list[Spans]:
    """The named members of objects; absent where a row is not an object."""
    rows, count = len(objects), len(names)
    kinds = np.empty((rows, count), np.uint8)
    starts = np.empty((rows, count), np.int64)
    ends = np.empty((rows, count), np.int64)
    parents = (objects.plain_kinds, objects.starts, objects.ends)
    scan.scan_members(objects.buffer, *parents, *name_table(names), kinds, starts, ends, new_stack())
    return columns(objects.buffer, kinds, starts, ends)


def columns(buffer: Bytes, kinds: Bytes, starts: Places, ends: Places) -> list[Spans]:
    """A scan's matrices as one Spans for each column."""
    transposed = (np.ascontiguousarray(matrix.T) for matrix in (kinds, starts, ends))
    return [Spans(buffer, *column) for column in zip(*transposed, strict=True)]


def items(arrays: Spans) -> tuple[Places, Spans]:
    """The item count of each array, and all items in sequence; no items where a row is not an array."""
    return _inner(arrays, scan.ARRAY)


def pairs(objects: Spans) -> tuple[Places, Spans, Spans]:
    """The member count of each object, and all names and values in sequence."""
    counts, both = _inner(objects, scan.OBJECT)
    return counts // 2, both.only(slice(0, None, 2)), both.only(slice(1, None, 2))


def _inner(parents: Spans, kind: int) -> tuple[Places, Spans]:
    is_parent = parents.plain_kinds == kind
    room = int(((parents.ends - parents.starts)[is_parent] // 2 + 1).sum())
    counts = np.empty(len(parents), np.int64)
    kinds, starts, ends = np.empty(room, np.uint8), np.empty(room, np.int64), np.empty(room, np.int64)
    spans = (parents.plain_kinds, parents.starts, parents.ends)
    count = scan.scan_inner(parents.buffer, kind, *spans, counts, kinds, starts, ends, new_stack())
    return counts, Spans(parents.buffer, kinds[:count], starts[:count], ends[:count])


def to_bytes(spans: Spans, reading: int = strings.UTF_8, is_base64: bool = False) -> Values:
    rows = len(spans)
    offsets = np.empty(rows + 1, np.int32)
    problems = np.empty(rows, np.uint8)
    out = np.empty(int((spans.ends - spans.starts)[~spans.is_null].sum()), np.uint8)
    size = strings.take(spans.buffer, spans.kinds, spans.starts, spans.ends, reading, out, offsets, problems)
    if is_base64:
        decoded, decoded_offsets = np.empty(size + 3, np.uint8), np.empty(rows + 1, np.int32)
        size = strings.decode_base64(out, offsets, spans.kinds, decoded, decoded_offsets, problems)
        out, offsets = decoded, decoded_offsets
    return Values(binary_array(out[:size], offsets, ~spans.is_null), problems)


def to_whole_numbers(spans: Spans) -> tuple[Places, Bytes]:
    """Numbers, and whether each is present (see `numbers`)."""
    values, states = np.empty(len(spans), np.int64), np.empty(len(spans), np.uint8)
    numbers.whole_numbers(spans.buffer, spans.kinds, spans.starts, spans.ends, values, states)
    return values, states


def to_milliseconds(spans: Spans) -> tuple[Places, Bytes]:
    """Times in milliseconds, from seconds or milliseconds, and whether each is present."""
    values, states = np.empty(len(spans), np.int64), np.empty(len(spans), np.uint8)
    numbers.milliseconds(spans.buffer, spans.kinds, spans.starts, spans.ends, values, states)
    return values, states


def to_text(spans: Spans) -> pa.Array:
    """Strings; invalid UTF-8 is replaced."""
    column = to_bytes(spans).column
    try:
        return column.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array(
            [None if v is None else v.decode(errors="replace") for v in column.to_pylist()], pa.string()
        )


def equals(texts: pa.Array, text: str) -> Mask:
    is_equal = pc.fill_null(pc.equal(texts, text), False)
    return np.asarray(is_equal.to_numpy(zero_copy_only=False), bool)


def binary_array(data: Bytes, offsets: NDArray[np.int32], is_valid: Mask) -> pa.Array:
    """An Arrow binary column over the buffers, without a copy."""
    validity = pa.py_buffer(np.packbits(is_valid, bitorder="little"))
    return pa.Array.from_buffers(
        pa.binary(), len(is_valid), [validity, pa.py_buffer(offsets), pa.py_buffer(data)]
    )


def new_stack() -> Bytes:
    """Memory for the open containers of one scan."""
    return np.empty(scan.MAX_DEPTH, np.uint8)
