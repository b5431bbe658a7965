"""What happens to aborted data that counts as committed: who gets it, and which values compaction removed for it."""

from __future__ import annotations

from typing import Any

from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import at_offsets, listed, plural

ONLY_VALUE = "the aborted value is the only one in the log"


def grouped(rows: str) -> str:
    """One row per partition's copy over transactions selected by `rows`, the first ones spelled out."""
    return f"""
        SELECT {REPLICA_COLUMNS}, count(*) AS transactions, sum(records)::BIGINT AS records, min(first_offset) AS first_offset,
            max(end_offset) AS last_offset, list(example ORDER BY first_offset)[:{words.SOME}] AS examples
        FROM (SELECT *, {{'producer_id': producer_id, 'producer_epoch': producer_epoch, 'first_offset': first_offset,
            'last_offset': last_offset, 'end_offset': end_offset, 'records': records, 'next_marker': next_marker,
            'next_outcome': next_outcome}} AS example FROM ({rows}))
        GROUP BY {REPLICA_COLUMNS}
    """


def with_keys(tables: ResultTables, row: dict[str, Any]) -> dict[str, Any]:
    """Add the keys of the aborted records that are spelled out, and what is known of the value before each."""
    return {
        **row,
        "keys": [key for example in row["examples"] for key in keys_of(tables, row, example)][: words.SOME],
    }


def keys_of(tables: ResultTables, row: Row, example: Row) -> list[dict[str, Any]]:
    """The keyed records of one transaction. A copy of the partition may still hold the committed value before it."""
    return tables.rows(
        f"""
        WITH aborted AS (
            SELECT r."offset", r.key, r.key_hash_1, r.key_hash_2 FROM records r
            WHERE {here(row)} AND r."offset" BETWEEN {example["first_offset"]} AND {example["last_offset"]}
                AND r.producer_id = {example["producer_id"]} AND r.control_type IS NULL AND NOT r.key_is_null
            ORDER BY r."offset" LIMIT {words.SOME}
        )
        SELECT a."offset", a.key, max(o."offset") FILTER (o.replica = {quoted(row["replica"])}) AS kept_offset,
            max(o."offset") FILTER (o.replica <> {quoted(row["replica"])}) AS copy_offset
        FROM aborted a LEFT JOIN lifelines o ON o.key_hash_1 = a.key_hash_1 AND o.key_hash_2 = a.key_hash_2
            AND o.topic = {quoted(row["topic"])} AND o.partition = {row["partition"]} AND o."offset" < a."offset"
        GROUP BY ALL ORDER BY a."offset"
        """
    )


def missing_before(tables: ResultTables, row: Row) -> list[int]:
    """The first offsets that compaction took before the aborted data."""
    return [
        offset
        for gap in tables.rows(
            f"""
            SELECT first_offset, last_offset FROM gaps r WHERE {here(row)} AND cause <> 'damage'
                AND first_offset < {row["first_offset"]} ORDER BY first_offset LIMIT {words.SOME}
            """
        )
        for offset in range(gap["first_offset"], gap["last_offset"] + 1)[: words.SOME]
    ][: words.SOME]


def here(row: Row) -> str:
    """Condition: rows of this copy."""
    return f"r.topic = {quoted(row['topic'])} AND r.partition = {row['partition']} AND r.replica = {quoted(row['replica'])}"


def records_named(row: Row) -> str:
    """Which aborted records consumers get."""
    ranges = [
        f"{words.offsets(example['first_offset'], example['last_offset'])} of producer {marked.number(example['producer_id'])}"
        for example in row["examples"]
    ]
    more = row["transactions"] - len(ranges)
    rest = f" and {plural(more, 'more transaction')}" if more else ""
    return f"{plural(row['records'], 'aborted record')} ({', '.join(ranges)}{rest})"


def superseded(row: Row) -> str:
    """Which committed value compaction removed for an aborted one; empty where the records have no keys."""
    lines = [value_before(key) for key in row["keys"]]
    if row["missing"] and any(ONLY_VALUE in line for line in lines):
        lines.append(f"Missing before them: {at_offsets(row['missing'])}.")
    return "\n".join(marked.item(line) for line in lines) if len(lines) > 1 else "".join(lines)


def keys_named(row: Row) -> str:
    """`key b`, `each of the keys a and b`; without their names if there are more than are spelled out."""
    names = dict.fromkeys((key["key"] or b"").decode("utf-8", "replace") for key in row["keys"])
    texts = [f"`{marked.key(name)}`" for name in names]
    if not texts or len(row["keys"]) < row["records"]:
        return "each key of the aborted records"
    return f"key {texts[0]}" if len(texts) == 1 else f"each of the keys {listed(texts)}"


def value_before(key: Row) -> str:
    """What is known of the committed value before one aborted record."""
    name = (key["key"] or b"").decode("utf-8", "replace")
    if key["copy_offset"] is not None and key["copy_offset"] > (key["kept_offset"] or -1):
        return (
            f"Compaction removed the value of key `{marked.key(name)}` at offset {marked.offset(key['copy_offset'])}, because the aborted record at offset "
            f"{marked.offset(key['offset'])} has the same key. Another replica still contains that value."
        )
    if key["kept_offset"] is None:
        return (
            f"Key `{marked.key(name)}`: {ONLY_VALUE}, at offset {marked.offset(key['offset'])}. If an older committed value existed, compaction removed it "
            "because of the aborted record."
        )
    return f"Key `{marked.key(name)}`: the older value at offset {marked.offset(key['kept_offset'])} is still present before the aborted one at offset {marked.offset(key['offset'])}."
