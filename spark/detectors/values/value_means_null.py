"""Value means null: in a compacted topic the last value of keys is the text null, Connect's envelope of null, "" or no byte.

The producer meant to delete the key. For Kafka it is a value, which compaction keeps for ever. Innocent: a topic that nothing shows to be
compacted; a single key; a topic without objects, whose values are scalars. Page: docs/detectors/value-means-null.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_partition
from spark.detectors.values._forms import APPLICATIONS, prepared
from spark.tables.replica import REPLICA_COLUMNS, Row, is_of, replica_of
from spark.tables.store import ResultTables
from spark.terms.findings import Finding
from spark.terms.table_phrases import as_text
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, listed, plural

MIN_KEYS = 2
MIN_OBJECTS = 3  # values that are no deletes, in a topic of JSON objects or framed values
SHAPES = {
    "null_text": "the text `null`",
    "connect_null": '`{"schema":null,"payload":null}`',
    "string": 'the text `""`',
    "empty": "an empty value (0 bytes)",
}
MEANING_NULL = "(value_form IN ('null_text', 'connect_null', 'empty') OR (value_form = 'string' AND value_size_bytes = 2))"

CANDIDATES = f"""
    SELECT {REPLICA_COLUMNS}, compacted, why FROM value_forms JOIN cleanings USING ({REPLICA_COLUMNS}) WHERE compacted <> 'no'
    GROUP BY ALL HAVING sum(records) FILTER (form IN ('object', 'framed')) >= {MIN_OBJECTS}
        AND sum(records) FILTER (form IN ('null_text', 'connect_null', 'string', 'empty')) >= {MIN_KEYS}
    ORDER BY {REPLICA_COLUMNS}
"""
# The rows concerned are few: their places first, then who superseded them.
LAST = f"""
    WITH nulls AS (
        SELECT "offset", value_form FROM records WHERE {{replica}} AND {APPLICATIONS} AND {MEANING_NULL} AND NOT key_is_null
    )
    SELECT count(*) AS keys, count(*) FILTER (previous_offset IS NOT NULL) AS after_values, list(DISTINCT value_form ORDER BY value_form) AS forms,
        min("offset") AS first_offset, max("offset") AS last_offset, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets,
        (SELECT count(*) FROM lifelines WHERE {{replica}} AND kind = 'tombstone') AS tombstones
    FROM lifelines JOIN nulls USING ("offset") WHERE {{replica}} AND superseded_by IS NULL
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition."""
    for candidate in prepared(tables).rows(CANDIDATES):
        row = tables.rows(LAST.format(replica=is_of(replica_of(candidate))))[0]
        if row["keys"] >= MIN_KEYS:
            yield {**candidate, **row}


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])
    is_proven = row["compacted"] == "proven"
    first = ", the first" if row["keys"] > len(offsets) else ""
    return Finding(
        detector=detector.id,
        severity="medium" if is_proven else "low",
        confidence="proven" if is_proven else "likely",
        title=(
            f"{plural(row['keys'], 'key')} of {words.partition_name(row)} {'is' if row['keys'] == 1 else 'are'} never deleted by compaction: the last value "
            f"only means null{first} at {at_offsets(offsets)}"
        ),
        explanation=(
            f"The last value of these keys is {listed([SHAPES[form] for form in row['forms']])}, in a topic of structured values. For Kafka it is "
            "a value. Only a record without a value (null) is a tombstone. The topic is compacted: "
            f"{as_text(row['why'])}. Compaction keeps these records, and consumers that build a table keep the keys. "
            f"{plural(row['after_values'], 'of these keys had', 'of these keys had')} another value earlier. {tombstones(row)}"
        ),
        **located(row),
        entity="values-meaning-null",
        entities={"empty-values"} if "empty" in row["forms"] else set(),
        evidence=offsets,
        effects=on_partition("misread", row["topic"], row["partition"], "consumers"),
        remedy=detector.remedy(values_of_connect="connect_null" in row["forms"]),
        references=detector.references,
    )


def tombstones(row: Row) -> str:
    """Whether other keys are deleted as Kafka expects it."""
    if not row["tombstones"]:
        return "The partition contains no tombstone."
    return f"The partition also contains {plural(row['tombstones'], 'tombstone')}, so some producers delete correctly."


detector = Detector(
    id="value-means-null",
    title="Values that only mean null",
    find=find,
    describe=describe,
    headline=clause("keys of {partitions} are never deleted by compaction: their last value only means null"),
    rows_of="records",
    scope="partition",
    needs=frozenset({"key", "contents", "exact-bytes"}),
    one_cause="topic",
)
