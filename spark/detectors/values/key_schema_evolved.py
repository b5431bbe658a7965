"""Key schema evolved: keys of a compacted topic are equal but for the schema id in front of them. To Kafka they are different keys.

Compaction keeps the last record of both, a tombstone deletes one, and the default partitioner can put them into different partitions.
Low where both ids stay in use: two kinds of keys look the same. Innocent: keys whose bytes behind the id differ; numbers of 8 bytes; a topic that nothing shows to be compacted. Page: docs/detectors/key-schema-evolved.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause
from spark.detectors._effects import on_partition
from spark.detectors.values._forms import APPLICATIONS, RECORDS_PER_ID
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.table_phrases import as_text
from spark.terms.typed_wording import listed, moment, plural

MIN_RECORDS = 4
TOPICS = f"""
    WITH ids AS (
        SELECT topic, key_schema_id AS id, count(*) AS records, min(timestamp_ms) AS first_ms
        FROM records WHERE key_schema_id IS NOT NULL AND {APPLICATIONS} GROUP BY ALL
    ),
    compacted AS (SELECT topic, any_value(why) AS why FROM cleanings WHERE compacted = 'proven' GROUP BY topic)
    SELECT topic, why, list(id ORDER BY first_ms, id) AS ids, list(first_ms ORDER BY first_ms, id) AS since FROM ids JOIN compacted USING (topic)
    GROUP BY ALL HAVING count(*) > 1 AND sum(records) >= greatest({MIN_RECORDS}, {RECORDS_PER_ID} * count(*)) ORDER BY topic
"""
# Numbers of 8 bytes look framed; n and n + 2 to the power of 24 look the same under two ids. A text of Avro begins with its length.
ARE_NUMBERS = "(SELECT bool_and(length(payload) = 6) AND count(DISTINCT left(payload, 2)) > 1 FROM keyed)"
# The last record of each key; then the keys that are equal behind the id.
EVOLVED = f"""
    WITH keyed AS (
        SELECT substr(hex(key), 11) AS payload, key_schema_id AS id, arg_max(value_is_null, timestamp_ms) AS is_deleted,
            arg_max({{{{'partition': partition, 'offset': "offset", 'id': key_schema_id}}}}, timestamp_ms) AS last_record
        FROM records WHERE topic = {{topic}} AND key_schema_id IS NOT NULL AND {APPLICATIONS} GROUP BY ALL
    ),
    equal AS (
        SELECT payload, count(*) FILTER (NOT is_deleted) AS kept, bool_or(is_deleted) AS has_tombstone, list(last_record ORDER BY id) AS places
        FROM keyed WHERE payload <> '' GROUP BY payload HAVING count(*) > 1
    )
    SELECT count(*) AS keys, {ARE_NUMBERS} AS are_numbers, count(*) FILTER (kept > 1) AS kept_twice, count(*) FILTER (kept > 0 AND has_tombstone) AS not_deleted,
        arg_min(places, payload) AS places
    FROM equal
"""

# From the first record with the newest id on: records with older ids, and with it.
SINCE = f"""
    SELECT count(*) FILTER (key_schema_id <> {{newest}}) AS older, count(*) FILTER (key_schema_id = {{newest}}) AS newer
    FROM records WHERE topic = {{topic}} AND key_schema_id IS NOT NULL AND timestamp_ms >= {{since}} AND {APPLICATIONS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per topic."""
    for topic in tables.rows(TOPICS):
        name = quoted(topic["topic"])
        row = tables.rows(EVOLVED.format(topic=name))[0]
        if not row["keys"] or row["are_numbers"]:
            continue
        since = tables.rows(SINCE.format(topic=name, newest=topic["ids"][-1], since=topic["since"][-1]))[0]
        yield {**topic, **row, "are_both_in_use": 2 * since["older"] >= since["newer"]}


def describe(row: Row) -> Finding:
    """The row in words."""
    ids = [marked.number(id) for id in row["ids"]]
    places = [
        f"partition {marked.number(last['partition'])}, offset {marked.offset(last['offset'])} (ID {marked.number(last['id'])})"
        for last in row["places"][:4]
    ]
    return Finding(
        detector=detector.id,
        severity="low" if row["are_both_in_use"] else "medium",
        confidence="likely" if row["are_both_in_use"] else "proven",
        title=(
            f"Compaction of {marked.topic(row['topic'])} keeps old values: {plural(row['keys'], 'key')} {'is' if row['keys'] == 1 else 'are'} "
            f"stored under schema IDs {listed(ids)}"
        ),
        explanation=(
            f"A key's bytes begin with its schema ID. These keys are equal behind the ID. {kind(row)} "
            f"For Kafka they are different keys. One of them has its last records at {listed(places)}. ID {ids[-1]} is in use since "
            f"{moment(row['since'][-1])}. The topic is compacted: {as_text(row['why'])}. {remains(row)} The default partitioner hashes all bytes of "
            "the key, so both can be in different partitions, and the order between them is lost."
        ),
        topic=row["topic"],
        partition=None,
        first_offset=None,
        last_offset=None,
        entity="key-schema",
        effects=on_partition("misread", row["topic"], None, "consumers"),
        remedy=detector.remedy(both_ids_are_in_use=row["are_both_in_use"], old_ids=listed(ids[:-1])),
        references=detector.references,
    )


def kind(row: Row) -> str:
    """Whether they are one key for the application."""
    if row["are_both_in_use"]:
        return (
            "Both IDs stay in use: these can be two kinds of keys, or a producer still has the old key schema. The subjects of the IDs in the "
            "schema registry decide."
        )
    return "The new ID replaced the old one, so they are the same key with a changed key schema."


def remains(row: Row) -> str:
    """What compaction leaves of them."""
    sentences = []
    if row["kept_twice"]:
        sentences.append(f"Compaction keeps a value under each ID for {plural(row['kept_twice'], 'key')}.")
    if row["not_deleted"]:
        sentences.append(
            f"{plural(row['not_deleted'], 'key')} {'has' if row['not_deleted'] == 1 else 'have'} a tombstone under one ID and a value under another: "
            "the value remains."
        )
    return " ".join(sentences) or "All values of these keys are deleted."


detector = Detector(
    id="key-schema-evolved",
    title="Keys of a compacted topic under several schema IDs",
    find=find,
    describe=describe,
    headline=clause("compaction of {partitions} keeps old values under old key schemas"),
    rows_of="records",
    needs=frozenset({"key", "exact-bytes"}),
    one_cause="topic",
)
