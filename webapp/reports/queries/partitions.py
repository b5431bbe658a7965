"""The partitions of an inspection and the facts of each, remembered per result folder.

Most inspections hold one partition: then Parquet's own statistics give the bounds, and only kinds are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from spark.storage.copies import all_fetched
from spark.tables.replica import PartitionReplica, replica_of
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Results, Rows, remembered

LANE = """coalesce(entry_type, CASE WHEN kind = 'control' THEN 'Control marker' ELSE 'Record' END)"""

FACTS = f"""
SELECT "topic", "partition", "replica", {LANE} AS lane, kind, count(*) AS records,
       min("offset") AS first_offset, max("offset") AS last_offset,
       min(timestamp_ms) FILTER (timestamp_ms >= 0) AS first_timestamp_ms, max(timestamp_ms) AS last_timestamp_ms,
       count_if(timestamp_ms IS NULL OR timestamp_ms < 0) AS without_time
FROM lifelines GROUP BY ALL
"""
FACTS_OF_REPLICA = FACTS.replace("GROUP BY ALL", f"WHERE {WHERE_REPLICA} GROUP BY ALL")
KEYS_OF_REPLICA = f"SELECT count(*) AS keys FROM keys WHERE {WHERE_REPLICA}"
STATISTICS = """
SELECT path_in_schema AS name, min(stats_min_value) AS lowest_text, max(stats_max_value) AS highest_text,
       min(TRY_CAST(stats_min_value AS BIGINT)) AS lowest, max(TRY_CAST(stats_max_value AS BIGINT)) AS highest,
       sum(stats_null_count)::BIGINT AS nulls, count(stats_null_count) = count(*) AS is_known
FROM parquet_metadata($files) WHERE list_contains($names, path_in_schema) GROUP BY path_in_schema
"""
COUNTS_OF_ONE = f"SELECT {LANE} AS lane, kind, count(*) AS records FROM lifelines GROUP BY ALL"
REPLICAS_WITHOUT_RECORDS = """
SELECT DISTINCT "topic", "partition", "replica" FROM damage
UNION SELECT DISTINCT "topic", "partition", "replica" FROM batches
UNION SELECT DISTINCT "topic", "partition", "replica" FROM files
WHERE (kind = 'segment' OR layout = 'companion') AND topic <> '?' AND topic NOT IN (SELECT topic FROM runs)
    AND NOT regexp_matches(name, '-(delete|future|stray)/[^/]+$')
"""
KEYS = 'SELECT "topic", "partition", "replica", count(*) AS keys FROM keys GROUP BY ALL'
MISSING = (
    """
SELECT cause, CASE WHEN first_offset < $first THEN 'before' WHEN first_offset > $last THEN 'after' ELSE '' END AS side,
       count(*) AS gaps, sum(last_offset - first_offset + 1)::BIGINT AS offsets
FROM gaps WHERE """
    + WHERE_REPLICA
    + " GROUP BY ALL ORDER BY side, cause"
)
# A registry of Confluent writes a NOOP when it opens its store, when it becomes the leader and after a failed write; all of one
# process name its producer. Other services write one mark at each start.
STARTS = f"""
SELECT count_if(entry_type IS DISTINCT FROM 'NOOP') + count(DISTINCT producer_id) FILTER (entry_type = 'NOOP') AS starts,
    count(*) AS marks, count_if(entry_type = 'NOOP' AND coalesce(producer_id, -1) < 0) AS nameless
FROM records WHERE {WHERE_REPLICA} AND entry_action = 'restart'
"""
WITH_STATE = """
SELECT DISTINCT "topic", "partition", replica FROM state WHERE is_own AND view = 'log'
"""


@dataclass
class Facts:
    """What the head of a report says of one partition. Times are null where the source has none."""

    records: int = 0
    controls: int = 0
    tombstones: int = 0
    restarts: int = 0
    without_time: int = 0
    keys: int = 0
    first_offset: int | None = None
    last_offset: int | None = None
    first_timestamp_ms: int | None = None
    last_timestamp_ms: int | None = None

    @property
    def marks(self) -> int:
        """Number of records that a chart could draw."""
        return self.records + self.controls

    @property
    def bounds(self) -> tuple[int, int]:
        """First and last offset; (0, -1) without records."""
        return (
            (0, -1)
            if self.first_offset is None or self.last_offset is None
            else (self.first_offset, self.last_offset)
        )


@dataclass(frozen=True)
class Survey:
    """All partitions of an inspection, the most likely meant first, and the records of each by lane (entry type)."""

    facts: dict[PartitionReplica, Facts]
    lanes: dict[PartitionReplica, Counter[str]]

    def lanes_of(self, replica: PartitionReplica) -> list[str]:
        """Entry types of a partition, by name."""
        return sorted(self.lanes.get(replica, {}))

    @cached_property
    def replicas(self) -> list[PartitionReplica]:
        """By number of records, then by name; the broker's own topics last."""
        return sorted(self.facts, key=lambda p: (p.topic.startswith("__"), -self.facts[p].records, p))


@dataclass(frozen=True)
class PartitionTables(PartitionResults):
    """A partition as a page's reader sees it, with what is known of all partitions."""

    survey: Survey

    @property
    def facts(self) -> Facts:
        """Facts of this partition; all zero if the inspection has none."""
        return self.survey.facts.get(self.replica) or Facts()


def survey_of(partition: PartitionResults, whole: Survey) -> Survey:
    """The survey of a restricted folder: the whole one, but for the partition that is looked at."""

    def make() -> Survey:
        facts, lanes = Facts(), Counter[str]()
        for row in partition.rows(FACTS_OF_REPLICA):
            _add(facts, lanes, row)
        facts.keys = partition.value(KEYS_OF_REPLICA)
        return Survey(whole.facts | {partition.replica: facts}, whole.lanes | {partition.replica: lanes})

    return partition.remembered(("survey",), make)


def on_whole_axis(restricted: Survey, whole: Survey) -> Survey:
    """The survey of what a reader sees, with the bounds of the whole log: what the reader does not see has its place."""

    def widened(replica: PartitionReplica, facts: Facts) -> Facts:
        of_log = whole.facts.get(replica, facts)
        return replace(
            facts,
            first_offset=of_log.first_offset,
            last_offset=of_log.last_offset,
            first_timestamp_ms=of_log.first_timestamp_ms,
            last_timestamp_ms=of_log.last_timestamp_ms,
        )

    if restricted is whole:
        return whole
    return replace(
        restricted, facts={replica: widened(replica, facts) for replica, facts in restricted.facts.items()}
    )


@remembered
def replicas_with_state(results: Results) -> frozenset[PartitionReplica]:
    """Partitions whose replay gave entities."""
    rows = results.rows(WITH_STATE)
    return frozenset(replica_of(row) for row in rows)


def missing_offsets(partition: PartitionTables) -> Rows:
    """Number of gaps and of missing offsets, by cause; `side`: empty between the first record and the last, where the Timeline counts
    them, else `before` the first record or `after` the last."""
    first, last = partition.facts.bounds
    return partition.rows(MISSING, {"first": first, "last": last})


def starts(partition: PartitionTables) -> int | None:
    """How often the service started; None where the records do not show which marks are of one start."""
    if not partition.facts.restarts:
        return 0
    (row,) = partition.remembered(("starts",), lambda: partition.rows(STARTS))
    is_decided = not row["nameless"] and row["marks"] == partition.facts.restarts
    return row["starts"] if is_decided else None


def survey(results: Results) -> Survey:
    """Facts of all partitions in the whole log, also where `results` shows what an isolation level gets of one."""
    return _whole_survey(results.restricted({}))


@remembered
def _whole_survey(results: Results) -> Survey:
    facts: dict[PartitionReplica, Facts] = {}
    lanes: dict[PartitionReplica, Counter[str]] = {}
    for row in _rows_of_one_replica(results) or results.rows(FACTS):
        replica = replica_of(row)
        _add(facts.setdefault(replica, Facts()), lanes.setdefault(replica, Counter()), row)
    for row in results.rows(REPLICAS_WITHOUT_RECORDS):
        replica = replica_of(row)
        facts.setdefault(replica, Facts())
    for row in results.rows(KEYS):
        replica = replica_of(row)
        facts.setdefault(replica, Facts()).keys = row["keys"]
    return Survey(facts, lanes)


def _rows_of_one_replica(results: Results) -> Rows:
    """FACTS where statistics tell that there is one partition and all its records have a time; else nothing."""
    files = all_fetched(results.manifest.paths("lifelines"))
    names = ["topic", "partition", "replica", "offset", "timestamp_ms"]
    statistics = results.rows(STATISTICS, {"files": files, "names": names}) if files else []
    by_name = {row["name"]: row for row in statistics}
    if len(by_name) < len(names) or not all(row["is_known"] for row in statistics):
        return []
    replicas = [by_name[name] for name in names[:3]]
    is_one = all(row["lowest_text"] == row["highest_text"] and not row["nulls"] for row in replicas)
    times, offsets = by_name["timestamp_ms"], by_name["offset"]
    if not is_one or times["nulls"] or times["lowest"] is None or times["lowest"] < 0:
        return []
    shared = {
        "topic": replicas[0]["lowest_text"],
        "partition": int(replicas[1]["lowest_text"]),
        "replica": replicas[2]["lowest_text"],
        "first_offset": offsets["lowest"],
        "last_offset": offsets["highest"],
        "first_timestamp_ms": times["lowest"],
        "last_timestamp_ms": times["highest"],
        "without_time": 0,
    }
    return [shared | row for row in results.rows(COUNTS_OF_ONE)]


def _add(facts: Facts, lanes: Counter[str], row: dict[str, Any]) -> None:
    lanes[row["lane"]] += row["records"]
    if row["kind"] == "control":
        facts.controls += row["records"]
    else:
        facts.records += row["records"]
    facts.tombstones += row["records"] if row["kind"] == "tombstone" else 0
    facts.restarts += row["records"] if row["kind"] == "restart" else 0
    facts.without_time += row["without_time"]
    facts.first_offset = _first(min, facts.first_offset, row["first_offset"])
    facts.last_offset = _first(max, facts.last_offset, row["last_offset"])
    if row["last_timestamp_ms"] is not None and row["last_timestamp_ms"] >= 0:
        facts.first_timestamp_ms = _first(min, facts.first_timestamp_ms, row["first_timestamp_ms"])
        facts.last_timestamp_ms = _first(max, facts.last_timestamp_ms, row["last_timestamp_ms"])


def _first(choose: Callable[..., int | None], current: int | None, new: int | None) -> int | None:
    return choose((bound for bound in (current, new) if bound is not None), default=None)
