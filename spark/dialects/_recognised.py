"""Journal types that are recognised but not replayed: by their topics' names, or by members of JSON values.

Keys and values stay as they are; the state is the latest value of each key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records, json_members, whole
from spark.terms.wording import grouped

NAMED_SCORE, CONTENT_SCORE = 90, 70
MAX_SAMPLED = 200
Members = dict[str, Any]


def recognised(
    id: str,
    title: str,
    names: re.Pattern[str],
    is_value: Callable[[Members], bool] | None = None,
    *,
    is_compacted: bool = True,
) -> Dialect:
    """A dialect that only recognises its topic. `is_value`: whether a JSON object is a value of this journal type."""

    def sniff(topic: str, records: pa.Table) -> Match:
        """By the topic's name, else by all sampled values."""
        if names.fullmatch(topic):
            return Match(NAMED_SCORE, f"The topic has a name of this journal type: {title}.")
        sample = whole(data_records(records).slice(0, MAX_SAMPLED), "value")
        values = [value for value in sample if value is not None]
        if values and is_value and all(is_value(json_members(value) or {}) for value in values):
            return Match(CONTENT_SCORE, f"All {grouped(len(values))} checked values are those of {title}.")
        return Match(0, f"Neither the name nor the values are those of {title}.")

    return Dialect(id=id, title=title, sniff=sniff, is_compacted=is_compacted)
