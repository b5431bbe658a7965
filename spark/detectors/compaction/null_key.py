"""Null key: records without a key in a log that is compacted.

Innocent: control records; journals whose records have no key by design. Page: docs/detectors/null-key.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, DoesNotApply, clause, located
from spark.detectors._effects import on_records
from spark.dialects import dialects
from spark.log.cluster_settings import PRINTED_SETTINGS
from spark.tables.replica import Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.table_phrases import as_text
from spark.terms.typed_wording import OFFSETS_NAMED, at_offsets, grouped, plural

# KRaft's metadata, ksqlDB's command topic and Debezium's schema history carry no keys and are never compacted by key.
KEYLESS_BY_DESIGN = r"^__cluster_metadata$|_command_topic$|(db|schema)[._-]?(history|changes)"
PROVEN = "SELECT 1 AS one FROM cleanings WHERE compacted = 'proven' LIMIT 1"
KEYLESS = f"""
    SELECT topic, partition, replica, any_value(why) AS why, count(*) AS records,
        min("offset") AS first_offset, max("offset") AS last_offset,
        count(*) FILTER ("offset" < first_uncleanable_offset) AS due,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets
    FROM lifelines JOIN cleanings USING (topic, partition, replica)
    WHERE key_hash_1 = 0 AND key_hash_2 = 0 AND kind <> 'control' AND compacted = 'proven'
        AND NOT regexp_matches(topic, '{KEYLESS_BY_DESIGN}')
    GROUP BY topic, partition, replica ORDER BY topic, partition, replica
"""

SAMPLE = "SELECT * FROM records WHERE topic = {} AND control_type IS NULL LIMIT 200"


def absent(tables: ResultTables) -> str | None:
    """Only a log that is known to be compacted must not hold such records."""
    if tables.rows(PROVEN):
        return None
    if captured := tables.rows(
        "SELECT DISTINCT cleanup_policy AS policy FROM captures WHERE cleanup_policy IS NOT NULL"
    ):
        return DoesNotApply(
            f"the topic is not compacted: its cleanup.policy was {marked.quote(captured[0]['policy'])} at the time of the capture"
        )
    if printed := tables.rows(
        f"WITH {PRINTED_SETTINGS} FROM printed_settings WHERE name = 'cleanup.policy' AND NOT contains(value, 'compact')"
    ):
        return DoesNotApply(
            f"the topic is not compacted: its cleanup.policy was {marked.quote(printed[0]['value'])}, by {marked.quote(printed[0]['said_by'])}"
        )
    return "the input does not prove that a topic is compacted: no cleaner checkpoint names it, and no batch was compacted"


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per partition's copy that holds such records."""
    rows = tables.rows(KEYLESS)
    keyless = {topic for topic in {row["topic"] for row in rows} if is_keyless_by_design(topic, tables)}
    return [row for row in rows if row["topic"] not in keyless]


def is_keyless_by_design(topic: str, tables: ResultTables) -> bool:
    """Whether the journal's language is one that its service never has compacted."""
    sample = tables.arrow(SAMPLE.format(quoted(topic)))
    best = max(dialects().values(), key=lambda dialect: dialect.sniff(topic, sample).score)
    return sample.num_rows > 0 and not best.is_compacted


def describe(row: Row) -> Finding:
    offsets = list(row["offsets"])
    name = marked.partition(row["topic"], row["partition"])
    first = ", the first" if row["records"] > len(offsets) else ""
    due = f" The next compaction removes {grouped(row['due'])} of them." if row["due"] else ""
    lost = "will be lost" if row["records"] == row["due"] else "can be lost"
    return Finding(
        detector=detector.id,
        severity="high",
        effects=on_records("lost", row, offsets, "next_compaction", "consumers"),
        title=f"{plural(row['records'], 'record')} of {name} {lost} at compaction: no key{first} at {at_offsets(offsets)}",
        explanation=(
            f"The log is compacted: {as_text(row['why'])}. Compaction keeps the newest record of each key and removes every record without "
            f"a key.{due} Brokers from 2.0 reject such records for a compacted topic. So they were written before compaction of the "
            "topic was enabled, or through an older broker."
        ),
        **located(row),
        entity="null-keys",
        evidence=offsets,
        loses_later=True,
        remedy=detector.remedy(topic=row["topic"], offsets_without_a_key=at_offsets(offsets)),
        references=detector.references,
        entities={f"offset:{offset}" for offset in offsets},
    )


detector = Detector(
    id="null-key",
    title="Record without a key in a compacted topic",
    find=find,
    describe=describe,
    headline=clause("records of {partitions} will be lost at compaction: no key"),
    rows_of="lifelines",
    scope="partition",
    needs=frozenset({"key", "null-or-empty"}),
    absent=absent,
    wants="settings",
    follows=("unreadable-entry",),
    one_cause="topic",
)
