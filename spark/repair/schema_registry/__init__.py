"""Repair of the journal of a schema registry: Confluent's, Redpanda's, Karapace.

lost       versions that are gone, from older dumps, this journal's own records or files; lost_settings: levels and modes
admission  which of them may be written: the id free, every reference there
written    records in the form of the journal's registry: versions, null records, settings as they are
measures   what needs no record: mode IMPORT left behind, the topic's policy, ids of two schemas; the way by REST
placed     where a copy has the versions
steps      what to do with the records

append   versions that are lost; null records under every form of a deleted version's key, also where a value of zero length
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
from spark.repair.schema_registry.holdings import Holdings, holdings, why_it_stops
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
ASK_ID = "a file is used with its schema ID only: write --id ID=SUBJECT/VERSION behind its --file"


def plan(
    journal: PartitionJournal,
    older: Sequence[PartitionJournal],
    files: Sequence[AddedSchemaFile],
    requested: Sequence[RequestedSchema] = (),
) -> Plan:
    """What repairs a journal, with older dumps of it and ids that the user asks for, some with the file of their text."""
    held = holdings(journal)
    candidates, missing = lost_versions(held, older, requested)
    admission = Admission(held)
    admission.admit(candidates)
    settings = lost_settings(held, older, {subject for subject, _ in admission.schemas})
    records = registry_records(held)
    settling = settled(held, records)
    upkeep = [record for _, group in settling for record in group]
    versions = [(one, records.schema(one)) for one in admission.admitted]
    levels = [records.setting(one) for one in settings]
    before, at_end = placed(journal, versions)
    is_redpanda = held.profile == REDPANDA
    taken = {wish.file for wish in requested}
    unused = [MissingEntity(f"the file {file.name}", (), ASK_ID) for file in files if file not in taken]
    recovered = {("schema", one.name): attributes_of(one) for one in admission.admitted}
    recovered |= {one.entity: one.attributes for one in settings}
    return Plan(
        recovered=(*(one.label for one in admission.admitted), *(named(one.entity) for one in settings)),
        settled=tuple(sentence for sentence, _ in settling),
        required={entity: held.state[entity] for entity in held.state.keys() - held.unapplied} | recovered,
        required_elsewhere=cache(partial(required_elsewhere, held, recovered)),
        appended=(*upkeep, *(record for _, record in versions), *levels),
        before=before,
        after=at_the_end(journal, [*upkeep, *at_end, *levels]),
        left_out=left_out(held, admission.admitted),
        refused=(*admission.refused, *missing, *unused, *shared_ids(held), *stops_of_redpanda(held)),
        measures=tuple(measures(held, admission.admitted)),
        ways=("append",) if is_redpanda else ("copy",) if held.stops else ("append", "copy"),
        nouns=VERSIONS if not settings else VERSIONS_AND_SETTINGS,
        steps_of=steps_for(held, admission.admitted),
        bears_old_alarms=True,
    )


def settled(held: Holdings, records: RegistryRecords) -> list[tuple[str, list[Added]]]:
    """What a compaction would bring back, lose or change, in words, and the records that keep it as it is."""
    changes = held.changes()
    changing = (changes.lost | changes.changed) - held.unapplied
    groups = [(one, f"{named(one)} stays deleted", records.tombstones(one)) for one in changes.revived]
    groups += [(one, f"{named(one)} stays as it is", records.again(one)) for one in changing]
    groups += [(one, f"{named(one)} is deleted", records.tombstones(one)) for one in held.unapplied]
    return [(sentence, added) for _, sentence, added in sorted(groups, key=lambda one: one[0]) if added]


def named(entity: Entity) -> str:
    """`schema orders-value/1`, `config of all subjects`."""
    kind, name = entity
    return f"{kind} {name or 'of all subjects'}"


def required_elsewhere(
    held: Holdings, recovered: Mapping[Entity, Attributes]
) -> dict[str, dict[Entity, Attributes]]:
    """What each other registry must hold after the repair: what it holds now, and what comes back, as far as it has such entities."""
    required: dict[str, dict[Entity, Attributes]] = {}
    for profile in TITLES.keys() - {held.profile}:
        state = read(held.log, profile).state
        unchanged = {
            entity: orjson.loads(text) for entity, text in state.items() if entity not in held.unapplied
        }
        ours = {entity: one for entity, one in recovered.items() if (profile, entity[0]) not in WITHOUT}
        required[profile] = unchanged | ours
    return dict(sorted(required.items()))


def left_out(held: Holdings, versions: Iterable[LostVersion]) -> dict[int, str]:
    """What a copy does without: records that stop the start, and those of versions that were overwritten. With them Confluent's
    registry takes the id for that of the new schema, until compaction removes them."""
    return {
        **{offset: why_it_stops(held.title, reason) for offset, reason in held.stops.items()},
        **{
            one.replaced_at: f"was overwritten; its schema comes back as {one.name}"
            for one in versions
            if one.replaced_at is not None
        },
    }


def at_the_end(journal: PartitionJournal, records: Sequence[Added]) -> dict[int, Sequence[Added]]:
    """Behind the last record of a copy."""
    return {journal.end_offset() - 1: records} if records else {}


def stops_of_redpanda(held: Holdings) -> Iterable[MissingEntity]:
    """Its registry cannot be pointed at a copy."""
    if held.profile == REDPANDA:
        for offset, reason in held.stops.items():
            yield MissingEntity(
                f"the record at offset {offset}", (),
                f"{why_it_stops(held.title, reason)}; only compaction or a new _schemas topic removes it",
            )  # fmt: skip
