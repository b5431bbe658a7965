"""Format downgrade: the message format went back and stayed below the newest one the log has.

Page: docs/detectors/format-downgrade.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.advice.brokers import Broker
from spark.advice.changes import upgrade_steps
from spark.advice.format_history import FormatHistory
from spark.detectors import Detector, clause, located
from spark.detectors.log import _formats as formats
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per log that ends below its newest format."""
    return [formats.row(history) for history in formats.logs(tables) if history.downgrade]


def describe(row: Row) -> Finding:
    history: FormatHistory = row["history"]
    assert history.downgrade, "find gives only logs that ended lower"
    before, fall = history.ranges[history.downgrade - 1], history.ranges[history.downgrade]
    return Finding(
        detector=detector.id,
        severity="high",
        title=(
            f"Brokers can reject records for {history.name}: it switched from message format {marked.number(before.magic)} to {marked.number(fall.magic)} at offset "
            f"{marked.offset(fall.first_offset)} and stayed there up to offset {marked.offset(history.tail.last_offset)}"
        ),
        explanation=explanation(history, history.downgrade),
        **located(row, fall.first_offset, history.tail.last_offset),
        evidence=[before.last_offset, fall.first_offset, history.tail.last_offset],
        entity=formats.ENTITY,
        entities={formats.ENTITY},
        remedy=detector.remedy(
            "Of a finding",
            upgrade_step_by_step=upgrade_steps(history, Broker(left_traces_of_new=True)),
        ),
        references=detector.references,
    )


def explanation(history: FormatHistory, number: int) -> str:
    """What was written, who may have done it, what is refused since."""
    before = history.ranges[number - 1]
    last = (
        ""
        if before.last_leader_epoch < 0
        else f" under leader epoch {marked.number(before.last_leader_epoch)}"
    )
    return (
        f"{formats.switches(history)}\nThe last batch of message format {marked.number(before.magic)} is at offset {marked.offset(before.last_offset)}{last}. "
        "Possible causes: since then, the leader is a broker with an older log.message.format.version or "
        "inter.broker.protocol.version, or someone lowered the topic's message.format.version.\n"
        f"{formats.refused(history.ranges[number])}"
    )


detector = Detector(
    id="format-downgrade",
    title="Message format downgraded",
    find=find,
    describe=describe,
    headline=clause(
        "brokers can reject records with headers: {partitions} switched to an older message format"
    ),
    rows_of="formats",
    needs=frozenset({"batches"}),
    follows=("format-flapping",),
    absent=formats.absent,
    wants="segments",
    one_cause="replicas",
    family="message-format",
    befalls=("rejected", "consumers"),
)
