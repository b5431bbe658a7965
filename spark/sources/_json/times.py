"""Record times of exports: seconds with a fraction, whole seconds or milliseconds, ISO 8601; distinguished by form."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark.sources._iso_time import iso_ms
from spark.sources._json import numbers
from spark.sources._json.scan import Places
from spark.sources._json.spans import Mask, Spans, to_milliseconds, to_text, to_whole_numbers

TYPES = pa.array(["create", "log_append"])


def to_times_ms(spans: Spans) -> tuple[Places, Mask]:
    """Milliseconds since 1970 and which rows have a time; a text that is not a time has none."""
    times, states = to_milliseconds(spans)
    has_time = states == numbers.WHOLE
    others = np.flatnonzero(states == numbers.NOT_WHOLE)
    if len(others):
        parsed = _from_text(to_text(spans.only(others)))
        times[others] = parsed.fill_null(0).to_numpy(zero_copy_only=False)
        has_time[others] = parsed.is_valid().to_numpy(zero_copy_only=False)
    return times, has_time


def _from_text(texts: pa.Array) -> pa.Array:
    """All together if all are ISO 8601 with a zone; otherwise one by one."""
    try:
        nanoseconds = texts.cast(pa.timestamp("ns", "UTC")).cast(pa.int64())
        return pa.array(nanoseconds.to_numpy(zero_copy_only=False) // 1_000_000, pa.int64())
    except (pa.ArrowInvalid, TypeError):
        return pa.array([_one(text) for text in texts.to_pylist()], pa.int64())


def _one(text: str) -> int | None:
    try:
        seconds = float(text)
    except ValueError:
        return iso_ms(text)
    if not math.isfinite(seconds) or abs(seconds) >= 1e15:
        return None
    return round(seconds * 1000) if abs(seconds) < numbers.SECONDS_BELOW else round(seconds)


def timestamp_types(
    words: pa.Array, create: str = "CREATE_TIME", append: str = "LOG_APPEND_TIME"
) -> pa.Array:
    """A tool's words for the two types in the words of RECORDS; anything else is null."""
    return TYPES.take(pc.index_in(words, pa.array([create, append])))


def whole_ms(spans: Spans) -> tuple[Places, Mask]:
    """Times that the layout always prints in milliseconds; a negative number means none."""
    values, states = to_whole_numbers(spans)
    return values, (states == numbers.WHOLE) & (values >= 0)
