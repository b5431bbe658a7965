"""The fields that a filter may name: what each means, and what it may be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from webapp.reports.queries.kinds import FORMER_KINDS, KINDS

FieldKind = Literal["number", "time", "text", "word", "member"]
OUTCOMES = ("committed", "aborted", "open", "unknown", "none")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
ORDERED = ("number", "time", "member")  # what has ranges and `<`


@dataclass(frozen=True)
class FilterField:
    """`kind`: number | time | text | word (one of `words`) | member (a name follows after a dot)."""

    name: str
    kind: FieldKind
    meaning: str
    words: tuple[str, ...] = ()
    has_path: bool = False
    hidden_with: str = (
        ""  # the part of a record that it reads: a link that hides the part does not have the field
    )


FIELDS = {
    field.name: field
    for field in (
        FilterField("offset", "number", "offset, such as 44, 44..60 or >=44"),
        FilterField("time", "time", "timestamp, such as 2026-11-14, 2026-11-14T14:02.. or >=14:02"),
        FilterField("kind", "word", "what the service does with the record", KINDS),
        FilterField("outcome", "word", "the end of its transaction", OUTCOMES),
        FilterField(
            "key", "text", "key as text; * stands for any characters", has_path=True, hidden_with="key"
        ),
        FilterField(
            "value", "text", "value as text; * stands for any characters", has_path=True, hidden_with="value"
        ),
        FilterField("header", "member", "value of a header", has_path=True, hidden_with="header"),
        FilterField("entity", "text", "entity that the record is about, by its ID or type and ID"),
        FilterField("type", "text", "entry type"),
        FilterField("action", "text", "action of the entry, such as create"),
        FilterField("size", "number", "bytes of key and value"),
        FilterField("producer", "number", "producer ID"),
        FilterField("versions", "number", "records with the same key"),
        FilterField("tombstones", "number", "null values with the same key"),
        FilterField("live", "number", "bytes of the newest record of its key; 0 for a null value"),
    )
}
WORDS = {"kind": (*KINDS, "revive", *FORMER_KINDS), "outcome": OUTCOMES}  # all that are understood


def nearest(text: str, choices: tuple[str, ...]) -> str:
    """The choice that is spelled most alike; empty where none is."""
    return next(iter(get_close_matches(text.lower(), choices, 1, 0.5)), "")
