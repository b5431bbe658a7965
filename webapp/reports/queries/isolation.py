"""Who looks at a partition: a consumer of one isolation level, now or after the next run of the log cleaner.

A view restricts the tables `lifelines`, `marks`, `records` and `keys` of one partition to what it gets to see, so that every
page's questions stay the same. Aborted data is found by its producer and its span of offsets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from spark.tables.store import RestrictedTable
from webapp.reports.queries import transactions
from webapp.reports.queries.compaction import compaction_of
from webapp.reports.queries.log import cleaning_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

TRANSACTIONS = f"""
SELECT count(*) AS transactions, count_if(outcome = 'aborted') AS aborted, count_if(outcome = 'open') AS open,
       min(first_offset) FILTER (outcome = 'open') AS last_stable_offset
FROM transactions WHERE {WHERE_REPLICA}
"""
ABORTED = transactions.ABORTED.format(records="whole_records")
OVERDUE = f"""
SELECT l."offset" FROM (
    SELECT "offset" FROM whole_lifelines WHERE {WHERE_REPLICA} AND kind = 'tombstone' AND "offset" < $cleaned_to
) AS l ASOF JOIN (
    SELECT base_offset, last_offset, delete_horizon_ms FROM batches WHERE {WHERE_REPLICA}
) AS b ON l."offset" >= b.base_offset
WHERE b.delete_horizon_ms <= (SELECT max(timestamp_ms) FROM whole_lifelines)
"""
NEWEST = f"""
SELECT max("offset") FROM whole_lifelines
WHERE {WHERE_REPLICA} AND "offset" < $cleaned_to AND kind <> 'control' AND "offset" NOT IN ({ABORTED})
GROUP BY key_hash_1, key_hash_2
"""
MARKED = f"""
SELECT * REPLACE (CASE WHEN kind <> 'control' AND "offset" IN ({ABORTED}) THEN 'aborted' ELSE kind END AS kind)
FROM whole_{{table}} WHERE {WHERE_REPLICA}
"""
BEHIND = f"""
SELECT count(*) FROM lifelines WHERE {WHERE_REPLICA} AND kind <> 'control' AND "offset" >= $offset
"""
TIME_FROM = f"""
SELECT timestamp_ms FROM lifelines WHERE {WHERE_REPLICA} AND "offset" >= $offset ORDER BY "offset" LIMIT 1
"""
# Fetches that fail at the first offsets of a batch get its records from the next one on.
READABLE = f"""
WITH intact AS (
    SELECT topic, partition, replica, base_offset, last_offset FROM batches
    WHERE {WHERE_REPLICA} AND last_offset > $offset AND base_offset > $offset AND crc_ok IS DISTINCT FROM false
        AND coalesce(records_read = record_count, true)
),
starts AS (
    SELECT topic, partition, replica, base_offset AS "offset" FROM intact
    UNION ALL
    SELECT intact.topic, intact.partition, intact.replica, fault.last_offset + 1 FROM intact
    JOIN fetch_faults AS fault USING (topic, partition, replica)
    WHERE fault.last_offset >= base_offset AND fault.last_offset < intact.last_offset
)
SELECT min("offset") FROM starts
WHERE NOT EXISTS (
    FROM fetch_faults AS fault WHERE fault.topic = starts.topic AND fault.partition = starts.partition
        AND fault.replica = starts.replica AND "offset" BETWEEN fault.first_offset AND fault.last_offset
)
"""
SUPERSEDED = 'lead("offset") OVER (PARTITION BY key_hash_1, key_hash_2 ORDER BY "offset")'
KEYS = f"""
SELECT k.topic, k.partition, k.replica, k.key_hash_1, k.key_hash_2, k."key", k.entry_type, s.* EXCLUDE (h1, h2)
FROM whole_keys AS k JOIN (
    SELECT key_hash_1 AS h1, key_hash_2 AS h2, min("offset") AS first_offset, max("offset") AS last_offset,
           count(*) AS versions, count_if(kind = 'tombstone') AS tombstones,
           arg_max(CASE WHEN kind = 'tombstone' THEN 0 ELSE key_size_bytes + value_size_bytes END, "offset") AS live_bytes,
           sum(key_size_bytes + value_size_bytes)::BIGINT
               - arg_max(key_size_bytes + value_size_bytes, "offset") AS dead_bytes
    FROM whole_lifelines WHERE {WHERE_REPLICA} AND ({{seen}}) AND kind <> 'control' GROUP BY ALL
) AS s ON k.key_hash_1 = s.h1 AND k.key_hash_2 = s.h2
WHERE k.topic = $topic AND k.partition = $partition AND k.replica = $replica
"""


@dataclass(frozen=True)
class ViewOptions:
    """What there is to choose for a partition: its transactions, and what the cleaner would do with it."""

    transactions: int
    aborted: int
    open: int
    last_stable_offset: int | None  # None: no transaction is open, so it is the end of the log
    next_compaction: dict[str, Any] | None  # row of `cleanings`; None where the cleaner does not work on it

    @property
    def cleaned_to(self) -> int | None:
        """Offset before which the next compaction ends."""
        return self.next_compaction["first_uncleanable_offset"] if self.next_compaction else None


@dataclass(frozen=True)
class StablePlace:
    """The last stable offset, and the time of the first record from there on."""

    offset: int
    timestamp_ms: int | None = None


@dataclass(frozen=True)
class IsolationView:
    """Isolation level, and whether the next compaction has run."""

    committed: bool = False
    cleaned: bool = False

    @classmethod
    def of(cls, query: Mapping[str, Any]) -> IsolationView:
        """From query parameters."""
        return cls(query.get("isolation") == "read_committed", query.get("cleaned") in ("1", True))

    @property
    def query(self) -> dict[str, str]:
        """As query parameters."""
        isolation = {"isolation": "read_committed"} if self.committed else {}
        return isolation | ({"cleaned": "1"} if self.cleaned else {})

    @property
    def isolation(self) -> str:
        """Kafka's name of the isolation level."""
        return "read_committed" if self.committed else "read_uncommitted"


@remembered
def view_options(partition: PartitionResults) -> ViewOptions:
    counts = partition.row(TRANSACTIONS) or {}
    compaction = cleaning_of(partition)
    is_compacted = compaction_of(partition).is_compacted
    is_cleaned = compaction and is_compacted and compaction["first_uncleanable_offset"]
    return ViewOptions(**counts, next_compaction=compaction if is_cleaned else None)


def restrictions(reader: IsolationView, options: ViewOptions) -> dict[str, RestrictedTable]:
    """By table: the rows that this consumer gets; empty if it gets all."""
    seen: list[str] = []
    values: dict[str, Any] = {}
    if reader.committed and options.transactions:
        seen.append("{is_data}")
        if options.aborted:
            seen.append(f'"offset" NOT IN ({ABORTED})')
        if options.last_stable_offset is not None:
            seen.append('"offset" < $last_stable_offset')
            values["last_stable_offset"] = options.last_stable_offset
    if reader.cleaned and options.cleaned_to is not None:
        seen.append(_left_by_cleaner(options))
        values["cleaned_to"] = options.cleaned_to
    if not seen:
        marked = ("lifelines", "marks") if options.aborted else ()
        return {table: RestrictedTable(MARKED.format(table=table), {}) for table in marked}
    lifelines = " AND ".join(f"({condition})" for condition in seen).replace("{is_data}", "kind <> 'control'")
    offsets = f'"offset" IN (SELECT "offset" FROM whole_lifelines WHERE {WHERE_REPLICA} AND {lifelines})'
    return {
        "lifelines": RestrictedTable(
            f"SELECT * FROM whole_lifelines WHERE {WHERE_REPLICA} AND {lifelines}", values
        ),
        **{
            table: RestrictedTable(f"SELECT * FROM whole_{table} WHERE {WHERE_REPLICA} AND {offsets}", values)
            for table in ("marks", "records")
        },
        "keys": RestrictedTable(KEYS.replace("{seen}", lifelines), values),
    }


@remembered
def stable_place(partition: PartitionResults) -> StablePlace | None:
    """Of a partition with all records; None if no transaction is open."""
    offset = view_options(partition).last_stable_offset
    if offset is None:
        return None
    row = partition.row(TIME_FROM, {"offset": offset})
    return StablePlace(offset, row["timestamp_ms"] if row else None)


def seen_by(reader: IsolationView, partition: PartitionResults) -> PartitionResults:
    """The partition with only the rows that this consumer gets."""
    parts = restrictions(reader, view_options(partition))
    return partition.restricted(parts) if parts else partition


def committed_state(options: ViewOptions) -> dict[str, RestrictedTable]:
    """`lifelines` for the state that committed records make: what was aborted or is open supersedes nothing."""
    if not options.aborted and options.last_stable_offset is None:
        return {}
    parts = restrictions(IsolationView(committed=True), options)
    sql = parts["lifelines"].sql.replace("SELECT *", f"SELECT * REPLACE ({SUPERSEDED} AS superseded_by)", 1)
    return {"lifelines": RestrictedTable(sql, parts["lifelines"].values)}


def _left_by_cleaner(options: ViewOptions) -> str:
    """Records the next cleaning leaves: newest of their key below its end, markers, and all from there on."""
    newest = "superseded_by IS NULL OR superseded_by >= $cleaned_to"
    if options.aborted:
        newest = f'"offset" IN ({NEWEST})'
    has_key = "(key_hash_1 <> 0 OR key_hash_2 <> 0)"
    return f"""\"offset" >= $cleaned_to OR kind = 'control' OR ({has_key} AND ({newest}) AND "offset" NOT IN ({OVERDUE}))"""


def hidden_behind(partition: PartitionResults, offset: int) -> int:
    """Number of records that read_committed consumers do not get while the last stable offset stays there."""
    return int(partition.value(BEHIND, {"offset": offset}))


def readable_after(partition: PartitionResults, offset: int) -> int | None:
    """The first offset in an intact batch after damage that ends at this offset at which fetches get records; None if none follows."""
    return partition.value(READABLE, {"offset": offset})
