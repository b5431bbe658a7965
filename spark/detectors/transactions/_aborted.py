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
    """Add the keys of the aborted records that are spelled out, what is known of the value before each, and the last
    committed record of each."""
    keys = [key for example in row["examples"] for key in keys_of(tables, row, example)][: words.SOME]
    return {**row, "keys": keys, "committed": committed(tables, row, keys)}


def committed(tables: ResultTables, row: Row, keys: list[dict[str, Any]]) -> dict[str, Row]:
    """By key: the last record outside of transactions that did not commit, in the copy that has it."""
    hashes = ", ".join(sorted({f"({key['key_hash_1']}, {key['key_hash_2']})" for key in keys}))
    if not hashes:
        return {}
    newest = tables.rows(
        f"""
        SELECT key, max("offset") AS "offset", arg_max(replica, ("offset", replica = {quoted(row["replica"])})) AS replica
        FROM records r
        WHERE topic = {quoted(row["topic"])} AND partition = {row["partition"]} AND control_type IS NULL
            AND (key_hash_1, key_hash_2) IN ({hashes}) AND NOT EXISTS (
                SELECT 1 FROM transactions t
                WHERE t.topic = r.topic AND t.partition = r.partition AND t.replica = r.replica
                    AND t.producer_id = r.producer_id AND t.outcome <> 'committed'
                    AND r."offset" BETWEEN t.first_offset AND t.last_offset
            )
        GROUP BY key
        """
    )
    return {name_of(record): record for record in newest}


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
        SELECT a."offset", a.key, a.key_hash_1, a.key_hash_2, max(o."offset") FILTER (o.replica = {quoted(row["replica"])}) AS kept_offset,
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
    names = dict.fromkeys(map(name_of, row["keys"]))
    texts = [f"`{marked.key(name)}`" for name in names]
    if not texts or len(row["keys"]) < row["records"]:
        return "each key of the aborted records"
    return f"key {texts[0]}" if len(texts) == 1 else f"each of the keys {listed(texts)}"


def where_it_is(row: Row) -> str:
    """The last committed record of each key that is named, where the input has all of them."""
    names = list(dict.fromkeys(map(name_of, row["keys"])))
    records = [row["committed"].get(name) for name in names]
    if not names or len(row["keys"]) < row["records"] or not all(records):
        return "(from a replica, a backup or its source)"
    places = [f"{at_offsets([each['offset']])}{of_copy(row, each)}" for each in records if each]
    if len(places) == 1:
        return f"(the last committed record of the key is at {places[0]})"
    each = (
        f"of key `{marked.key(name)}` at {position}" for name, position in zip(names, places, strict=True)
    )
    return f"(the last committed record {listed(each)})"


def of_copy(row: Row, record: Row) -> str:
    """The replica, where another one than that of the finding has the record."""
    return "" if record["replica"] == row["replica"] else f" of replica {marked.replica(record['replica'])}"


def name_of(record: Row) -> str:
    return (record["key"] or b"").decode("utf-8", "replace")


def value_before(key: Row) -> str:
    """What is known of the committed value before one aborted record."""
    name = name_of(key)
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
