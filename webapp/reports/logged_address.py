"""What of the address of a page or an export may stand in the audit log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NUMBERS = (
    "offset",
    "record",
    "first",
    "last",
    "after",
    "before",
    "since",
    "until",
    "partition",
    "copy",
    "file",
    "n",
    "m",
)
NAMES = (
    "topic",
    "replica",
    "type",
    "kind",
    "part",
    "isolation",
    "cleaned",
    "key_id",
    "repair_id",
    "other_id",
)
SEARCHES = ("key", "value", "q", "id", "name")  # what was searched for may itself be a payload
NUMBER_OR_TIME = re.compile(r"[-+0-9,.:TZ ]{1,40}")
NAME = re.compile(r"[\w./-]{1,100}")


def place_and_filters(kwargs: Mapping[str, Any], query: Mapping[str, str]) -> dict[str, Any]:
    """What of an address may stand in the log: numbers, times and names of parts; never what was searched for."""
    values = {**query, **{name: str(value) for name, value in kwargs.items()}}
    logged = {name: values[name] for name in NUMBERS if NUMBER_OR_TIME.fullmatch(values.get(name, ""))}
    logged |= {name: values[name] for name in NAMES if NAME.fullmatch(values.get(name, ""))}
    searched = [name for name in SEARCHES if query.get(name)]
    return logged | ({"searched": searched} if searched else {})
