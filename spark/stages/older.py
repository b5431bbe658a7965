"""What older dumps of the same journal hold and deleted: their entities, beside the partition that they are a dump of.

Only of dialects that say which entities count (`Dialect.compared`): what the service held at the end of the dump. Of entities
that store what others need (`Dialect.stored`), every record that set one: it has the bytes, whatever came after it. A dump whose layout does not name its topic counts for
the partition with its number.

Of these dialects the deletions, too: what a record of the dump deletes, and what the dump's own older dumps told of. A repair
and the compactions after it remove a deletion with everything that it deleted.
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
from spark.tables import OLDER_DELETIONS, OLDER_ENTITIES, Manifest, Part, Table
from spark.tables.parquet import PartWriter
from spark.tables.replica import IN_REPLICA, PartitionReplica
from spark.tables.store import ResultTables

HELD = f"""
    SELECT entity_type, entity_id, attributes, origin_offset FROM state_history
    WHERE {IN_REPLICA}
    AND (valid_to_offset IS NULL AND list_contains($types, entity_type) OR list_contains($stored, entity_type))
"""
# An interval ends without a next one where the entity is deleted, or rejected from there on. A rejected deletion was of an
# entity whose records are gone.
DELETED = f"""
    WITH deletions AS (
        SELECT "offset" FROM entries WHERE {IN_REPLICA} AND starts_with(entry_action, 'delete')
    ),
    own AS (SELECT * FROM state_history WHERE {IN_REPLICA})
    SELECT $dump AS dump, entity_type, entity_id, attributes, origin_offset, valid_to_offset AS deleted_at_offset
    FROM own SEMI JOIN deletions ON deletions."offset" = own.valid_to_offset
    WHERE list_contains($types, entity_type) AND NOT EXISTS (
        FROM own AS following WHERE following.entity_type = own.entity_type AND following.entity_id = own.entity_id
        AND following.valid_from_offset = own.valid_to_offset)
    UNION ALL
    SELECT $dump, entity_type, entity_id, NULL, NULL, "offset"
    FROM live_refusals SEMI JOIN deletions USING ("offset")
    WHERE {IN_REPLICA} AND list_contains($types, entity_type) AND ends_with(reason, '-missing')
    UNION ALL
    SELECT dump, entity_type, entity_id, attributes, origin_offset, deleted_at_offset FROM older_deletions WHERE {IN_REPLICA}
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
            for name, rows in rows_of(dump, replica, dialect):
                writer.write(name, rows)
    return writer.finish()


def rows_of(dump: OlderDump, replica: PartitionReplica, dialect: Dialect) -> Iterable[tuple[str, pa.Table]]:
    """Rows of `older_entities` and `older_deletions`: what the dump's replica of this partition contains and deletes."""
    tables = ResultTables.open(Manifest.load(dump.results))
    for other in speaking(tables):
        if other.partition == replica.partition and (
            other.topic == replica.topic or UNKNOWN_TOPIC in (other.topic, replica.topic)
        ):
            values = other._asdict()
            kinds = {"types": list(dialect.compared), "stored": list(dialect.stored)}
            (newest,) = tables.rows(NEWEST, values)
            entities = tables.arrow(HELD, values | kinds)
            own = {**replica._asdict(), "dump": dump.name, "dumped_at_ms": newest["at"]}
            yield "older_entities", beside(entities, own, OLDER_ENTITIES)
            if dialect.stored:
                deleted = tables.arrow(DELETED, values | {"types": list(dialect.compared), "dump": dump.name})
                yield "older_deletions", beside(deleted, replica._asdict(), OLDER_DELETIONS)


def beside(rows: pa.Table, own: Mapping[str, object], table: Table) -> pa.Table:
    """Rows of an older dump as those of this inspection: `own` are the columns that all rows share."""
    columns = [
        pa.repeat(pa.scalar(own[field.name], field.type), rows.num_rows)
        if field.name in own
        else rows.column(field.name).cast(field.type)
        for field in table.schema
    ]
    return pa.table(columns, schema=table.schema)
