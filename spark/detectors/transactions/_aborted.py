"""What happens to aborted data that counts as committed: who gets it, and which values compaction removed for it."""

from __future__ import annotations

from typing import Any

from spark.detectors._effects import MAX_EFFECTS, on_entities, on_partition
from spark.detectors.transactions import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row, quoted, same_replica
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Effect, Kind
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


def with_keys(tables: ResultTables, row: dict[str, Any], transactions: str) -> dict[str, Any]:
    """Add the keys of the aborted records that are spelled out, what is known of the value before each, the last committed
    record of each, and the values that compaction removed for any aborted record. `transactions`: the rows of `grouped`."""
    keys = [key for example in row["examples"] for key in keys_of(tables, row, example)][: words.SOME]
    hashes = ", ".join(sorted({f"({key['key_hash_1']}, {key['key_hash_2']})" for key in keys}))
    newest = tables.rows(newest_committed(row, hashes)) if hashes else []
    return {
        **row,
        "keys": keys,
        "committed": {name_of(record): record for record in newest},
        "lost": lost_values(tables, row, transactions),
    }


def newest_committed(row: Row, hashes: str) -> str:
    """SQL: by key, the last record outside of transactions that did not commit, in the copy that has it. `hashes`: of the keys,
    a list or a query."""
    return f"""
        SELECT key, any_value(key_hash_1) AS key_hash_1, any_value(key_hash_2) AS key_hash_2, max("offset") AS "offset",
            arg_max(replica, ("offset", replica = {quoted(row["replica"])})) AS replica,
            arg_max(value_is_null, "offset") AS is_tombstone
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


def lost_values(tables: ResultTables, row: Row, transactions: str) -> list[dict[str, Any]]:
    """The newest committed values that another copy contains, and this one does not: it has an aborted record of the key after
    each. A newest record that deletes the key is no value."""
    aborted_keys = f"""
        SELECT r.key_hash_1, r.key_hash_2, max(r."offset") AS aborted_offset
        FROM records r JOIN ({transactions}) t ON {same_replica("t", "r")} AND t.producer_id = r.producer_id
            AND r."offset" BETWEEN t.first_offset AND t.last_offset
        WHERE {here(row)} AND r.control_type IS NULL AND NOT r.key_is_null GROUP BY ALL
    """
    return tables.rows(
        f"""
        WITH aborted_keys AS MATERIALIZED ({aborted_keys}),
        newest AS ({newest_committed(row, "SELECT (key_hash_1, key_hash_2) FROM aborted_keys")})
        SELECT n.key, n."offset", n.replica FROM newest n JOIN aborted_keys a USING (key_hash_1, key_hash_2)
        WHERE NOT n.is_tombstone AND n.replica <> {quoted(row["replica"])} AND n."offset" < a.aborted_offset
            AND EXISTS (FROM gaps r WHERE {here(row)} AND cause <> 'damage' AND n."offset" BETWEEN first_offset AND last_offset)
        ORDER BY n."offset" LIMIT {MAX_EFFECTS}
        """
    )


def effects(row: Row, kind: Kind = "revived") -> list[Effect]:
    """Who gets the aborted records (`at_risk`: will get them), and each value that compaction removed for one of them."""
    values = [f"{name_of(record)}/{record['offset']}" for record in row["lost"]]
    return [
        *on_partition(kind, row["topic"], row["partition"], "read_committed"),
        *on_entities("lost", "value", values, whom="consumers"),
    ]


def lost_offsets(row: Row) -> list[int]:
    """Offsets of the removed values that are spelled out."""
    return [record["offset"] for record in row["lost"]][: words.SOME]


def keys_of(tables: ResultTables, row: Row, example: Row) -> list[dict[str, Any]]:
    """The keyed records of one transaction, each with the last record of its key before it."""
    return tables.rows(
        f"""
        WITH aborted AS (
            SELECT r."offset", r.key, r.key_hash_1, r.key_hash_2 FROM records r
            WHERE {here(row)} AND r."offset" BETWEEN {example["first_offset"]} AND {example["last_offset"]}
                AND r.producer_id = {example["producer_id"]} AND r.control_type IS NULL AND NOT r.key_is_null
            ORDER BY r."offset" LIMIT {words.SOME}
        )
        SELECT a."offset", a.key, a.key_hash_1, a.key_hash_2, max(o."offset") AS kept_offset
        FROM aborted a LEFT JOIN lifelines o ON o.key_hash_1 = a.key_hash_1 AND o.key_hash_2 = a.key_hash_2
            AND o.topic = {quoted(row["topic"])} AND o.partition = {row["partition"]} AND o.replica = {quoted(row["replica"])}
            AND o."offset" < a."offset"
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
    removed = {name_of(record): record for record in row["lost"]}
    lines = [value_before(key, removed.get(name_of(key))) for key in row["keys"]]
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
    places = [f"{at(row, each)}{of_copy(row, each)}" for each in records if each]
    if len(places) == 1:
        return f"(the last committed record of the key is at {places[0]})"
    each = (
        f"of key `{marked.key(name)}` at {position}" for name, position in zip(names, places, strict=True)
    )
    return f"(the last committed record {listed(each)})"


def at(row: Row, record: Row) -> str:
    """The record's offset, in the replica that has it."""
    replica = record["replica"]
    return at_offsets([record["offset"]], replica=None if replica == row["replica"] else replica)


def of_copy(row: Row, record: Row) -> str:
    """The replica, where another one than that of the finding has the record."""
    return "" if record["replica"] == row["replica"] else f" of replica {marked.replica(record['replica'])}"


def name_of(record: Row) -> str:
    return (record["key"] or b"").decode("utf-8", "replace")


def value_before(key: Row, removed: Row | None) -> str:
    """What is known of the committed value before one aborted record. `removed`: the newest one of the key, which another copy has."""
    name = name_of(key)
    if removed and (key["kept_offset"] or -1) < removed["offset"] < key["offset"]:
        return (
            f"Compaction removed the committed value of key `{marked.key(name)}` at offset {marked.offset(removed['offset'], removed['replica'])}, because the aborted record at offset "
            f"{marked.offset(key['offset'])} has the same key. Replica {marked.replica(removed['replica'])} still contains that value."
        )
    if key["kept_offset"] is None:
        return (
            f"Key `{marked.key(name)}`: {ONLY_VALUE}, at offset {marked.offset(key['offset'])}. If an older committed value existed, compaction removed it "
            "because of the aborted record."
        )
    return f"Key `{marked.key(name)}`: the older value at offset {marked.offset(key['kept_offset'])} is still present before the aborted one at offset {marked.offset(key['offset'])}."
