"""Repair of the journal of a schema registry: Confluent's, Redpanda's, Karapace.

lost       versions that are gone, from older dumps, this journal's own records or files; lost_settings: levels and modes
admission  which of them may be written: the id free, every reference there
written    records in the form of the journal's registry: versions, null records, settings as they are
doubled_ids  ids of two schemas that can be told apart from now on; shared_ids: those that cannot
measures   what needs no record: mode IMPORT left behind, the topic's policy; the way by REST
placed     where a copy has the versions
steps      what to do with the records

append   versions that are lost, or have an id with another schema; null records under every form of a deleted version's key, also where a value of zero length
         was no deletion to this registry; what compaction would change
copy     the journal without the records that stop the registry, and the same records at its end. Redpanda's registry reads
         `_schemas` alone and compares keys with offsets: there is no copy for it.

What somebody deleted stays deleted, unless its id is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

import orjson

from spark.dialects import Entity
from spark.dialects.schema_registry.owner import KARAPACE, REDPANDA, TITLES
from spark.dialects.schema_registry.starts import read
from spark.difference.members import Attributes
from spark.repair import Added, AddedSchemaFile, MissingEntity, Plan, RequestedSchema
from spark.repair.journal import PartitionJournal
from spark.repair.schema_registry.admission import Admission, attributes_of
from spark.repair.schema_registry.doubled_ids import doubled_ids
from spark.repair.schema_registry.holdings import Holdings, holdings_of, why_it_stops
from spark.repair.schema_registry.lost import LostVersion, lost_versions
from spark.repair.schema_registry.lost_settings import lost_settings
from spark.repair.schema_registry.measures import measures
from spark.repair.schema_registry.placed import placed
from spark.repair.schema_registry.shared_ids import shared_ids
from spark.repair.schema_registry.steps import steps_for
from spark.repair.schema_registry.written import RegistryRecords, registry_records

WITHOUT = {(KARAPACE, "mode")}  # kinds of entities that a registry does not have
VERSIONS = ("schema version", "schema versions")
VERSIONS_AND_SETTINGS = ("schema version or setting", "schema versions and settings")
ASK_ID = "a file is used with its schema ID only: give the ID, the subject and the version with it"


def plan(
    journal: PartitionJournal,
    older: Sequence[PartitionJournal],
    files: Sequence[AddedSchemaFile],
    requested: Sequence[RequestedSchema] = (),
) -> Plan:
    """What repairs a journal, with older dumps of it and ids that the user asks for, some with the file of their text."""
    holdings = holdings_of(journal)
    records = registry_records(holdings)
    candidates, missing = lost_versions(holdings, older, requested)
    named_ids = [version.schema_id for version in candidates] + [wish.schema_id for wish in requested]
    doubled = doubled_ids(holdings, older, records, named_ids)
    admission = Admission(holdings)
    admission.admit([*candidates, *doubled.versions])
    settings = lost_settings(holdings, older, {subject for subject, _ in admission.schemas})
    settling = settled(holdings, records)
    upkeep = [record for *_, group in settling for record in group]
    versions = [(version, records.schema(version)) for version in admission.admitted]
    _, keeping = doubled.records(records)
    at_last = [*keeping, *(records.setting(setting) for setting in settings)]
    before, at_end = placed(journal, versions)
    taken = {wish.file for wish in requested}
    unused = [MissingEntity(f"the file {file.name}", (), ASK_ID) for file in files if file not in taken]
    recovered = {("schema", version.name): attributes_of(version) for version in admission.admitted}
    recovered |= doubled.served
    recovered |= {setting.entity: setting.attributes for setting in settings}
    return Plan(
        recovered=(
            *(version.label for version in admission.admitted),
            *(named(setting.entity) for setting in settings),
        ),
        settled=tuple(
            f"{named(entity)} {effect}" for entity, effect, _ in settling if entity not in holdings.unapplied
        ),
        corrected=tuple(
            f"{named(entity)} {effect}" for entity, effect, _ in settling if entity in holdings.unapplied
        ),
        required={entity: holdings.state[entity] for entity in holdings.state.keys() - holdings.unapplied}
        | recovered,
        required_elsewhere=cache(partial(required_elsewhere, holdings, recovered)),
        appended=(*upkeep, *(record for _, record in versions), *at_last),
        before=before,
        after=at_the_end(journal, [*upkeep, *at_end, *at_last]),
        left_out=left_out(holdings, admission.admitted),
        refused=(
            *admission.refused,
            *missing,
            *unused,
            *shared_ids(holdings, doubled),
            *stops_of_redpanda(holdings),
        ),
        measures=tuple(measures(holdings, admission.admitted)),
        ways=ways_of(holdings),
        nouns=VERSIONS if not settings else VERSIONS_AND_SETTINGS,
        steps_of=steps_for(holdings, admission.admitted),
        bears_old_alarms=True,
    )


def settled(holdings: Holdings, records: RegistryRecords) -> list[tuple[Entity, str, list[Added]]]:
    """What a compaction would bring back, lose or change, and deletions without effect: each with what the repair does, and its
    records."""
    changes = holdings.changes()
    changing = (changes.lost | changes.changed) - holdings.unapplied
    groups = [(entity, "stays deleted", records.tombstones(entity)) for entity in changes.revived]
    groups += [(entity, "stays as it is", records.again(entity)) for entity in changing]
    groups += [(entity, "deleted", records.tombstones(entity)) for entity in holdings.unapplied]
    return [group for group in sorted(groups, key=lambda group: group[0]) if group[2]]


def ways_of(holdings: Holdings) -> tuple[str, ...]:
    """Those that can be tried: Redpanda has no copy, and records that stop a start stay where they are in the topic."""
    if holdings.profile == REDPANDA:
        return ("append",)
    return ("copy",) if holdings.stops else ("append", "copy")


def named(entity: Entity) -> str:
    """`schema orders-value/1`, `config of all subjects`."""
    kind, name = entity
    return f"{kind} {name or 'of all subjects'}"


def required_elsewhere(
    holdings: Holdings, recovered: Mapping[Entity, Attributes]
) -> dict[str, dict[Entity, Attributes]]:
    """What each other registry must hold after the repair: what it holds now, and what comes back, as far as it has such entities."""
    required: dict[str, dict[Entity, Attributes]] = {}
    for profile in TITLES.keys() - {holdings.profile}:
        state = read(holdings.log, profile).state
        unchanged = {
            entity: orjson.loads(text) for entity, text in state.items() if entity not in holdings.unapplied
        }
        returned = {
            entity: attributes
            for entity, attributes in recovered.items()
            if (profile, entity[0]) not in WITHOUT
        }
        required[profile] = unchanged | returned
    return dict(sorted(required.items()))


def left_out(holdings: Holdings, versions: Iterable[LostVersion]) -> dict[int, str]:
    """What a copy does without: records that stop the start, and those of versions that were overwritten. With them Confluent's
    registry takes the id for that of the new schema, until compaction removes them."""
    return {
        **{offset: why_it_stops(holdings.title, reason) for offset, reason in holdings.stops.items()},
        **{
            version.replaced_at: f"was overwritten; its schema comes back as {version.name}"
            for version in versions
            if version.replaced_at is not None
        },
    }


def at_the_end(journal: PartitionJournal, records: Sequence[Added]) -> dict[int, Sequence[Added]]:
    """Behind the last record of a copy."""
    return {journal.end_offset() - 1: records} if records else {}


def stops_of_redpanda(holdings: Holdings) -> Iterable[MissingEntity]:
    """Its registry cannot be pointed at a copy."""
    if holdings.profile == REDPANDA:
        for offset, reason in holdings.stops.items():
            yield MissingEntity(
                f"the record at offset {offset}", (),
                f"{why_it_stops(holdings.title, reason)}; only compaction or a new _schemas topic removes it",
            )  # fmt: skip
