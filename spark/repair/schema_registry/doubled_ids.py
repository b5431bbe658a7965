"""Ids of two schemas in versions that stand: the first schema keeps the id, every other is written again under a free one.

What readers get for such an id today:

    Confluent   the first schema; the later version is rejected, nobody can read it
    Redpanda    the last one, for every version with the id: nobody can read the first
    Karapace    the last one; each version keeps its own text

Records with the later versions under free ids, then one with the first, give every registry both schemas, before and after a
compaction: ids are looked up in the first record that counts, or in the last, and the first schema is then in both. By REST only
Confluent gives a later version an id of its own; the others answer with the id that it has. Messages with the id stay what they
are: no record says which schema they were written with.

Left alone: ids with a version that is marked as deleted, which must not come back; schemas that have another id besides; versions
whose place has another schema; references that are not there; what another registry would not read alike.

Source: InMemoryCache.java, KafkaStoreMessageHandler.java; Redpanda `store.h`; Karapace `in_memory_database.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from spark.dialects import Entity, ReleaseCannotStart
from spark.dialects.schema_registry.owner import CONFLUENT, TITLES
from spark.difference.members import Attributes, meets
from spark.repair import Added
from spark.repair.journal import PartitionJournal
from spark.repair.schema_registry.admission import Admission, attributes_of, text_of
from spark.repair.schema_registry.holdings import Holdings, place_of
from spark.repair.schema_registry.lost import LostVersion, SharedId, deleted_later, id_context, lost_version
from spark.repair.schema_registry.written import RegistryRecords
from spark.repair.trial import MAX_RECORDS_EVERY_RELEASE, every_start
from spark.tables.replica import IN_REPLICA
from spark.terms.errors import Unreadable

LAST_RECORDS = f"""
    SELECT "offset", entity_id, entry_action, attributes FROM entries
    WHERE {IN_REPLICA} AND entry_type = 'SCHEMA' AND "offset" NOT IN (SELECT unnest($passed_over::BIGINT[]))
    QUALIFY row_number() OVER (PARTITION BY entity_id ORDER BY "offset" DESC) = 1 ORDER BY "offset"
"""
HIGHEST_ID = f"""
    SELECT coalesce(max(TRY_CAST(json_extract(attributes, '$.id') AS BIGINT)), 0) AS highest
    FROM entries WHERE {IN_REPLICA} AND entry_type = 'SCHEMA'
"""
MAX_ID = 2**31 - 1
TEXT = ("id", "schemaType", "schemaHash", "deleted")
Text = tuple[str, str]


@dataclass(frozen=True)
class Registered:
    """The record that a version has at the end of the journal, as far as its registry did not pass over it."""

    slot: tuple[str, int]
    offset: int
    schema_id: int
    text: Text
    is_deleted: bool

    @property
    def name(self) -> str:
        """`subject/version`."""
        return f"{self.slot[0]}/{self.slot[1]}"


@dataclass(frozen=True)
class DoubledIds:
    """Versions under their free ids, and those that keep an id. `unserved`: the registry that would not read them alike."""

    versions: tuple[LostVersion, ...] = ()
    keeping: tuple[LostVersion, ...] = ()
    unserved: str = ""

    @property
    def served(self) -> dict[Entity, Attributes]:
        """What every registry must hold."""
        return {
            ("schema", version.name): attributes_of(version) for version in (*self.versions, *self.keeping)
        }

    def records(self, records: RegistryRecords) -> tuple[list[Added], list[Added]]:
        """Those of the versions under free ids, and behind them one of each id with the schema that keeps it."""
        first = {version.schema_id: version for version in reversed(self.keeping)}
        return (
            [records.schema(version) for version in self.versions],
            [records.schema(first[schema_id]) for schema_id in sorted(first)],
        )


def doubled_ids(
    holdings: Holdings,
    older: Sequence[PartitionJournal],
    records: RegistryRecords,
    taken: Iterable[int],
) -> DoubledIds:
    """What can be told apart from now on. `taken`: ids that other records of the repair, or its user, name."""
    highest = max(*taken, *(side.rows(HIGHEST_ID)[0]["highest"] for side in (holdings.journal, *older)), 0)
    versions: list[LostVersion] = []
    keeping: list[LostVersion] = []
    for group in groups(holdings, older):
        moved, keepers = separated(holdings, group, highest)
        if (
            moved
            and highest + len(moved) <= MAX_ID
            and not any(lacking(holdings, version) for version in moved)
        ):
            versions, keeping = [*versions, *moved], [*keeping, *keepers]
            highest = max(version.schema_id for version in moved)
    doubled = DoubledIds(tuple(versions), tuple(keeping))
    title = unserved(holdings, doubled, records) if versions else ""
    return DoubledIds(unserved=title) if title else doubled


def lacking(holdings: Holdings, version: LostVersion) -> bool:
    """Whether it cannot be written: its text cannot be used, or a reference is not there."""
    try:
        attributes_of(version)
    except Unreadable:
        return True
    return bool(Admission(holdings).lacking(version))


def groups(holdings: Holdings, older: Sequence[PartitionJournal]) -> Iterator[list[Registered]]:
    """Versions with one id and several texts, in the order of their records, where all of them stand."""
    holders: dict[tuple[str, int], list[Registered]] = defaultdict(list)
    ids: dict[tuple[str, Text], set[int]] = defaultdict(set)
    for version in registered(holdings):
        context = id_context(holdings, version.slot[0])
        holders[context, version.schema_id].append(version)
        ids[context, version.text].add(version.schema_id)
    for (context, _), group in sorted(holders.items()):
        is_doubled = len({version.text for version in group}) > 1
        if is_doubled and all(
            len(ids[context, version.text]) == 1 and stands(holdings, older, version) for version in group
        ):
            yield group


def registered(holdings: Holdings) -> Iterator[Registered]:
    """The last record of each version that is not deleted permanently."""
    passed_over = [
        offset
        for at, reason in holdings.reading.rejected.items()
        if reason != "duplicate-id" and (offset := holdings.log.offset(at)) is not None
    ]
    for row in holdings.journal.rows(LAST_RECORDS, passed_over=[*passed_over, *holdings.stops]):
        members = orjson.loads(row["attributes"]) if row["attributes"] else {}
        if row["entry_action"] in ("register", "soft-delete") and "schemaHash" in members:
            yield Registered(
                place_of(row["entity_id"]),
                row["offset"],
                members["id"],
                text_of(members),
                row["entry_action"] == "soft-delete",
            )


def stands(holdings: Holdings, older: Sequence[PartitionJournal], version: Registered) -> bool:
    """Whether nobody deleted it, and its place has no schema with another id."""
    present = holdings.schemas.get(version.slot)
    if version.is_deleted or (present and (present["deleted"] or present["id"] != version.schema_id)):
        return False
    return not deleted_later(holdings, older, version.name, version.offset)


def separated(
    holdings: Holdings, group: Sequence[Registered], highest: int
) -> tuple[list[LostVersion], list[LostVersion]]:
    """The versions of all texts but the first under free ids, one for each text; those of the first."""
    stored = holdings.journal.records(version.offset for version in group)
    first = group[0]
    today = first.name if holdings.profile == CONFLUENT else group[-1].name
    free_ids: dict[Text, int] = {}
    moved, keepers = [], []
    for version in group:
        record = stored[version.offset]
        if version.text == first.text:
            keepers.append(
                lost_version(version.slot, version.schema_id, record.value, record.source, False, False)
            )
            continue
        free_id = free_ids.setdefault(version.text, highest + 1 + len(free_ids))
        again = lost_version(version.slot, free_id, record.value, record.source, False, False)
        moved.append(replace(again, shared=SharedId(version.schema_id, first.name, today)))
    return moved, keepers


def unserved(holdings: Holdings, doubled: DoubledIds, records: RegistryRecords) -> str:
    """The first registry that does not hold them at each start of a trial; empty: all that start do."""
    log = holdings.log
    for added in doubled.records(records):
        log = log.appended(added)
    profiles = TITLES if len(log) <= MAX_RECORDS_EVERY_RELEASE else (holdings.profile,)
    for profile in profiles:
        try:
            starts = every_start(log, holdings.journal.language, [profile])
            if not all(holds(life.started.state, doubled.served) for _, life in starts):
                return TITLES[profile]
        except ReleaseCannotStart:
            continue  # nobody reads the journal with it
    return ""


def holds(state: Mapping[Entity, str], served: Mapping[Entity, Attributes]) -> bool:
    return all(
        entity in state and meets(attributes, orjson.loads(state[entity]), TEXT)
        for entity, attributes in served.items()
    )
