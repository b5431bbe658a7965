"""Format flapping: the message format went back to an older one and forward again.

One finding per copy of a partition, with every switch. Innocent: steps up only (format-upgrade).
Page: docs/detectors/format-flapping.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.advice.changes import upgrade_steps
from spark.advice.format_history import FormatHistory
from spark.detectors import Detector, clause, located
from spark.detectors.log import _formats as formats
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import plural


def find(tables: ResultTables) -> Iterable[Row]:
    """One row per log that went back and forward again."""
    flapping = [history for history in formats.logs(tables) if history.flapping]
    return formats.rows_with_brokers(tables, flapping)


def describe(row: Row) -> Finding:
    history: FormatHistory = row["history"]
    assert history.flapping, "find gives only logs that flap"
    down, up = history.flapping
    fall, rise = history.ranges[down], history.ranges[up]
    return Finding(
        detector=detector.id,
        severity="high",
        title=title(history, down, up),
        explanation=f"{formats.switches(history)}\n{why(history)}\n{formats.refused(fall)}",
        **located(row, fall.first_offset, rise.first_offset),
        evidence=formats.borders(history),
        entity=formats.ENTITY,
        entities={formats.ENTITY},
        remedy=detector.remedy("Of a finding", upgrade_step_by_step=upgrade_steps(history, row["broker"])),
        references=detector.references,
    )


def title(history: FormatHistory, down: int, up: int) -> str:
    """One sentence a ticket can quote."""
    before, fall, rise = (history.ranges[n] for n in (down - 1, down, up))
    more = len(history.falls) + len([n for n in history.rises if n > down]) - 2
    others = f", and {plural(more, 'more switch', 'more switches')}" if more > 0 else ""
    return (
        f"Brokers can reject records for {history.name}: it switched from message format {marked.number(before.magic)} to {marked.number(fall.magic)} at offset "
        f"{marked.offset(fall.first_offset)} and to {marked.number(rise.magic)} at offset {marked.offset(rise.first_offset)}{others}"
    )


def why(history: FormatHistory) -> str:
    """Brokers that differ, or a setting that was changed."""
    epochs = {s.first_leader_epoch for s in history.ranges if s.first_leader_epoch >= 0}
    if len(epochs) > 1:
        return (
            "The leader changed between these batches. A broker with an older log.message.format.version or "
            "inter.broker.protocol.version than the other brokers writes the older format while it is the leader."
        )
    return (
        "Possible causes: someone changed message.format.version and changed it back, or the leader moved between brokers whose "
        "log.message.format.version or inter.broker.protocol.version differ."
    )


detector = Detector(
    id="format-flapping",
    title="Repeated switches of the message format",
    find=find,
    describe=describe,
    headline=clause(
        "brokers can reject records with headers at times: {partitions} switched repeatedly between message formats"
    ),
    rows_of="formats",
    needs=frozenset({"batches"}),
    absent=formats.absent,
    wants="segments",
    one_cause="replicas",
    family="message-format",
    befalls=("rejected", "consumers"),
)
