"""Whether JSON documents are values of a journal: they have a known journal's members, or all the same shape.

    Connect      {state, worker_id}  {properties}  {tasks}  {state, state.v2}  {task-count}  {key, algorithm, creation-timestamp}
    _schemas     {subject, version, id, schema}  {id, schema}  {compatibilityLevel}  {mode}
    Debezium     {source, position, ddl | tableChanges}
    ksqlDB       {statement, streamsProperties}

A shape is repeated if one member is in nearly all of at least two documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

MIN_SHARE = 0.8  # of the documents have a member in common
MIN_KNOWN = 0.5  # of the documents are of the journal
HAVE = {
    "Connect's status": ({"state", "worker_id"},),
    "a schema registry": ({"subject", "version", "id", "schema"}, {"subject", "version", "deleted"}),
    "Debezium's schema history": ({"source", "position", "ddl"}, {"source", "position", "tableChanges"}),
    "ksqlDB's commands": ({"statement", "streamsProperties"}, {"statement", "originalProperties"}),
}
HAVE_ONLY = {
    "Connect's configs": (
        {"properties"},
        {"tasks"},
        {"state", "state.v2"},
        {"task-count"},
        {"key", "algorithm", "creation-timestamp"},
    ),
    "a schema registry": ({"compatibilityLevel"}, {"mode"}, {"id", "schema"}, {"id", "deleted"}),
}
CONNECTS = ("Connect's status", "Connect's configs")
OFFSETS = ({"offset"}, {"position"}, {"filename", "position"})


def journal_of(documents: Sequence[Any]) -> str | None:
    """The journal that these values belong to; null values are skipped."""
    objects = [document for document in documents if isinstance(document, dict)]
    counts = Counter(name for members in objects if (name := named(set(members))))
    name, count = counts.most_common(1)[0] if counts else ("", 0)
    if count and count >= MIN_KNOWN * len(objects):
        return name
    return "Connect's topics" if are_connects(objects, counts) else None


def are_connects(objects: Sequence[dict[str, Any]], counts: Counter[str]) -> bool:
    """Whether values of several of Connect's topics stand together: its offsets have no members of their own."""
    of_others = sum(counts[name] for name in CONNECTS)
    offsets = sum(set(members) in OFFSETS for members in objects)
    return bool(of_others) and of_others + offsets >= MIN_SHARE * len(objects)


def named(members: set[str]) -> str | None:
    for name, shapes in HAVE.items():
        if any(shape <= members for shape in shapes):
            return name
    return next((name for name, shapes in HAVE_ONLY.items() if members in shapes), None)


def is_repeated(documents: Sequence[Any]) -> bool:
    """Whether they are objects of one shape, possibly with nulls between them."""
    if any(not isinstance(document, dict) for document in documents if document is not None):
        return False
    objects = [document for document in documents if document]
    counts = Counter(name for members in objects for name in members)
    return len(objects) >= 2 and max(counts.values(), default=0) >= MIN_SHARE * len(objects)


def shared(documents: Iterable[Any], most: int = 4) -> list[str]:
    """Members of most documents, the most frequent first."""
    counts = Counter(name for members in documents if isinstance(members, dict) for name in members)
    return [name for name, _ in counts.most_common(most)]
