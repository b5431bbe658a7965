"""Key in several partitions: two producers with different partitioners, or partitions added to a topic with keys.

Innocent: records without a key or with an empty one; a function of its own that puts each key into one partition; keys that no known
function explains, where nothing shows that the topic is compacted. Page: docs/detectors/key-in-several-partitions.md
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spark.codecs.partitioners import FITTING_SHARE, NAMES
from spark.detectors import Detector, clause
from spark.detectors._effects import on_partition
from spark.detectors.values._partitioning import Explanation, Placing, counts_of, explain
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, moment, plural

MAX_KEYS = 200_000  # that are compared; of more, a part of them by their hash
MAX_SPREAD = 1_000  # keys in several partitions, and others, whose bytes are hashed

# Topics of services have rules of their own; a plain record has no entry type.
TOPICS = """
    WITH told AS (
        SELECT topic, TRY_CAST(value AS INT) AS partitions FROM properties WHERE name = 'partitions'
        UNION ALL
        SELECT regexp_extract(entity_id, '^(.*)/([0-9]+)$', 1), TRY_CAST(regexp_extract(entity_id, '([0-9]+)$') AS INT) + 1 FROM state
        WHERE entity_type = 'partition' AND view = 'log' AND is_own AND valid_to_offset IS NULL
    )
    SELECT topic, count(*) AS keys, any_value(partitions) AS partitions
    FROM keys LEFT JOIN (SELECT topic, max(partitions) AS partitions FROM told GROUP BY topic) USING (topic)
    WHERE entry_type IS NULL GROUP BY topic HAVING min(partition) <> max(partition) ORDER BY topic
"""
OF_TOPIC = "topic = {topic} AND key_hash_1 % {divisor} = 0 AND (key_hash_1 <> 0 OR key_hash_2 <> 0)"
SPREAD = f"""
    SELECT key_hash_1, key_hash_2 FROM keys WHERE {OF_TOPIC} GROUP BY ALL HAVING min(partition) <> max(partition)
"""
# Bytes of few keys, out of records. Of an empty key librdkafka makes no partition.
PLACED = f"""
    WITH chosen AS (
        (SELECT * FROM ({SPREAD}) ORDER BY ALL LIMIT {MAX_SPREAD})
        UNION (SELECT key_hash_1, key_hash_2 FROM keys WHERE {OF_TOPIC} ORDER BY ALL LIMIT {MAX_SPREAD})
    ),
    named AS (
        SELECT key_hash_1, key_hash_2, any_value(key) AS key FROM records SEMI JOIN chosen USING (key_hash_1, key_hash_2)
        WHERE topic = {{topic}} AND key_size_bytes > 0 GROUP BY key_hash_1, key_hash_2
    ),
    placed AS (
        SELECT named.key, partition, key_hash_1, key_hash_2, min(first_offset) AS first_offset, max(last_offset) AS last_offset
        FROM keys JOIN named USING (key_hash_1, key_hash_2) WHERE topic = {{topic}} GROUP BY ALL
    ),
    times AS (
        SELECT partition, key_hash_1, key_hash_2, min(timestamp_ms) AS first_ms, max(timestamp_ms) AS last_ms
        FROM lifelines SEMI JOIN placed USING (partition, key_hash_1, key_hash_2) WHERE topic = {{topic}} GROUP BY ALL
    )
    SELECT key, partition, first_offset, last_offset, coalesce(first_ms, -1) AS first_ms, coalesce(last_ms, -1) AS last_ms,
        count(*) OVER (PARTITION BY key) AS places
    FROM placed JOIN times USING (partition, key_hash_1, key_hash_2) ORDER BY places DESC, key, partition
"""
IS_COMPACTED = "SELECT 1 FROM cleanings WHERE topic = {} AND compacted = 'proven' LIMIT 1"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per topic."""
    for topic in tables.rows(TOPICS):
        name, divisor = quoted(topic["topic"]), 1 + topic["keys"] // MAX_KEYS
        spread = tables.arrow(SPREAD.format(topic=name, divisor=divisor))
        if not spread.num_rows:
            continue
        rows = tables.rows(PLACED.format(topic=name, divisor=divisor))
        if not rows or rows[0]["places"] == 1:  # only the empty key is in several
            continue
        placings = [
            Placing(bytes(row["key"]), row["partition"], row["first_ms"], row["last_ms"]) for row in rows
        ]
        explanation = explain(placings, topic["partitions"])
        compacted = bool(tables.rows(IS_COMPACTED.format(name)))
        if explanation or compacted:
            yield {
                **topic,
                "spread": spread.num_rows,
                "is_part": divisor > 1,
                "explanation": explanation,
                "counts": counts_of(placings, topic["partitions"]),
                "checked": len({placing.key for placing in placings}),
                "compacted": compacted,
                "example": [row for row in rows if row["key"] == rows[0]["key"]],
            }


def describe(row: Row) -> Finding:
    """The row in words."""
    explanation: Explanation | None = row["explanation"]
    topic = marked.topic(row["topic"])
    count = f"{'at least ' if row['is_part'] else ''}{plural(row['spread'], 'key')}"
    is_medium = explanation is not None and (row["compacted"] or not explanation.is_addition)
    return Finding(
        detector=detector.id,
        severity="medium" if is_medium else "low",
        confidence="likely" if explanation is None else "proven",
        title=f"{count} of {topic} {'is' if row['spread'] == 1 else 'are'} in several partitions: {cause(row)}",
        explanation=f"{example(row['example'])} {evidence(row)} {consequence(row)}",
        topic=row["topic"],
        partition=None,
        first_offset=None,
        last_offset=None,
        entity="keys-in-several-partitions",
        effects=on_partition("misread", row["topic"], None, "consumers"),
        remedy=remedy(row),
        references=detector.references,
    )


def cause(row: Row) -> str:
    """In a few words. Of some partitions of a topic, a divisor of their number explains the places as well: then no number is said."""
    explanation: Explanation | None = row["explanation"]
    if explanation is None:
        return "murmur2, CRC32 and FNV-1a do not explain it"
    if explanation.is_addition and not row["partitions"]:
        return "partitions were added"
    if explanation.is_addition:
        return f"the topic had {marked.number(explanation.counts[0])} partitions, then {marked.number(explanation.counts[1])}"
    return "two producers use different partitioners"


def example(rows: Sequence[Row]) -> str:
    """One key and where it is."""
    places = [
        f"partition {marked.number(row['partition'])} (last at offset {marked.offset(row['last_offset'])})"
        for row in rows
    ]
    key = bytes(rows[0]["key"])
    name = key.decode() if key.isascii() and key.decode().isprintable() else f"0x{key.hex()}"
    return f"Key {marked.key(name)} is in {listed(places)}."


def evidence(row: Row) -> str:
    """What shows the cause, and whether the number of partitions is known."""
    explanation: Explanation | None = row["explanation"]
    assumed = "" if row["partitions"] else "The topic's partition count is unknown. "
    if explanation is None:
        first, last = row["counts"][0], row["counts"][-1]
        tried = marked.number(first) if first == last else f"{marked.number(first)} to {marked.number(last)}"
        return (
            f"{assumed}Checked with {tried} partitions and the bytes of {plural(row['checked'], 'key')}: murmur2, CRC32, FNV-1a and the murmur2 "
            "of kafkajs before 2.0. No two of them, and no single one with partitions added later, explain "
            f"{marked.number(round(FITTING_SHARE * 100))} % of the keys' partitions better than chance. The producer can choose the partition by another rule, or at random."
        )
    share = f"{marked.number(round(explanation.share * 100))} %"
    if explanation.is_addition:
        return (
            f"{assumed}{NAMES[explanation.partitioners[0]]} explains {share} of the places: with {marked.number(explanation.counts[0])} partitions until "
            f"{moment(explanation.since_ms)}, and with {marked.number(explanation.counts[1])} from then on. Existing records stay in their partition."
        )
    first, second = (NAMES[name] for name in explanation.partitioners)
    return f"{assumed}With {marked.number(explanation.counts[0])} partitions, {first} and {second} explain {share} of the places."


def consequence(row: Row) -> str:
    """What consumers get."""
    stays = (
        " The topic is compacted: compaction works within a partition, so an old value of the key remains in the other partition, and a "
        "tombstone deletes only one of them."
        if row["compacted"]
        else ""
    )
    return (
        "Kafka keeps the order of records within a partition only. Consumers can read an older value of the key after a newer one, two "
        f"members of a group can process the same key, and joins by key can miss records.{stays}"
    )


def remedy(row: Row) -> str:
    """By cause."""
    explanation: Explanation | None = row["explanation"]
    if explanation is None:
        return detector.remedy("Unknown rule", topic=row["topic"])
    if explanation.is_addition:
        return detector.remedy("Added partitions", topic=row["topic"])
    return detector.remedy(
        "Two partitioners",
        topic=row["topic"],
        librdkafka="crc32" in explanation.partitioners,
        fnv="fnv1a" in explanation.partitioners,
        old_kafkajs="kafkajs-legacy" in explanation.partitioners,
    )


detector = Detector(
    id="key-in-several-partitions",
    title="Key in several partitions",
    find=find,
    describe=describe,
    headline=clause("keys of {partitions} are in several partitions"),
    rows_of="keys",
    needs=frozenset({"key", "partition", "exact-bytes"}),
    one_cause="topic",
)
