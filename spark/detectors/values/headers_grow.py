"""Headers grow: a record comes back again and again, and each time a header of the same name is appended to it.

A retry or dead-letter loop that keeps the old headers: the record grows until a broker refuses it. Of a topic of dead letters alone, records of
different keys show it by the headers that frameworks add at each failure. Innocent: a name once in each record; a
name that is always there as many times; other records with more headers. Page: docs/detectors/headers-grow.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.detectors._effects import on_records
from spark.detectors.values._forms import APPLICATIONS
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, file_size, listed, moment, plural

MIN_STEPS = 3  # a name once, twice, three times in one record's copies
LOOP_STEPS = 3  # that many in one topic: the record comes back to the topic
MANY = 8  # more repeats than a chain of retry topics has
# What spring-kafka, Kafka Connect and others add at each failure. Other names can legally be there several times.
OF_FAILURES = (
    r"(kafka_(dlt-)?(exception|original)|retry_topic|__connect[.]errors[.]|x-(exception|error|retry|death))"
)

# Before names are compared, which costs more than all else: a record that grew has at least two headers more than the others.
BOUNDS = f"""
    SELECT min(len(headers)) AS least, max(len(headers)) AS most FROM records WHERE {APPLICATIONS} AND headers IS NOT NULL
    HAVING most - least >= {MIN_STEPS - 1}
"""
ANY = f"""
    SELECT 1 FROM records WHERE {APPLICATIONS} AND len(headers) >= {{least}} + {MIN_STEPS - 1}
        AND len(headers) > list_unique(list_transform(headers, lambda h: h.key)) LIMIT 1
"""
# Only records whose key, value and headers are few; the hash stands for the value.
GROWING = f"""
    WITH suspects AS (
        SELECT DISTINCT key_hash_1, key_hash_2, value_size_bytes FROM records
        WHERE {APPLICATIONS} AND len(headers) >= {MIN_STEPS} AND len(headers) > list_unique(list_transform(headers, lambda h: h.key))
    ),
    copies AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, key_hash_1, key_hash_2, hash(value) AS value_hash, key, headers
        FROM records SEMI JOIN suspects USING (key_hash_1, key_hash_2, value_size_bytes) WHERE {APPLICATIONS} AND NOT value_is_null
    ),
    named AS (
        SELECT * EXCLUDE (headers, header), header.key AS name, count(*) AS times, sum(octet_length(coalesce(header.value, ''::BLOB)))::BIGINT AS size_bytes
        FROM (SELECT *, unnest(headers) AS header FROM copies) GROUP BY ALL
    ),
    grown AS (
        SELECT key_hash_1, key_hash_2, value_hash, name, count(DISTINCT times) AS steps, max(times) AS most, min(times) AS least,
            min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, list(DISTINCT topic ORDER BY topic) AS topics,
            max(size_bytes) AS size_bytes, corr(times, timestamp_ms) AS rising
        FROM named GROUP BY ALL
        HAVING steps >= {MIN_STEPS} AND (rising > 0.5 OR rising IS NULL) AND arg_max(times, timestamp_ms) > arg_min(times, timestamp_ms)
    ),
    in_topic AS (
        SELECT {REPLICA_COLUMNS}, key_hash_1, key_hash_2, value_hash, name, count(DISTINCT times) AS topic_steps, max(times) AS topic_most,
            min("offset") AS first_offset, max("offset") AS last_offset, list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
        FROM named GROUP BY ALL
    ),
    worst AS (
        SELECT {REPLICA_COLUMNS}, in_topic.* EXCLUDE ({REPLICA_COLUMNS}), grown.* EXCLUDE (key_hash_1, key_hash_2, value_hash, name)
        FROM in_topic JOIN grown USING (key_hash_1, key_hash_2, value_hash, name) WHERE topic_most = most
    )
    SELECT {REPLICA_COLUMNS}, count(DISTINCT (key_hash_1, key_hash_2, value_hash)) AS victims, list(DISTINCT name::VARCHAR ORDER BY name::VARCHAR)[:5] AS names,
        max(most) AS most, min(least) AS least, max(topic_steps) AS topic_steps, min(first_ms) AS first_ms, max(last_ms) AS last_ms,
        arg_max(topics, most) AS topics, max(size_bytes) AS size_bytes, arg_max(offsets, most) AS offsets,
        arg_max(first_offset, most) AS first_offset, arg_max(last_offset, most) AS last_offset
    FROM worst GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""
# Records that are there once each, with such headers several times, not always as many times.
KEPT = f"""
    WITH named AS (
        SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, header.key AS name, count(*) AS times,
            sum(octet_length(coalesce(header.value, ''::BLOB)))::BIGINT AS size_bytes
        FROM (
            SELECT {REPLICA_COLUMNS}, "offset", timestamp_ms, unnest(headers) AS header FROM records
            WHERE {APPLICATIONS} AND len(headers) > list_unique(list_transform(headers, lambda h: h.key))
        ) WHERE regexp_matches(decode(header.key), '^(?i){OF_FAILURES}') GROUP BY ALL
    ),
    kept AS (
        SELECT {REPLICA_COLUMNS}, name, max(times) AS most, min(times) AS least, count(DISTINCT times) AS steps, count(*) AS victims,
            min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms, max(size_bytes) AS size_bytes,
            min("offset") AS first_offset, max("offset") AS last_offset, list("offset" ORDER BY times DESC, "offset")[:{OFFSETS_NAMED}] AS offsets
        FROM named GROUP BY ALL HAVING steps >= {MIN_STEPS}
    )
    SELECT {REPLICA_COLUMNS}, max(victims) AS victims, list(name::VARCHAR ORDER BY name::VARCHAR)[:5] AS names, max(most) AS most, min(least) AS least,
        0 AS topic_steps, min(first_ms) AS first_ms, max(last_ms) AS last_ms, [topic] AS topics, max(size_bytes) AS size_bytes,
        list_sort(arg_max(offsets, most)) AS offsets, min(first_offset) AS first_offset, max(last_offset) AS last_offset
    FROM kept GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition in which such records have most headers."""
    bounds = tables.row(BOUNDS)
    if not bounds or not tables.rows(ANY.format(**bounds)):
        return
    growing = [{**row, "is_kept": False} for row in tables.rows(GROWING)]
    yield from growing
    if not growing:
        yield from ({**row, "is_kept": True} for row in tables.rows(KEPT))


def describe(row: Row) -> Finding:
    """The row in words."""
    offsets = list(row["offsets"])
    is_loop = (comes_back(row) and not row["is_kept"]) or row["most"] >= MANY
    names = listed([f"{marked.name(name)}" for name in row["names"]])
    return Finding(
        detector=detector.id,
        severity="medium" if is_loop else "low",
        confidence="likely" if row["is_kept"] else "proven",
        title=(
            f"{plural(row['victims'], 'record')} of {words.partition_name(row)} {'grows' if row['victims'] == 1 else 'grow'} with each retry: the "
            f"header {marked.name(row['names'][0])} is in it {marked.number(row['most'])} times"
        ),
        explanation=(
            f"{symptom(row)}: {names}, from {marked.number(row['least'])} to "
            f"{plural(row['most'], 'time')} between {moment(row['first_ms'])} and {moment(row['last_ms'])}. These headers have {file_size(row['size_bytes'])} "
            f"in the largest record.{topics_of(row)} Likely cause: a retry or dead-letter mechanism keeps the headers of the attempt before. A record that grows "
            "beyond `max.request.size` or `max.message.bytes` is rejected (RecordTooLargeException): the retry then fails, and the consumer stops or "
            "loses the record."
        ),
        **located(row),
        entity=f"headers:{row['names'][0]}",
        evidence=offsets,
        effects=on_records("at_risk", row, offsets, whom="consumers"),
        remedy=detector.remedy(records_come_back=is_loop),
        references=detector.references,
    )


def comes_back(row: Row) -> bool:
    """Whether one topic has enough of the steps."""
    return bool(row["topic_steps"] >= LOOP_STEPS or len(row["topics"]) == 1)


def symptom(row: Row) -> str:
    """What the input shows of the growth."""
    if row["is_kept"]:
        return "Each record has the headers of all its attempts, because every failure appends them again"
    return "The same key and value are written again, each time with another header"


def topics_of(row: Row) -> str:
    """Whether the record comes back to one topic, or goes through several."""
    if row["is_kept"]:
        return ""
    if comes_back(row):
        return " It is written to the same topic again."
    return f" It goes through {listed([marked.topic(topic) for topic in row['topics']])}."


detector = Detector(
    id="headers-grow",
    title="Headers that grow with each retry",
    find=find,
    describe=describe,
    headline=clause("records of {partitions} grow with each retry"),
    rows_of="records",
    needs=frozenset({"headers", "duplicate-headers", "contents"}),
    one_cause="topic",
)
