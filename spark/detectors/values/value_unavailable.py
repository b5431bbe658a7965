"""Value unavailable: change events of Debezium whose row has a placeholder instead of a value that PostgreSQL did not log.

An update that leaves a large column (TOAST) unchanged does not log it. Innocent: the placeholder in the row before the change; a later record of
the key that has the value. Page: docs/detectors/value-unavailable.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural, some

PLACEHOLDER = "__debezium_unavailable_value"
IN_BASE64 = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="  # the same in a column of bytes
SAMPLE = 1000  # newest offsets of a topic's largest partition, which say whether all are worth a look
MAX_NAMED = 5

TEXT = "coalesce(TRY(decode(value)), value::VARCHAR)"
# The row after the change: what follows the member `after` of an envelope, else the whole value.
ROW = f"""if(contains({TEXT}, '"after":'), regexp_extract({TEXT}, '"after":.*', 0, 's'), {TEXT})"""
HAS_PLACEHOLDER = f"(contains({ROW}, '{PLACEHOLDER}') OR contains({ROW}, '{IN_BASE64}'))"
# The largest copy of each topic, and from where on its records are the sample: two short questions with constants, which spare the other values.
SAMPLES = f"""
    WITH sizes AS (
        SELECT {REPLICA_COLUMNS}, count(*) AS records, max("offset") - {SAMPLE} AS sample_offset FROM records
        WHERE {APPLICATIONS} AND value_form IN ('object', 'framed', 'binary', 'text') GROUP BY {REPLICA_COLUMNS}
    )
    SELECT {REPLICA_COLUMNS}, sample_offset FROM sizes
    QUALIFY row_number() OVER (PARTITION BY topic ORDER BY records DESC, {REPLICA_COLUMNS}) = 1 ORDER BY ALL
"""
IN_SAMPLE = f"""
    SELECT 1 FROM records WHERE {{place}} AND "offset" >= {{sample_offset}} AND NOT value_is_null AND {HAS_PLACEHOLDER} LIMIT 1
"""
COPIES = f"SELECT DISTINCT {REPLICA_COLUMNS} FROM records WHERE topic = $topic ORDER BY ALL"
UNAVAILABLE = f"""
    WITH lacking AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, key_hash_1, key_hash_2, key_is_null,
            regexp_extract_all({ROW}, '"([^"]+)" *: *\\[?"({PLACEHOLDER}|{IN_BASE64})"', 1) AS columns
        FROM records WHERE {{place}} AND {APPLICATIONS} AND NOT value_is_null AND {HAS_PLACEHOLDER}
    ),
    newest AS (
        SELECT key_hash_1, key_hash_2, max("offset") AS "offset" FROM records WHERE {{place}} AND NOT key_is_null GROUP BY ALL
    ),
    cleaned AS (SELECT compacted FROM cleanings WHERE {{place}} LIMIT 1)
    SELECT {REPLICA_COLUMNS}, count(*) AS records, count(n."offset") AS newest_of_key, min(l."offset") AS first_offset, max(l."offset") AS last_offset,
        min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, list_sort(list_distinct(flatten(list(columns)))) AS columns,
        coalesce(list(l."offset" ORDER BY l."offset") FILTER (n."offset" IS NOT NULL), [])[:{OFFSETS_NAMED}] AS newest_offsets,
        list(l."offset" ORDER BY l."offset")[:{OFFSETS_NAMED}] AS offsets, coalesce(any_value(c.compacted), 'no') = 'proven' AS is_compacted
    FROM lacking l LEFT JOIN newest n ON (n.key_hash_1, n.key_hash_2, n."offset") = (l.key_hash_1, l.key_hash_2, l."offset")
    LEFT JOIN cleaned c ON true GROUP BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition."""
    for sample in tables.rows(SAMPLES):
        sampled = is_of(replica_of(sample))
        if tables.rows(IN_SAMPLE.format(place=sampled, sample_offset=sample["sample_offset"])):
            for replica in tables.rows(COPIES, {"topic": sample["topic"]}):
                yield from tables.rows(UNAVAILABLE.format(place=is_of(replica_of(replica))))


def describe(row: Row) -> Finding:
    is_lost = row["is_compacted"] and row["newest_of_key"] > 0
    offsets = row["newest_offsets"] if is_lost else row["offsets"]
    columns = (
        f" of {some([marked.name(name) for name in row['columns']], MAX_NAMED)}" if row["columns"] else ""
    )
    return Finding(
        detector=detector.id,
        severity="medium" if is_lost else "low",
        title=(
            f"{plural(row['records'], 'record')} of {words.partition_name(row)} {'has' if row['records'] == 1 else 'have'} a placeholder instead of the "
            f"value{columns}"
        ),
        explanation=(
            f"Debezium wrote {marked.quote(PLACEHOLDER)} from {moment(row['first_ms'])} to {moment(row['last_ms'])}. PostgreSQL stores large values apart "
            "(TOAST). An update that does not change such a column does not log its value, so Debezium does not have it. A consumer or sink that writes the "
            f"row as it is overwrites the value in its target with this text. {plural(row['newest_of_key'], 'of these records is', 'of these records are')} "
            "the newest of the key. "
            + (
                "The topic is compacted: the older record with the value is removed, and a consumer that reads the topic from the start never gets it."
                if is_lost
                else "Consumers that read all records in order have got the value before, if they keep it."
            )
        ),
        **located(row),
        entity="unavailable-values",
        evidence=offsets,
        effects=on_records("misread", row, offsets, whom="consumers"),
        remedy=detector.remedy(the_topic_is_compacted=is_lost),
        references=detector.references,
    )


detector = Detector(
    id="value-unavailable",
    title="Placeholder instead of a value",
    find=find,
    describe=describe,
    headline=clause("records of {partitions} have a placeholder instead of a value"),
    rows_of="records",
    needs=frozenset({"contents"}),
    one_cause="topic",
)
