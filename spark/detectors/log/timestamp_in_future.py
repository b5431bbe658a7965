"""Timestamps in the future: records whose timestamp is more than a day ahead of the newest evidence of the input.

The newest evidence is the newest timestamp that no later record of its partition contradicts: where the log goes on more
than a day earlier, the timestamps before did not come from a clock. Only those that leap ahead of what was written before
them count, so that old data poured into a log does not make its past the future. Page: docs/detectors/timestamp-in-future.md
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from spark.detectors import Detector, clause, located
from spark.detectors import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import OFFSETS_NAMED, moment, plural

# Numbers beyond it are no times: somebody wrote micro- or nanoseconds.
PLAUSIBLE_UNTIL_MS = 4_102_444_800_000  # 2100-01-01
AHEAD_MS = 24 * 3600 * 1000  # clocks of machines differ by seconds; time zones by half a day
# Larger logs are looked at in ranges of offsets, then record by record where one leaps.
MAX_RANGES = 200_000

RANGES = f"""
    WITH width AS (SELECT greatest(1, count(*) // {MAX_RANGES}) AS width FROM lifelines),
    ranges AS (
        SELECT {REPLICA_COLUMNS}, "offset" // width AS number, max(timestamp_ms) AS time_ms
        FROM lifelines, width WHERE timestamp_ms BETWEEN 0 AND {PLAUSIBLE_UNTIL_MS - 1} GROUP BY ALL
    )
"""

# Only logs that go back by more than a day somewhere can hold a leap.
RANGES_OF_ODD_LOGS = f"""
    {RANGES},
    odd AS (
        SELECT DISTINCT {REPLICA_COLUMNS} FROM (
            SELECT {REPLICA_COLUMNS}, time_ms - lead(time_ms) OVER (PARTITION BY {REPLICA_COLUMNS} ORDER BY number) AS back_ms FROM ranges
        ) WHERE back_ms > {AHEAD_MS}
    )
    SELECT {REPLICA_COLUMNS}, list(time_ms ORDER BY number) AS times_ms FROM ranges SEMI JOIN odd USING ({REPLICA_COLUMNS})
    GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""

NEWEST_OF_LOGS = f"""
    SELECT {REPLICA_COLUMNS}, max(timestamp_ms) FILTER (timestamp_ms < {PLAUSIBLE_UNTIL_MS}) AS newest_ms,
        min(timestamp_ms) FILTER (timestamp_ms >= 0) AS oldest_ms, max(timestamp_ms) >= {PLAUSIBLE_UNTIL_MS} AS is_implausible,
        count(*) FILTER (timestamp_ms >= 0) AS timed
    FROM lifelines GROUP BY ALL
"""

RECORDS_AHEAD = f"""
    SELECT {REPLICA_COLUMNS}, count(*) AS records, min("offset") AS first_offset, max("offset") AS last_offset,
        list("offset" ORDER BY "offset")[:{OFFSETS_NAMED}] AS offsets, max(timestamp_ms) AS furthest_ms,
        arg_max("offset", timestamp_ms) AS furthest_offset
    FROM lifelines WHERE timestamp_ms > %d GROUP BY {REPLICA_COLUMNS} ORDER BY {REPLICA_COLUMNS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per copy of a partition that has such records."""
    logs = {replica_of(row): row for row in tables.rows(NEWEST_OF_LOGS)}
    is_long = any((row["newest_ms"] or 0) - (row["oldest_ms"] or 0) > AHEAD_MS for row in logs.values())
    times = {replica_of(row): row["times_ms"] for row in tables.rows(RANGES_OF_ODD_LOGS)} if is_long else {}
    calm = {
        replica: newest_calm(times[replica]) if replica in times else row["newest_ms"]
        for replica, row in logs.items()
    }
    newest_ms = max((time for time in calm.values() if time is not None), default=None)
    due_ms = PLAUSIBLE_UNTIL_MS - 1 if newest_ms is None else newest_ms + AHEAD_MS
    odd = {replica for replica, row in logs.items() if row["is_implausible"]}
    odd |= {replica for replica in times if max(leaps(times[replica]), default=0) > due_ms}
    if not odd:
        return []
    ahead = {replica_of(row): row for row in tables.rows(RECORDS_AHEAD % due_ms) if replica_of(row) in odd}
    # Where most of a log is ahead of its newest evidence, that evidence is what went back: only impossible times are left.
    most = {replica for replica, row in ahead.items() if 2 * row["records"] > logs[replica]["timed"]}
    if most:
        impossible = {replica_of(row): row for row in tables.rows(RECORDS_AHEAD % (PLAUSIBLE_UNTIL_MS - 1))}
        ahead = {
            replica: impossible[replica] if replica in most else row
            for replica, row in ahead.items()
            if replica not in most or replica in impossible
        }
    return [{**row, "newest_ms": newest_ms} for row in ahead.values()]


def contradicted(times_ms: Sequence[int]) -> list[bool]:
    """Which times are more than a day ahead of everything behind them that is not itself contradicted."""
    newest, are_ahead = times_ms[-1], []
    for time in reversed(times_ms):
        are_ahead.append(time > newest + AHEAD_MS)
        newest = newest if are_ahead[-1] else max(newest, time)
    return are_ahead[::-1]


def newest_calm(times_ms: Sequence[int]) -> int:
    """The newest time that nothing behind it contradicts."""
    pairs = zip(times_ms, contradicted(times_ms), strict=True)
    return max(time for time, is_contradicted in pairs if not is_contradicted)


def leaps(times_ms: Sequence[int]) -> Iterator[int]:
    """The newest time of each contradicted stretch that leaps ahead of the time before it."""
    pairs = list(zip(times_ms, contradicted(times_ms), strict=True))
    number = 0
    for is_contradicted, group in groupby(pairs, key=itemgetter(1)):
        group_ms = [time for time, _ in group]
        if is_contradicted and number and group_ms[0] > times_ms[number - 1] + AHEAD_MS:
            yield max(group_ms)
        number += len(group_ms)


def describe(row: Row) -> Finding:
    return Finding(
        detector=detector.id,
        severity="low",
        title=(
            f"{plural(row['records'], 'record')} of {words.partition_name(row)} {future(row['records'])}, latest: "
            f"{moment(row['furthest_ms'])} at offset {marked.offset(row['furthest_offset'])}"
        ),
        explanation=explanation(row),
        **located(row),
        entity="future",
        entities={"time"},
        evidence=list(row["offsets"]),
        remedy=detector.remedy(),
        references=detector.references,
    )


def explanation(row: Row) -> str:
    """How far ahead of what, and what follows from it."""
    newest = row["newest_ms"]
    ahead = (
        "No other timestamp of the input is plausible."
        if newest is None
        else f"The newest plausible timestamp of the input is {moment(newest)}. A timestamp more than a day later counts as in the future."
    )
    unit = (
        " Such a large number is a time in microseconds or nanoseconds instead of milliseconds."
        if row["furthest_ms"] >= PLAUSIBLE_UNTIL_MS
        else ""
    )
    return (
        f"{ahead}{unit} The age of a segment is that of its newest timestamp. Retention by time keeps a segment with such a record until "
        "that day. A search for an offset by time returns a wrong offset."
    )


def future(count: int) -> str:
    """`has a timestamp in the future`, `have timestamps in the future`."""
    return "has a timestamp in the future" if count == 1 else "have timestamps in the future"


detector = Detector(
    id="timestamp-in-future",
    title="Timestamps in the future",
    find=find,
    describe=describe,
    headline=clause(
        "{count} records with timestamps in the future", "partition contains", "partitions contain"
    ),
    rows_of="lifelines",
    needs=frozenset({"timestamps"}),
    follows=("timestamp-unit",),
)
