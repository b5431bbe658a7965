"""Which members of an entity count when two states of it are compared. Three questions, three answers:

two logs, two offsets      all but offsets: an entity's place in a log moves when a topic is copied (PLACES, in SQL)
compaction, kept records   all but bookkeeping, whose change nobody notices; of a content its hash, for the rest follows from it
repair                     those that the dialect names (`Dialect.compared`), as far as the required state has them
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Attributes = Mapping[str, Any]

PLACES = '"[a-z_]+_offset":-?[0-9]+,?'
# When, where and by whom an entity was written.
BOOKKEEPING = frozenset({"record_offset", "uuid", "createdOn", "modifiedOn", "createdBy", "modifiedBy"})


def without_places(attributes: str) -> str:
    """In SQL: the text of an entity's members but those that say where it lies. `attributes`: a column."""
    return f"regexp_replace({attributes}, '{PLACES}', '', 'g')"


def without_bookkeeping(attributes: Attributes) -> dict[str, Any]:
    if "contentHash" in attributes and "globalId" not in attributes:
        return {"contentHash": attributes["contentHash"]}
    return {name: value for name, value in attributes.items() if name not in BOOKKEEPING}


def meets(required: Attributes, attributes: Attributes, names: Iterable[str]) -> bool:
    """Whether the members of these names are as required; a member that is not required may be anything."""
    return all(attributes.get(name) == required[name] for name in names if name in required)
