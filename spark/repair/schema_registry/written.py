"""Records for a `_schemas` topic: their keys in the form that the journal's registry writes, so that its later deletions remove them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from spark.dialects import Entity
from spark.dialects.schema_registry.keys import CANONICAL_ORDER, OLD_ORDER
from spark.dialects.schema_registry.owner import KARAPACE
from spark.repair import Added
from spark.repair.journal import PartitionJournal
from spark.repair.schema_registry.holdings import Holdings, records_of, schema_record
from spark.repair.schema_registry.lost import LostVersion
from spark.repair.schema_registry.lost_settings import LostSetting
from spark.tables.replica import IN_REPLICA

MADE = "made for this repair"
FORMS = f"""
    SELECT entry_type, json_extract_string(attributes, '$.keyForm') AS form, count(*) AS n,
        max("offset") FILTER (entry_type = 'SCHEMA') AS last_offset
    FROM entries WHERE {IN_REPLICA} AND attributes IS NOT NULL GROUP BY ALL ORDER BY last_offset DESC NULLS LAST
"""
ALIKE = ("canonical", "canonical-null-subject")
KNOWN_TO_KARAPACE = ("SCHEMA", "CONFIG", "DELETE_SUBJECT", "NOOP")


@dataclass
class RegistryRecords:
    """Makes the records."""

    holdings: Holdings
    is_old_form: bool

    def schema(self, version: LostVersion) -> Added:
        label = f"SCHEMA {version.name} with schema ID {version.schema_id}"
        if version.is_deleted:
            label += ", marked as deleted"
        return Added(
            self.key(version.subject, version.version), version.value, (), None, label, version.source
        )

    def setting(self, setting: LostSetting) -> Added:
        kind, name = setting.entity
        record = setting.record
        label = f"{kind} {name or 'of all subjects'}, {next(iter(setting.attributes.values()))}"
        return Added(without_sequence(record.key or b""), record.value, (), None, label, record.source)

    def key(self, subject: str, version: int) -> bytes:
        members: dict[str, Any] = {"keytype": "SCHEMA", "subject": subject, "version": version, "magic": 1}
        order = OLD_ORDER if self.is_old_form else CANONICAL_ORDER
        return orjson.dumps({name: members[name] for name in order if name in members})

    def tombstones(self, entity: Entity) -> list[Added]:
        """One for each key under which a deleted entity was ever written: registries compare keys as JSON, the cleaner as bytes."""
        kind, name = entity
        keys = {record.key: None for record in records_of(self.holdings.journal, entity) if record.key}
        label = f"tombstone for {kind} {name or 'of all subjects'}, under the key that it was written with"
        return [Added(key, None, (), None, label, MADE) for key in keys]

    def again(self, entity: Entity) -> list[Added]:
        """An entity as it is now, at the end of the log."""
        kind, name = entity
        attributes = self.holdings.state[entity]
        if kind == "schema":
            record = schema_record(self.holdings.journal, name, attributes["id"])
        else:
            record = next(iter(reversed(records_of(self.holdings.journal, entity))), None)
        if record is None or record.value is None:
            return []
        value = record.value
        if kind == "schema":
            value = orjson.dumps({**orjson.loads(value), "deleted": attributes["deleted"]})
        label = f"{kind} {name or 'of all subjects'} as it is now"
        return [Added(without_sequence(record.key or b""), value, (), None, label, record.source)]


def registry_records(holdings: Holdings) -> RegistryRecords:
    return RegistryRecords(holdings, is_old_form(holdings.journal, holdings.profile))


def is_old_form(journal: PartitionJournal, profile: str) -> bool:
    """Whether the registry writes keys in the old order. Karapace does for ever once it has read any key in another order than
    its own; of the others the last schema tells."""
    forms = [(row["entry_type"], row["form"]) for row in journal.rows(FORMS)]
    if profile == KARAPACE:
        return any(form not in ALIKE or kind not in KNOWN_TO_KARAPACE for kind, form in forms if kind)
    return bool(forms) and forms[0] == ("SCHEMA", "old")


def without_sequence(key: bytes) -> bytes:
    """A key without Redpanda's seq and node: with them the record counts at one offset alone."""
    members = orjson.loads(key)
    if "seq" not in members:
        return key
    return orjson.dumps({name: member for name, member in members.items() if name not in ("seq", "node")})
