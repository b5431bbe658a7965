"""Keys of a partition: a page of them, one of them, and its life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from webapp.reports.results import AT_OFFSETS, WHERE_REPLICA, PartitionResults, Rows
from webapp.reports.values.bytes_text import one_line

KEYS_PER_PAGE = 200
VERSIONS_PER_PAGE = 50
HALF = (1 << 64) - 1

# Bytes compared as text where they are text; anything else in DuckDB's own spelling (\xNN), which ASCII survives.
TEXT_OF = "coalesce(TRY(decode({column})), {column}::VARCHAR)"
KEY_TEXT = TEXT_OF.format(column='"key"')

# Of a record whose key contains $key.
HAS_KEY = f"""
(key_hash_1, key_hash_2) IN (SELECT key_hash_1, key_hash_2 FROM keys WHERE {WHERE_REPLICA} AND contains({KEY_TEXT}, $key))
"""
HARM = "harm"  # keys that findings name first, the worst first; then the most changed
HARMED_SORTED = 500
BY_HARM = """
CASE WHEN key_hash_1 IN ({hashes}) THEN list_position([{hashes}], key_hash_1) END NULLS LAST, versions DESC, last_offset DESC"""
SORTS = {
    "key": '"key"',
    "type": "entry_type",
    "versions": "versions",
    "tombstones": "tombstones",
    "first": "first_offset",
    "last": "last_offset",
    "live": "live_bytes",
    "dead": "dead_bytes",
}
FITTING = f"SELECT * FROM keys WHERE {WHERE_REPLICA} AND {{among}}"
# Of a record that matches a filter (`webapp.reports.filters.compiled.FittingRecords`).
AMONG_MATCHES = f"""
(key_hash_1, key_hash_2) IN (SELECT key_hash_1, key_hash_2 FROM {{fitting}} WHERE {WHERE_REPLICA} AND {{condition}})
"""
ONE = f"SELECT * FROM keys WHERE {WHERE_REPLICA} AND key_hash_1 = $hash_1 AND key_hash_2 = $hash_2"
EXACT = f'SELECT * FROM keys WHERE {WHERE_REPLICA} AND "key" = $key'
KEYS_AT = f'SELECT "offset", key_hash_1, key_hash_2 FROM lifelines WHERE {WHERE_REPLICA} AND {AT_OFFSETS} AND key_size_bytes IS NOT NULL'
TEXTS = """
SELECT key_hash_1, key_hash_2, "key" FROM keys
WHERE "topic" = $topic AND "partition" = $partition AND "replica" = $replica AND key_hash_1 IN (SELECT unnest($firsts))
"""
ENTITIES_OF_KEYS = f"""
SELECT key_hash_1, key_hash_2, entries.entry_type, entity_id FROM (
    SELECT key_hash_1, key_hash_2, last_offset FROM keys
    WHERE {WHERE_REPLICA} AND key_hash_1 IN (SELECT unnest($firsts))
) AS k JOIN entries ON entries."offset" = last_offset
WHERE {WHERE_REPLICA} AND entity_id IS NOT NULL AND entries.entry_type IS NOT NULL
"""
ENTRIES_OF_LIFE = f"""
SELECT "offset", any_value(attributes) AS attributes, any_value(entry_action) AS entry_action, any_value(entry_type) AS entry_type,
       any_value(entity_id) AS entity_id
FROM entries WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets)) GROUP BY "offset"
"""
# An update of an entity of a type whose entities begin with a create, and no entry about it before.
BEGINNING = f"""
SELECT (SELECT count(*) FROM entries WHERE {WHERE_REPLICA} AND entry_type = $entry_type AND entity_id = $entity_id
        AND "offset" < $offset) = 0
   AND EXISTS (SELECT 1 FROM entries WHERE {WHERE_REPLICA} AND entry_type = $entry_type AND entry_action = 'create')
   AS lacks_create
"""
GAP_BEFORE = f"""
SELECT cause FROM gaps WHERE {WHERE_REPLICA} AND first_offset < $offset
ORDER BY list_position(['compaction', 'likely compaction'], cause) NULLS LAST LIMIT 1
"""
LIFE = f"""
SELECT "offset", timestamp_ms, kind, entry_type, previous_offset, superseded_by, key_size_bytes, value_size_bytes
FROM lifelines
WHERE {WHERE_REPLICA} AND key_hash_1 = $hash_1 AND key_hash_2 = $hash_2 AND "offset" >= $first
ORDER BY "offset" LIMIT {VERSIONS_PER_PAGE + 1}
"""


@dataclass(frozen=True)
class KeysQuery:
    """Order and page of the list of keys."""

    sort: str = "last"
    descending: bool = True
    page: int = 1
    harmed: tuple[int, ...] = ()  # first halves of hashes in the order of the sort `harm`


def key_id(hash_1: int, hash_2: int) -> str:
    """32 hex digits of both halves of the hash: the key's id in addresses."""
    return f"{hash_1 & HALF:016x}{hash_2 & HALF:016x}"


def hashes_of(text: str) -> tuple[int, int]:
    """Both halves as signed 64-bit integers."""
    return _signed(int(text[:16], 16)), _signed(int(text[16:], 16))


class MatchingRecords(Protocol):
    """SQL of the records that match a filter."""

    @property
    def values(self) -> dict[str, Any]:
        """By the names of its parameters."""

    @property
    def is_all(self) -> bool:
        """Whether there is no filter."""

    def of(self, query: str) -> str:
        """The query with `{fitting}` and `{condition}` replaced."""


def list_keys(partition: PartitionResults, query: KeysQuery, matching: MatchingRecords) -> tuple[Rows, int]:
    """One page of the keys of records that match, and the number of all."""
    order = SORTS.get(query.sort, SORTS["last"]) + (" DESC" if query.descending else "")
    if query.sort == HARM and query.harmed:
        order = BY_HARM.format(hashes=", ".join(f"{half}::BIGINT" for half in query.harmed[:HARMED_SORTED]))
    among = "true" if matching.is_all else matching.of(AMONG_MATCHES)
    sql = FITTING.replace("{among}", among)
    return partition.page(
        sql, f"{order} NULLS LAST, first_offset", matching.values, query.page, KEYS_PER_PAGE
    )


def keys_at(partition: PartitionResults, offsets: list[int]) -> dict[int, tuple[int, int]]:
    """The hashes of the keys of records, by offset."""
    window = {"offsets": offsets, "low": min(offsets), "high": max(offsets)} if offsets else {}
    rows = partition.rows(KEYS_AT, window) if offsets else []
    return {row["offset"]: (row["key_hash_1"], row["key_hash_2"]) for row in rows}


def find_key(partition: PartitionResults, text: str) -> dict[str, Any] | None:
    hash_1, hash_2 = hashes_of(text)
    return partition.row(ONE, {"hash_1": hash_1, "hash_2": hash_2})


def find_exact_key(partition: PartitionResults, key: bytes) -> dict[str, Any] | None:
    """The row of a key by its bytes; Parquet's bloom filter makes this fast."""
    return partition.row(EXACT, {"key": key})


def life_of(partition: PartitionResults, text: str, first_offset: int) -> tuple[Rows, int | None]:
    """A page of the key's versions from an offset on, and the offset where the next page begins."""
    hash_1, hash_2 = hashes_of(text)
    rows = partition.rows(LIFE, {"hash_1": hash_1, "hash_2": hash_2, "first": first_offset})
    following = rows[VERSIONS_PER_PAGE]["offset"] if len(rows) > VERSIONS_PER_PAGE else None
    return rows[:VERSIONS_PER_PAGE], following


def key_texts(
    partition: PartitionResults, hashes: list[tuple[int, int]], limit: int = 60
) -> dict[tuple[int, int], str]:
    """Short texts of keys by hash."""
    rows = partition.rows(TEXTS, {"firsts": [pair[0] for pair in hashes]}) if hashes else []
    return {(row["key_hash_1"], row["key_hash_2"]): one_line(row["key"], limit) for row in rows}


def entities_of_keys(
    partition: PartitionResults, hashes: list[tuple[int, int]]
) -> dict[tuple[int, int], tuple[str, str]]:
    """Entry type and id of what the newest record of each key is about; a key of no known service is left out."""
    rows = partition.rows(ENTITIES_OF_KEYS, {"firsts": [first for first, _ in hashes]}) if hashes else []
    return {(row["key_hash_1"], row["key_hash_2"]): (row["entry_type"], row["entity_id"]) for row in rows}


def entries_at(partition: PartitionResults, offsets: list[int]) -> dict[int, dict[str, Any]]:
    """What the service reads in single records, by offset."""
    rows = partition.rows(ENTRIES_OF_LIFE, {"offsets": offsets}) if offsets else []
    return {row["offset"]: row for row in rows}


def attributes_at(partition: PartitionResults, offsets: list[int]) -> dict[int, str | None]:
    """What the service reads of single records, as JSON."""
    return {offset: row["attributes"] for offset, row in entries_at(partition, offsets).items()}


def missing_create(partition: PartitionResults, first: dict[str, Any]) -> dict[str, Any] | None:
    """Of a life that begins with an update: that the create is not in the dump, and the `cause` of a gap before; else None.

    `first`: the entry of the first version. Types whose entities never have a create tell nothing.
    """
    if first.get("entry_action") != "update" or first.get("entity_id") is None:
        return None
    names = ("entry_type", "entity_id", "offset")
    if not partition.value(BEGINNING, {name: first[name] for name in names}):
        return None
    return {"cause": partition.value(GAP_BEFORE, {"offset": first["offset"]}), "offset": first["offset"]}


def _signed(half: int) -> int:
    return half - (1 << 64) if half >> 63 else half
