"""Profile of a topic: what its records look like, all of its partitions together or one of them.

Counts are of data records, those of aborted transactions included; control records are no application's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spark.codecs.partitioners import Fit, fit_of
from spark.codecs.service_forms import ANY, SIDES, service_forms
from spark.tables.replica import PartitionReplica
from spark.tables.schemas.registered import RegisteredSchema, fetched_schema
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.profile.topic_tables import TopicTables
from webapp.reports.results import Results, Rows

IDS_LISTED = 20  # schema ids, the most used first
NAMES_LISTED = 20  # header names
SUBJECTS_LISTED = 5  # versions of one schema id
TOP_KEYS = 10
CORRUPT_LISTED = 3  # batches
HEADERS_READ = 100_000  # records whose header names are counted: a name cannot be read without its value
KEYS_HASHED = 1_000  # a sample by their hash: with 2 partitions some 20 keys prove a partitioner
HASHED_BYTES = 128  # of a key at most: the time to hash keys grows with the number of their lengths

DATA = "{scope} AND control_type IS NULL"
TOMBSTONE = "value_is_null AND NOT key_is_null AND entry_action IS DISTINCT FROM 'restart'"  # a restart's null deletes nothing
SERVICE = "entry_type IS NOT NULL"  # what a service writes in a form of its own is not framed, whatever its first bytes are
PARTITIONS = f"""
SELECT "partition", replica, count(*) AS records, sum(key_size_bytes::BIGINT + value_size_bytes)::BIGINT AS size_bytes,
       min(timestamp_ms) FILTER (timestamp_ms >= 0) AS first_timestamp_ms,
       max(timestamp_ms) FILTER (timestamp_ms >= 0) AS last_timestamp_ms,
       count(*) FILTER (timestamp_ms IS NULL OR timestamp_ms < 0) AS without_time,
       count(*) FILTER (key_is_null) AS null_keys, count(*) FILTER ({TOMBSTONE}) AS tombstones,
       count(*) FILTER (timestamp_ms >= 0 AND timestamp_type = 'create') AS create_time,
       count(*) FILTER (timestamp_ms >= 0 AND timestamp_type = 'log_append') AS log_append_time,
       count(*) FILTER (producer_id >= 0) AS idempotent, count(*) FILTER (producer_id < 0) AS without_producer
FROM records WHERE {DATA} GROUP BY ALL ORDER BY "partition"
"""
# By size, so that percentiles of any number of records take little memory.
SIZES = f"""
WITH sizes AS (
    SELECT {{side}}_size_bytes AS size_bytes, count(*) AS records, min("offset") AS "offset", arg_min("partition", "offset") AS "partition"
    FROM records WHERE {DATA} AND NOT {{side}}_is_null GROUP BY ALL
),
ranked AS (SELECT *, sum(records) OVER (ORDER BY size_bytes) AS upto, sum(records) OVER () AS total FROM sizes)
SELECT min(size_bytes) FILTER (upto >= 0.5 * total) AS p50, min(size_bytes) FILTER (upto >= 0.9 * total) AS p90,
       min(size_bytes) FILTER (upto >= 0.99 * total) AS p99, max(size_bytes) AS largest,
       arg_max("offset", size_bytes) AS "offset", arg_max("partition", size_bytes) AS "partition",
       sum(size_bytes * records)::BIGINT AS size_bytes, any_value(total)::BIGINT AS records
FROM ranked HAVING count(*) > 0
"""
# What the service reads: of an entry without a type the key is unreadable, of one without an action the value.
READ = {"key": SERVICE, "value": f"{SERVICE} AND entry_action <> 'ignored'"}
FORMS = f"""
SELECT CASE WHEN {{side}}_is_null THEN 'null' {{service_forms}} WHEN {{side}}_form = 'framed' AND {SERVICE} THEN 'binary' ELSE {{side}}_form END
       AS form, count(*) AS records, min("offset") AS first_offset, arg_min("partition", "offset") AS "partition"
FROM records WHERE {DATA} GROUP BY form HAVING form IS NOT NULL ORDER BY records DESC, form
"""
SCHEMA_IDS = f"""
SELECT {{side}}_schema_id AS id, count(*) AS records, min("offset") AS first_offset, arg_min("partition", "offset") AS "partition",
       count(*) OVER () AS all_ids, sum(count(*)) OVER ()::BIGINT AS all_records
FROM records WHERE {DATA} AND {{side}}_schema_id IS NOT NULL AND NOT {SERVICE} GROUP BY id ORDER BY records DESC, id LIMIT {IDS_LISTED}
"""
HEADERS = f"""
WITH looked_at AS (SELECT headers FROM records WHERE {DATA} AND headers IS NOT NULL LIMIT {HEADERS_READ}),
headers AS (SELECT unnest(headers) AS header FROM looked_at)
SELECT header.key AS name, count(*) AS headers, count(*) OVER () AS all_names,
       (SELECT {{'records': count(*), 'with_headers': count_if(len(headers) > 0)}} FROM looked_at) AS looked_at
FROM headers GROUP BY name ORDER BY headers DESC, name LIMIT {NAMES_LISTED}
"""
HAS_HEADERS = f"SELECT 1 AS row FROM records WHERE {DATA} AND headers IS NOT NULL LIMIT 1"
# How many keys have so many records.
KEYS = """
SELECT count(*) AS keys, count_if(records = 1) AS "1",
       count_if(records BETWEEN 2 AND 10) AS "2 to 10", count_if(records BETWEEN 11 AND 100) AS "11 to 100",
       count_if(records BETWEEN 101 AND 1000) AS "101 to 1,000", count_if(records > 1000) AS "more than 1,000"
FROM (SELECT sum(versions) AS records FROM keys WHERE {scope} GROUP BY key_hash_1, key_hash_2)
"""
# In one partition a key is one row: a million of them need no grouping.
KEYS_OF_ONE = KEYS.replace("sum(versions)", "versions").replace("GROUP BY key_hash_1, key_hash_2", "")
RECORDS_PER_KEY = ("1", "2 to 10", "11 to 100", "101 to 1,000", "more than 1,000")
TOP = f"""
SELECT "key", key_hash_1, key_hash_2, "partition", replica, versions, tombstones, live_bytes + dead_bytes AS size_bytes, last_offset
FROM keys WHERE {{scope}} AND versions > 1 ORDER BY versions DESC, "partition", first_offset LIMIT {TOP_KEYS}
"""
PLACED = f"""SELECT "key", "partition" FROM keys WHERE {{scope}} AND octet_length("key") BETWEEN 1 AND {HASHED_BYTES} ORDER BY key_hash_1, "partition" LIMIT {KEYS_HASHED}
"""
PARTITION_COUNT = """
SELECT max(TRY_CAST(value AS INT)) AS partitions FROM properties WHERE name = 'partitions' AND topic = $topic
"""
# Bytes of keys and values in a batch, beside the bytes that it takes.
CODECS = f"""
WITH contents AS (
    SELECT file, batch_position AS position, sum(key_size_bytes::BIGINT + value_size_bytes) AS content_bytes FROM records WHERE {DATA} GROUP BY ALL
)
SELECT codec, count(*) AS batches, sum(coalesce(records_read, record_count))::BIGINT AS records, sum(size_bytes)::BIGINT AS size_bytes,
       sum(content_bytes)::BIGINT AS content_bytes
FROM batches LEFT JOIN contents USING (file, position) WHERE {{scope}} AND NOT is_control GROUP BY codec ORDER BY size_bytes DESC
"""
PRODUCERS = """
SELECT count(DISTINCT producer_id) FILTER (producer_id >= 0) AS producers,
       count(DISTINCT producer_id) FILTER (is_transactional) AS transactional
FROM batches WHERE {scope} AND NOT is_control
"""
BINS = f"""
SELECT timestamp_ms // $width * $width AS start_ms, count(*) AS records, count_if({TOMBSTONE}) AS tombstones
FROM records WHERE {DATA} AND timestamp_ms BETWEEN $first AND $last GROUP BY start_ms ORDER BY start_ms
"""
# Versions that a registry's journal gives an id: Confluent's and Karapace's ids, Apicurio's two kinds.
SUBJECTS = """
WITH versions AS (
    SELECT 'ID' AS kind, TRY_CAST(attributes->>'id' AS BIGINT) AS id, * FROM state_history WHERE entity_type = 'schema'
    UNION ALL
    SELECT 'content ID', TRY_CAST(attributes->>'contentId' AS BIGINT), * FROM state_history WHERE entity_type = 'version'
    UNION ALL
    SELECT 'global ID', TRY_CAST(attributes->>'globalId' AS BIGINT), * FROM state_history WHERE entity_type = 'version'
),
named AS (
    SELECT id, kind, entity_type, entity_id AS name, any_value({'topic': topic, 'partition': partition, 'replica': replica}) AS place,
           bool_or(valid_to_offset IS NULL) AS is_held
    FROM versions WHERE list_contains($ids, id) GROUP BY id, kind, entity_type, name
)
SELECT *, count(*) OVER (PARTITION BY id) AS all_names FROM named
QUALIFY row_number() OVER (PARTITION BY id ORDER BY is_held DESC, kind, name) <= {listed} ORDER BY id, is_held DESC, kind, name
""".replace("{listed}", str(SUBJECTS_LISTED))
HAS_REGISTRY = "SELECT 1 AS row FROM state_history WHERE entity_type IN ('schema', 'version') LIMIT 1"
# What the files of these records contain; a thing counts as absent if no file contains it.
FILES = """
SELECT layout_title, kind, cannot_tell FROM files WHERE file IN (SELECT DISTINCT file FROM records WHERE {scope}) ORDER BY file
"""
ABSENT = """
SELECT cause, sum(last_offset - first_offset + 1)::BIGINT AS offsets, arg_max("partition", last_offset - first_offset) AS "partition" FROM gaps
JOIN (SELECT topic, "partition", replica, min("offset") AS low, max("offset") AS high FROM records WHERE {scope} GROUP BY ALL) USING (topic, "partition", replica) WHERE first_offset BETWEEN low AND high GROUP BY cause ORDER BY offsets DESC, cause
"""
# Batches that fail their checksum, by the records that were read from them.
CORRUPT = f"""
SELECT "partition", min("offset") AS first_offset, max("offset") AS last_offset, count(*) AS records,
       count(*) OVER () AS all_batches, count(*) OVER () - {CORRUPT_LISTED} AS unlisted, sum(count(*)) OVER ()::BIGINT AS all_records
FROM records JOIN (SELECT file, position AS batch_position FROM batches WHERE NOT crc_ok) USING (file, batch_position)
WHERE {DATA} GROUP BY "partition", file, batch_position ORDER BY "partition", first_offset LIMIT {CORRUPT_LISTED}
"""
ABORTED = "SELECT coalesce(sum(records), 0)::BIGINT AS records FROM transactions WHERE {scope} AND outcome = 'aborted'"


@dataclass(frozen=True)
class TopicProfile:
    """Rows of the queries above. `sizes`, `forms` and `schema_ids` are by key and value."""

    topic: str
    partitions: Rows
    totals: dict[str, Any]
    sizes: dict[str, dict[str, Any]]
    forms: dict[str, Rows]
    schema_ids: dict[str, Rows]
    headers: Rows
    has_headers: bool  # or that there are none; else nothing is known of them
    keys: dict[str, Any]
    codecs: Rows
    producers: dict[str, Any]
    files: Rows
    absent: Rows
    corrupt: Rows
    aborted: int

    @property
    def absent_offsets(self) -> int:
        """Offsets between the first and the last without a record."""
        return sum(row["offsets"] for row in self.absent)


def profile_of(tables: TopicTables) -> TopicProfile:
    """Everything but the figure's bins, the keys themselves and what the keys' bytes prove."""
    partitions = tables.rows(PARTITIONS)
    for row in partitions:  # in the log, control records included: gaps are counted between them
        replica = PartitionReplica(tables.replicas[0].topic, row["partition"], row["replica"])
        row["first_offset"], row["last_offset"] = survey(tables.results).facts[replica].bounds
    has_forms = "key_form" in _columns_of_records(tables.results)
    return TopicProfile(
        topic=tables.replicas[0].topic,
        partitions=partitions,
        totals=_totals(partitions),
        sizes={side: row for side in SIDES if (row := tables.row(SIZES, side))},
        forms={side: forms_of(tables, side) if has_forms else [] for side in SIDES},
        schema_ids={side: schema_ids(tables, side) if has_forms else [] for side in SIDES},
        headers=tables.rows(HEADERS),
        has_headers=bool(tables.rows(HAS_HEADERS)),
        keys=tables.row(KEYS if len(tables.replicas) > 1 else KEYS_OF_ONE),
        codecs=tables.rows(CODECS),
        producers=tables.row(PRODUCERS),
        files=tables.rows(FILES),
        absent=tables.rows(ABSENT),
        corrupt=tables.rows(CORRUPT),
        aborted=tables.row(ABORTED).get("records", 0),
    )


def forms_of(tables: TopicTables, side: str) -> Rows:
    """How many records have each form: that of the service, where it has one and reads the record, else that of the bytes."""
    forms = service_forms(tables.dialect, side).items()
    types = [("" if name == ANY else f"AND entry_type = '{name}'", form) for name, form in forms]
    cases = " ".join(
        f"WHEN {side}_form IS NOT NULL AND {READ[side]} {of_type} THEN '{form}'" for of_type, form in types
    )
    return tables.rows(FORMS.replace("{service_forms}", cases), side=side)


def schema_ids(tables: TopicTables, side: str) -> Rows:
    """The most used ids, each with the versions that a registry of this input gives it."""
    rows = tables.rows(SCHEMA_IDS, side=side)
    names: dict[int, Rows] = {row["id"]: [] for row in rows}
    for row in tables.results.rows(SUBJECTS, {"ids": list(names)}) if rows else ():
        names[row["id"]].append(row)
    for number, versions in names.items():
        schema = None if versions else fetched_schema(tables.results, number)
        if isinstance(schema, RegisteredSchema):
            versions.append(
                {
                    "id": number,
                    "kind": "ID",
                    "name": schema.name,
                    "is_held": True,
                    "all_names": 1,
                    "place": None,
                }
            )
    return [row | {"versions": names[row["id"]]} for row in rows]


def partitioner_of(tables: TopicTables) -> tuple[Fit | None, int]:
    """The partitioner that the keys prove, and how many keys were tested."""
    rows = tables.rows(PLACED)
    count = next(iter(tables.rows(PARTITION_COUNT)), {}).get("partitions")
    fit = fit_of([bytes(row["key"]) for row in rows], [row["partition"] for row in rows], count)
    return fit, len(rows)


def _totals(partitions: Rows) -> dict[str, Any]:
    """Of all partitions: sums, first and last times."""
    places = {
        "partition",
        "replica",
        "first_offset",
        "last_offset",
        "first_timestamp_ms",
        "last_timestamp_ms",
    }
    names = partitions[0].keys() - places if partitions else ()
    times = {
        "first_timestamp_ms": _ends(min, partitions, "first_timestamp_ms"),
        "last_timestamp_ms": _ends(max, partitions, "last_timestamp_ms"),
    }
    return {name: sum(row[name] for row in partitions) for name in names} | times


def _ends(choose: Any, rows: Rows, name: str) -> int | None:
    return choose((row[name] for row in rows if row[name] is not None), default=None)


def _columns_of_records(results: Results) -> set[str]:
    """Results of earlier releases lack the forms."""
    return {row["column_name"] for row in results.rows("DESCRIBE SELECT * FROM records")}
