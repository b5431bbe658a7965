"""JSON that is no record, next to records: the lines of a log, a request for a tool. It is other text and no damage.

    {"partition": 5, "offset": 39, "key": ..}      a record: placed by its own members
    {"level": "INFO", "message": ..}               other JSON: nothing of a record's place, and little of its members
    {"partitions": [{"partition": 0, ..}]}         other JSON: the place belongs to an object within it, which has no key or value

An object that begins like the records, or that is broken and names a place, may be a damaged record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from spark.sources._lines.named_parts import KEY, OFFSET, PARTITION, VALUE

PLACE = frozenset({*OFFSET, *PARTITION})
OF_PLACE = re.compile(rb'(?<!\\)"(?:%s)"\s*:' % "|".join(sorted(PLACE)).encode())
BEGINNING = re.compile(rb'\s*\{\s*"((?:[^"\\\n]|\\.)*)"\s*:')
BETWEEN = re.compile(r"[ \t\r\n,]*")  # documents
RECORDS_SOUGHT = 50  # documents among which a record is looked for
_decoder = json.JSONDecoder(strict=False)


def are_other(texts: Sequence[bytes]) -> list[bool]:
    """Which documents are no records, where others are; none if none is a record."""
    names = _names_of_records(texts[:RECORDS_SOUGHT])
    return [bool(names) and _is_other(text, names) for text in texts]


def _names_of_records(texts: Sequence[bytes]) -> frozenset[str]:
    """Members of the first record, or of the first in an array."""
    for text in texts:
        document = _whole(text) if OF_PLACE.search(text) else None
        first = document[0] if isinstance(document, list) and document else document
        if isinstance(first, dict) and _is_placed(first):
            return frozenset(first)
    return frozenset()


def _is_other(text: bytes, names: frozenset[str]) -> bool:
    beginning = BEGINNING.match(text)
    if beginning is None:
        return False
    is_like = beginning[1].decode("latin-1") in names
    if OF_PLACE.search(text):
        return not is_like and is_around(_whole(text))
    members = _whole(text)
    if not isinstance(members, dict):
        return members is None and not is_like
    return _is_foreign(members, names)


def has_others(objects: Sequence[dict[str, Any]]) -> bool:
    """The same of objects that were read: whether one is no record, where another is."""
    names = next((members.keys() for members in objects if _is_placed(members)), None)
    return names is not None and any(_is_foreign(members, names) for members in objects)


def _is_foreign(members: dict[str, Any], names: Collection[str]) -> bool:
    return PLACE.isdisjoint(members) and 2 * len(members.keys() & {*names}) < len(members)


def is_around(document: Any) -> bool:
    """Whether an object has no place of its own, and no record within it."""
    return (
        isinstance(document, dict)
        and not PLACE & document.keys()
        and not any(map(_is_record, _within(document)))
    )


def other_ranges(text: bytes) -> Iterator[tuple[int, int]]:
    """Where in a text, which begins as JSON, stand whole objects that are around others and no records."""
    letters, start = text.decode("latin-1"), 0
    while (start := BETWEEN.match(letters, start).end()) < len(letters):  # type: ignore[union-attr]
        try:
            document, end = _decoder.raw_decode(letters, start)
        except (ValueError, RecursionError):
            return
        if is_around(document):
            yield start, end
        start = end


def _whole(text: bytes) -> Any:
    try:
        return _decoder.decode(text.decode("latin-1").strip().rstrip(","))
    except (ValueError, RecursionError):
        return None


def _is_placed(members: dict[str, Any]) -> bool:
    return not members.keys().isdisjoint(OFFSET) and not members.keys().isdisjoint(PARTITION)


def _is_record(members: dict[str, Any]) -> bool:
    return not members.keys().isdisjoint(OFFSET) and not members.keys().isdisjoint((*KEY, *VALUE))


def _within(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a value, at any depth."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            yield inner
        waiting += inner.values() if isinstance(inner, dict) else inner if isinstance(inner, list) else ()
