"""Whether JSON objects are records, or values of a topic that store offsets themselves.

    record    {"offset": 7, "partition": 0, "value": ..}     an offset, and another part of a record
    value     {"offset": 7}                                  Connect's and MirrorMaker's offsets: the offset of another topic

Members with names that say nothing (`{"offset": 7, "text": ".."}`) are records if the offsets rise or fall from object to object.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from spark.sources._columns.guess import role_of
from spark.sources._json.value_shapes import journal_of
from spark.sources._lines.named_parts import flattened, whole_number

PARTITION_MEMBERS = {"partition", "partitionID", "Partition"}
CONTENTS = {"key", "value"}


def are_records(objects: Sequence[dict[str, Any]]) -> bool:
    """Whether the objects have parts of records besides an offset, or a partition."""
    if any(PARTITION_MEMBERS.intersection(members) for members in objects):
        return True
    parts = [with_roles(flattened(members)) for members in objects]
    with_offset = [roles for roles in parts if whole_number(roles.get("offset")) is not None]
    if 2 * sum(bool(CONTENTS & roles.keys()) for roles in with_offset) > len(with_offset):
        return True
    has_others = 2 * sum(len(roles) > 1 for roles in with_offset) > len(with_offset)
    return has_others and are_ordered([int(roles["offset"]) for roles in with_offset])


def are_values(objects: Sequence[dict[str, Any]]) -> bool:
    """Whether the objects are values of a topic: of a known journal, or with an offset that is no record's."""
    has_offset = any(role_of(name) == "offset" for members in objects for name in members)
    return not are_records(objects) and (has_offset or journal_of(objects) is not None)


def with_roles(members: dict[str, Any]) -> dict[str, Any]:
    """The members by the parts of a record that their names stand for, others by their names."""
    return {role_of(name) or f"member {name}": value for name, value in members.items()}


def are_ordered(offsets: Sequence[int]) -> bool:
    """Whether each is higher than the one before, or each is lower."""
    pairs = list(pairwise(offsets))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)
