"""Compatibility levels and modes that an older dump holds and this journal lost without a trace."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from spark.dialects import Entity
from spark.difference.members import Attributes
from spark.repair.journal import PartitionJournal, StoredRecord
from spark.repair.schema_registry.holdings import ENTRY_TYPES, Holdings, records_of
from spark.tables.replica import IN_REPLICA

LATER = f"""
    SELECT count(*) AS n FROM entries WHERE {IN_REPLICA} AND "offset" > $offset AND entry_type = $type AND entity_id = $name
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
    newest: dict[Entity, LostSetting] = {}
    for dump in older:
        for setting in settings_of(dump, dump.state.keys() - holdings.state.keys()):
            _, subject = setting.entity
            is_of_use = setting.attributes != IMPORT and (not subject or subject in subjects)
            if is_of_use and not is_set_later([holdings.journal, *older], setting):
                previous = newest.get(setting.entity)
                if previous is None or previous.record.offset < setting.record.offset:
                    newest[setting.entity] = setting
    return [newest[entity] for entity in sorted(newest)]


def settings_of(dump: PartitionJournal, entities: Collection[Entity]) -> Iterator[LostSetting]:
    """The settings among these entities of a dump."""
    for entity in entities:
        if entity[0] in ("config", "mode") and (records := records_of(dump, entity)):
            yield LostSetting(entity, dump.state[entity], records[-1])


def is_set_later(journals: Sequence[PartitionJournal], setting: LostSetting) -> bool:
    """Whether a later record, here or in an older dump, is about it: then it was cleared, or that record counts."""
    kind, name = setting.entity
    values = {"offset": setting.record.offset, "type": ENTRY_TYPES[kind], "name": name}
    return any(journal.rows(LATER, **values)[0]["n"] for journal in journals)
