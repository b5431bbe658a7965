"""What the detectors of message formats share: the histories of all logs that are not of format 2 all along.

Files whose name gives no topic may be of different partitions: several of them have no common history. Where a broker
converted batches for a capture, nobody knows the formats on its disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spark.advice.brokers import UNSTATED, Broker, is_version, oldest
from spark.advice.clients import producers
from spark.advice.format_history import FormatHistory, FormatRange, describe_range, histories
from spark.advice.formats import WHY_EPOCHS
from spark.log.cluster_settings import NEWEST_CAPTURES, PRINTED_SETTINGS
from spark.tables.replica import REPLICA_COLUMNS, PartitionReplica, Row, replica_columns, replica_of
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.typed_wording import sentence, steps

Brokers = dict[tuple[str, int, str], Broker]  # by partition and replica
ENTITY = "formats"  # all that follows from the formats of a log is linked by it
MAX_SWITCHES = 12

ONE_LOG = "topic <> '?' OR (SELECT count(*) FROM files WHERE kind = 'segment' AND topic = '?') < 2"
NEW_BROKERS_FILE = r"(^|/)(leader-epoch-checkpoint|[0-9]{20}[.]snapshot)$"

NOT_PLAIN = f"""
    FROM formats SEMI JOIN (SELECT {REPLICA_COLUMNS} FROM formats WHERE magic < 2 AND ({ONE_LOG})) USING ({REPLICA_COLUMNS})
    ANTI JOIN (SELECT {REPLICA_COLUMNS} FROM captures WHERE is_converted) USING ({REPLICA_COLUMNS})
    ORDER BY {REPLICA_COLUMNS}, number
"""
NEW_BROKERS = f"SELECT DISTINCT {REPLICA_COLUMNS} FROM files WHERE regexp_matches(name, '{NEW_BROKERS_FILE}')"

CONVERTED = f"""
    SELECT bool_and(coalesce(is_converted, false)) AS are_all, min(fetch_version) AS fetch_version
    FROM (SELECT DISTINCT {REPLICA_COLUMNS} FROM formats) LEFT JOIN (
        SELECT {REPLICA_COLUMNS}, bool_or(is_converted) AS is_converted, min(fetch_version) AS fetch_version FROM captures GROUP BY ALL
    ) USING ({REPLICA_COLUMNS})
"""
CAPTURED = f"""
    WITH {NEWEST_CAPTURES}
    SELECT {REPLICA_COLUMNS}, release, inter_broker_protocol_version, message_format_version FROM newest_captures
"""

PRINTED_FORMATS = f"""
    WITH {PRINTED_SETTINGS}
    SELECT {REPLICA_COLUMNS}, value FROM (SELECT DISTINCT {REPLICA_COLUMNS} FROM formats)
    JOIN (FROM printed_settings WHERE name = 'message.format.version') USING (topic)
"""


def absent(tables: ResultTables) -> str | None:
    """Why formats cannot be judged at all."""
    (capture,) = tables.rows(CONVERTED)
    if not capture["are_all"]:
        return None
    return (
        f"the broker converted batches to an older format for the capture (Fetch version {marked.number(capture['fetch_version'])}), so the "
        "format on its disk is unknown"
    )


def logs(tables: ResultTables) -> Iterable[FormatHistory]:
    """Every log with a batch of an older format."""
    return histories(tables.rows(NOT_PLAIN))


def brokers(tables: ResultTables) -> Brokers:
    """What a capture's manifest, or the files beside a log, tell of its broker, by partition and replica."""
    traces: Brokers = {replica_of(row): Broker(left_traces_of_new=True) for row in tables.rows(NEW_BROKERS)}
    printed: Brokers = {replica_of(row): printed_format(row, traces) for row in tables.rows(PRINTED_FORMATS)}
    return traces | printed | {replica_of(row): captured(row) for row in tables.rows(CAPTURED)}


def printed_format(row: Row, traces: Brokers) -> Broker:
    """What is known of a broker, with the topic's own message.format.version as a tool printed it."""
    broker = traces.get(replica_of(row), Broker())
    return replace(broker, message_format_version=row["value"]) if is_version(row["value"]) else broker


def captured(row: Row) -> Broker:
    """The leader as it told of itself; settings that are no version are left out."""
    protocol, format_ = row["inter_broker_protocol_version"], row["message_format_version"]
    return Broker(
        version=oldest(row["release"]),
        inter_broker_protocol_version=protocol if is_version(protocol) else None,
        message_format_version=format_ if is_version(format_) else None,
    )


def row(history: FormatHistory) -> Row:
    """What `describe` is given."""
    return {
        **replica_columns(PartitionReplica(history.topic, history.partition, history.replica)),
        "history": history,
    }


def rows_with_brokers(tables: ResultTables, histories: Sequence[FormatHistory]) -> list[Row]:
    """The same with what is known of each log's broker."""
    of_logs = brokers(tables) if histories else {}
    return [{**log, "broker": of_logs.get(replica_of(log), UNSTATED)} for log in map(row, histories)]


def switches(history: FormatHistory, first: int = 0) -> str:
    """The ranges of one format from this number on, each with offset, time and leader epoch; a line each."""
    lines = [
        sentence(describe_range(format_range))
        for format_range in history.ranges[first : first + MAX_SWITCHES]
    ]
    left_out = len(history.ranges) - first - len(lines)
    lines += [f"{marked.number(left_out)} more switches are not listed."] if left_out > 0 else []
    return steps(lines) if len(lines) > 1 else lines[0]


def borders(history: FormatHistory) -> list[int]:
    """Last offset before and first offset of each stretch but the first."""
    pairs = zip(history.ranges, history.ranges[1:], strict=False)
    return [offset for old, new in pairs for offset in (old.last_offset, new.first_offset)][
        : 2 * MAX_SWITCHES
    ]


def refused(format_range: FormatRange) -> str:
    """What producers got while the log was in this format; for brokers that had written format 2 before."""
    headers, others = producers(format_range.magic, Broker(left_traces_of_new=True))[1:3]
    return f"{headers}\n{others}\n{WHY_EPOCHS}"
