"""Old format at the tail: the newest batches are of message format 0 or 1.

Producers that send headers or use idempotence or transactions are refused. Low where the log's last write is years
older than the newest evidence of the input. Page: docs/detectors/old-format-tail.md
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from spark.advice.brokers import Broker
from spark.advice.changes import upgrade_steps
from spark.advice.clients import producers
from spark.advice.format_history import FormatHistory
from spark.detectors import Detector, clause, located
from spark.detectors.log import _formats as formats
from spark.detectors.log.timestamp_in_future import PLAUSIBLE_UNTIL_MS
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import listed, moment

DORMANT_MS = 2 * 365 * 24 * 3600 * 1000  # a log without a write for so long has no producers left
# Now, as the input knows it: the newest time of any record, index entry or producer, or when it was captured.
NEWEST_MS = f"""
    SELECT max(timestamp_ms) AS newest_ms FROM (
        SELECT timestamp_ms FROM lifelines
        UNION ALL SELECT timestamp_ms FROM index_entries
        UNION ALL SELECT timestamp_ms FROM producer_states
        UNION ALL SELECT captured_at_ms FROM captures
    ) WHERE timestamp_ms < {PLAUSIBLE_UNTIL_MS}
"""


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per log that ends in format 0 or 1."""
    old = [history for history in formats.logs(tables) if history.tail.is_old]
    if not old:
        return []
    newest_ms = tables.rows(NEWEST_MS)[0]["newest_ms"]
    return [{**row, "newest_ms": newest_ms} for row in formats.rows_with_brokers(tables, old)]


def describe(row: Row) -> Finding:
    history: FormatHistory = row["history"]
    since = history.ranges[history.old_since or 0]
    broker = known(history, row["broker"])
    dormant = is_dormant(history, row["newest_ms"])
    return Finding(
        detector=detector.id,
        severity="low" if dormant else "medium",
        title=title(history),
        explanation=explanation(history, broker, row["newest_ms"] if dormant else None),
        **located(row, since.first_offset, history.tail.last_offset),
        evidence=[since.first_offset, history.tail.last_offset],
        entity=formats.ENTITY,
        entities={formats.ENTITY},
        remedy=detector.remedy("Of a finding", upgrade_step_by_step=upgrade_steps(history, broker)),
        references=detector.references,
    )


def known(history: FormatHistory, broker: Broker) -> Broker:
    """A log with a batch of format 2 was led by a broker of 0.11 or later."""
    is_new = any(not format_range.is_old for format_range in history.ranges)
    return replace(broker, left_traces_of_new=True) if is_new else broker


def is_dormant(history: FormatHistory, newest_ms: int | None) -> bool:
    """Whether the last write is long past; format 0 tells no time."""
    last_ms = history.tail.last_timestamp_ms
    return last_ms is not None and newest_ms is not None and newest_ms - last_ms >= DORMANT_MS


def title(history: FormatHistory) -> str:
    """One sentence a ticket can quote."""
    since = history.ranges[history.old_since or 0]
    when = "in every batch" if history.old_since == 0 else f"since offset {marked.offset(since.first_offset)}"
    magics = sorted({format_range.magic for format_range in history.ranges[history.old_since or 0 :]})
    written = f"message format{'' if len(magics) == 1 else 's'} {listed(map(marked.number, magics))}"
    return f"Brokers reject headers, idempotence and transactions for {history.name}: {written} {when}"


def explanation(history: FormatHistory, broker: Broker, dormant_at_ms: int | None) -> str:
    """Since when, by which setting, and what producers get."""
    return "\n".join(
        [
            formats.switches(history, history.old_since or 0),
            " ".join([*since_when(history), setting(history, broker)]),
            *producers(history.tail.magic, broker),
            *dormant(history, dormant_at_ms),
        ]
    )


def since_when(history: FormatHistory) -> list[str]:
    """The leader epoch that was the last of format 2."""
    if not history.old_since:
        return []
    before = history.ranges[history.old_since - 1]
    under = "" if history.epoch_before < 0 else f" (leader epoch {marked.number(history.epoch_before)})"
    return [
        f"The batches before are of message format 2. The last of them is at offset {marked.offset(before.last_offset)}{under}."
    ]


def setting(history: FormatHistory, broker: Broker) -> str:
    """What makes a broker write it."""
    if broker.message_format_version or broker.inter_broker_protocol_version:
        return known_settings(history, broker)
    by_setting = (
        "message.format.version of the topic, log.message.format.version of the broker that leads, or an "
        "inter.broker.protocol.version below 0.11"
    )
    if broker.is_new:
        return f"The broker is version 0.11 or later. The cause is one of these settings: {by_setting}."
    return f"Either the broker is older than 0.11, or one of these settings is the cause: {by_setting}."


def known_settings(history: FormatHistory, broker: Broker) -> str:
    """The settings that the leader reported, and whether they explain the format."""
    names = {
        "message.format.version": broker.message_format_version,
        "inter.broker.protocol.version": broker.inter_broker_protocol_version,
    }
    reported = f"The leader reported {listed(f'{name}={marked.quote(value)}' for name, value in names.items() if value)}."
    if broker.writes == history.tail.magic:
        return f"{reported} With these settings it writes message format {marked.number(broker.writes)}."
    if broker.writes is None:
        return reported
    return (
        f"{reported} With these settings it would write message format {marked.number(broker.writes)}. So the settings changed after the last batch, "
        "or another broker was the leader then."
    )


def dormant(history: FormatHistory, newest_ms: int | None) -> list[str]:
    """Why it matters little."""
    if newest_ms is None:
        return []
    return [
        f"The last write is from {moment(history.tail.last_timestamp_ms)}. The newest timestamp of the input is {moment(newest_ms)}. "
        "So producers have likely stopped writing to this partition."
    ]


detector = Detector(
    id="old-format-tail",
    title="Old message format at the end of the log",
    find=find,
    describe=describe,
    headline=clause(
        "brokers reject headers, idempotence and transactions for {count}: old message format", "partition"
    ),
    rows_of="formats",
    needs=frozenset({"batches"}),
    follows=("format-downgrade", "format-flapping"),
    absent=formats.absent,
    wants="segments",
    one_cause="topic",
    befalls=("rejected", "consumers"),
)
