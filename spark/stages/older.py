"""What older dumps of the same journal hold: their entities, beside the partition that they are a dump of.

Only of dialects that say which entities count (`Dialect.compared`): what the service held at the end of the dump. Of entities
that store what others need (`Dialect.stored`), every record that set one: it has the bytes, whatever came after it. A dump whose layout does not name its topic counts for
the partition with its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from spark.dialects import Dialect
from spark.log.preferred_copy import speaking
from spark.stages.journal_owner import Origin
from spark.stages.partition_folders import UNKNOWN_TOPIC
from spark.storage.stored_path import ResultPath
from spark.tables import OLDER_ENTITIES, Manifest, Part
from spark.tables.parquet import PartWriter
from spark.tables.replica import IN_REPLICA, PartitionReplica
from spark.tables.store import ResultTables

HELD = f"""
    SELECT entity_type, entity_id, attributes, origin_offset FROM state_history
    WHERE {IN_REPLICA}
    AND (valid_to_offset IS NULL AND list_contains($types, entity_type) OR list_contains($stored, entity_type))
"""
NEWEST = f"SELECT max(timestamp_ms) AS at FROM lifelines WHERE {IN_REPLICA}"


@dataclass(frozen=True)
class OlderDump:
    """The results of an older dump's inspection, and what the user calls it."""

    name: str
    results: ResultPath


def write_older(
    results: ResultPath,
    dumps: Sequence[OlderDump],
    replicas: Iterable[PartitionReplica],
    origins: Mapping[str, Origin],
) -> list[Part]:
    """The entities of older dumps as rows of this inspection."""
    if not dumps:
        return []
    writer = PartWriter(results, "older-0")
    for replica in replicas:
        dialect = origins[replica.topic].dialect
        for dump in dumps if dialect.compared else ():
            for rows in rows_of(dump, replica, dialect):
                writer.write("older_entities", rows)
    return writer.finish()


def rows_of(dump: OlderDump, replica: PartitionReplica, dialect: Dialect) -> Iterable[pa.Table]:
    """Rows of `older_entities`: what the dump's replica of this partition contains."""
    tables = ResultTables.open(Manifest.load(dump.results))
    for other in speaking(tables):
        if other.partition == replica.partition and (
            other.topic == replica.topic or UNKNOWN_TOPIC in (other.topic, replica.topic)
        ):
            yield entities_of(tables, other, replica, dump, dialect)


def entities_of(
    tables: ResultTables,
    other: PartitionReplica,
    replica: PartitionReplica,
    dump: OlderDump,
    dialect: Dialect,
) -> pa.Table:
    """OLDER_ENTITIES rows of one partition."""
    values = other._asdict()
    (newest,) = tables.rows(NEWEST, values)
    kinds = {"types": list(dialect.compared), "stored": list(dialect.stored)}
    entities = tables.arrow(HELD, values | kinds)
    own = {**replica._asdict(), "dump": dump.name, "dumped_at_ms": newest["at"]}
    schema = OLDER_ENTITIES.schema
    columns = [
        pa.repeat(pa.scalar(own[field.name], field.type), entities.num_rows)
        if field.name in own
        else entities.column(field.name).cast(field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
