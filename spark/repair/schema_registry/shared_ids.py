"""Ids of two schemas: no record can say which of them a message was written with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import orjson

from spark.dialects.schema_registry.owner import CONFLUENT
from spark.repair import MissingEntity
from spark.repair.schema_registry.admission import text_of
from spark.repair.schema_registry.doubled_ids import DoubledIds
from spark.repair.schema_registry.holdings import AT_OFFSETS, Holdings
from spark.repair.schema_registry.lost import INTERVALS, id_context

WHY = (
    "the ID belongs to another schema, {holder}. Register the schema again (POST /subjects/{subject}/versions), so that it gets "
    "another ID, and restart its producers. Messages with ID {id} from its producers must be read with its text"
)

UNSERVED = (
    ". Records cannot give it another ID: by the rules of {title} not every reader would get both schemas"
)


def shared_ids(holdings: Holdings, doubled: DoubledIds) -> Iterator[MissingEntity]:
    """Versions whose id stands for another text, which no version has under an id of its own, without those that get one."""
    numbered = [(version, version.shared.schema_id) for version in doubled.versions if version.shared]
    numbered += [(version, version.schema_id) for version in doubled.keeping]
    separate = {f"schema ID {schema_id} of {version.name}" for version, schema_id in numbered}
    for shared in with_another(holdings):
        if shared.entity not in separate:
            separate.add(shared.entity)  # each once, of several records that tell of it
            yield (
                replace(shared, sought=shared.sought + UNSERVED.format(title=doubled.unserved))
                if doubled.unserved
                else shared
            )


def with_another(holdings: Holdings) -> Iterator[MissingEntity]:
    """All versions whose id stands for another text."""
    texts = {
        (id_context(holdings, subject), text_of(schema)) for (subject, _), schema in holdings.schemas.items()
    }
    seen = set()
    for subject, version, schema_id, text, holder in (*rejected(holdings), *replaced(holdings)):
        if (id_context(holdings, subject), text) not in texts and (subject, schema_id, text) not in seen:
            seen.add((subject, schema_id, text))
            yield refused(subject, version, schema_id, holder)
    yield from of_several(holdings)


Shared = tuple[str, int, int, tuple[str, str], str]


def refused(subject: str, version: int, schema_id: int, holder: str) -> MissingEntity:
    why = WHY.format(holder=holder, subject=subject, id=schema_id)
    return MissingEntity(f"schema ID {schema_id} of {subject}/{version}", (), why)


def rejected(holdings: Holdings) -> Iterator[Shared]:
    """Confluent's registry rejects the later record."""
    if holdings.profile != CONFLUENT:
        return
    positions = [at for at, reason in holdings.reading.rejected.items() if reason == "duplicate-id"]
    offsets = [offset for at in positions if (offset := holdings.log.offset(at)) is not None]
    if not offsets:
        return
    for entry in holdings.journal.entries(AT_OFFSETS, offsets=offsets):
        members = entry.members
        holders = [f"{subject}/{version}" for (subject, version), schema in holdings.schemas.items()
                   if schema["id"] == members["id"] and id_context(holdings, subject) == id_context(holdings, members["subject"])]  # fmt: skip
        yield (
            members["subject"],
            members["version"],
            members["id"],
            text_of(members),
            next(iter(holders), "deleted since"),
        )


def replaced(holdings: Holdings) -> Iterator[Shared]:
    """A version was written once more with another text under the same id."""
    for first, second in pairwise(holdings.journal.rows(INTERVALS)):
        before, after = orjson.loads(first["attributes"]), orjson.loads(second["attributes"])
        is_same = first["entity_id"] == second["entity_id"] and before["id"] == after["id"]
        if is_same and text_of(before) != text_of(after):
            subject, _, version = first["entity_id"].rpartition("/")
            yield subject, int(version), before["id"], text_of(before), first["entity_id"]


def of_several(holdings: Holdings) -> Iterator[MissingEntity]:
    """Karapace lets each version keep its own text."""
    holders: dict[tuple[str, int], list[tuple[str, int]]] = defaultdict(list)
    for (subject, version), schema in sorted(holdings.schemas.items()):
        holders[id_context(holdings, subject), schema["id"]].append((subject, version))
    for (_, schema_id), places in sorted(holders.items()):
        first, *others = places
        for subject, version in others:
            if text_of(holdings.schemas[subject, version]) != text_of(holdings.schemas[first]):
                yield refused(subject, version, schema_id, f"{first[0]}/{first[1]}")
