"""Compatibility levels and modes that an older dump holds and this journal lost without a trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import orjson

from spark.dialects import Entity
from spark.repair.journal import PartitionJournal, StoredRecord
from spark.repair.schema_registry.holdings import ENTRY_TYPES, Attributes, Holdings, records_of
from spark.tables.replica import quoted

HELD = """
    SELECT entity_type, entity_id, attributes FROM state
    WHERE {here} AND is_own AND view = 'log' AND entity_type IN ('config', 'mode') AND valid_to_offset IS NULL
    ORDER BY entity_type, entity_id
"""
LATER = """
    SELECT count(*) AS n FROM entries
    WHERE {{here}} AND "offset" > {offset} AND entry_type = {kind} AND entity_id = {name}
"""
IMPORT = {"mode": "IMPORT"}  # left behind by an import: nobody misses it


@dataclass(frozen=True)
class LostSetting:
    """A level or mode to be written again, and the record that set it."""

    entity: Entity
    attributes: Attributes
    record: StoredRecord


def lost_settings(
    holdings: Holdings, older: Sequence[PartitionJournal], subjects: Collection[str]
) -> list[LostSetting]:
    """Those of all subjects, and of the subjects that there are. The newest dump that has one counts."""
    lost: dict[Entity, LostSetting] = {}
    for dump in older:
        for one in held_by(dump):
            _, name = one.entity
            is_of_use = one.attributes != IMPORT and (not name or name in subjects)
            if (
                is_of_use
                and one.entity not in holdings.state
                and not is_spoken_of([holdings.journal, *older], one)
            ):
                known = lost.get(one.entity)
                if known is None or known.record.offset < one.record.offset:
                    lost[one.entity] = one
    return [lost[entity] for entity in sorted(lost)]


def held_by(dump: PartitionJournal) -> Iterator[LostSetting]:
    """What a dump holds."""
    for row in dump.rows(HELD):
        entity = row["entity_type"], row["entity_id"]
        record = next(iter(reversed(records_of(dump, entity))), None)
        if record is not None:
            yield LostSetting(entity, orjson.loads(row["attributes"]), record)


def is_spoken_of(journals: Sequence[PartitionJournal], one: LostSetting) -> bool:
    """Whether a later record, here or in an older dump, is about it: then it was cleared, or that record counts."""
    kind, name = one.entity
    query = LATER.format(offset=one.record.offset, kind=quoted(ENTRY_TYPES[kind]), name=quoted(name))
    return any(journal.rows(query)[0]["n"] for journal in journals)
