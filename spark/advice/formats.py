"""Format advisor: what a log's message formats mean for its producers and consumers, and how to change them safely.

A pure function over rows of `formats` and, where stated, a broker's settings. The report quotes it, a page shows it.

Source: Kafka `LogValidator.scala`, `MemoryRecordsBuilder.java`, `RecordAccumulator.java`; KIP-98, KIP-724, KIP-896;
KAFKA-7601, KAFKA-7897.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from spark.advice.brokers import UNSTATED, Broker
from spark.advice.changes import downgrade_steps, upgrade_steps
from spark.advice.clients import consumers, producers
from spark.advice.format_history import FormatHistory, describe_range
from spark.terms import marked
from spark.terms.typed_text import with_typed
from spark.terms.typed_wording import sentence

WHY_EPOCHS = (
    "Message formats 0 and 1 contain no leader epochs. If format 1 follows format 2, brokers before 2.2.1 keep the old leader epochs in "
    "their leader-epoch-checkpoint. A follower that asks for the end of such an epoch gets the end of the log and does not truncate "
    "its own extra records. The replicas then diverge permanently (KAFKA-7601, KAFKA-7897)."
)


@dataclass(frozen=True)
class Section:
    """Sentences, then numbered steps."""

    id: str
    title: str
    sentences: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        return with_typed(asdict(self), "title", "sentences", "steps")


@dataclass(frozen=True)
class Advice:
    """The member `format_advice` of report.json, for one log."""

    topic: str
    partition: int
    replica: str
    sentence: str
    sections: list[Section]

    def document(self) -> dict[str, Any]:
        return with_typed(
            {**asdict(self), "sections": [section.document() for section in self.sections]}, "sentence"
        )


def is_plain(history: FormatHistory) -> bool:
    """Format 2 all along: nothing to say."""
    return not any(format_range.is_old for format_range in history.ranges)


def advise(history: FormatHistory, broker: Broker = UNSTATED) -> Advice:
    if any(not format_range.is_old for format_range in history.ranges):
        broker = replace(broker, left_traces_of_new=True)
    goal = "Change to" if history.tail.is_old else "Keep"
    sections = [
        Section("written", "Message formats over time", written(history, broker)),
        Section("producers", "Producers", producers(history.tail.magic, broker)),
        Section("consumers", "Old consumers", consumers(history, broker)),
        Section("upgrade", f"{goal} message format 2", steps=upgrade_steps(history, broker)),
        Section("downgrade", "Before you lower the message format", *downgrade_steps(history, broker)),
    ]
    whole = [section for section in sections if section.sentences or section.steps]
    return Advice(history.topic, history.partition, history.replica, summary(history), whole)


def summary(history: FormatHistory) -> str:
    """The state of things in one sentence."""
    tail = history.tail
    if is_plain(history):
        return f"{history.name} contains message format 2 only. No change is needed."
    if history.flapping and not tail.is_old:
        return f"{history.name} has message format 2 now but switched to an older format before."
    if history.flapping or history.downgrade:
        return f"Brokers reject headers, idempotence and transactions for {history.name}: it switched back to message format {marked.number(tail.magic)}."
    if tail.is_old:
        return f"Brokers reject headers, idempotence and transactions for {history.name}: message format {marked.number(tail.magic)}."
    return f"{history.name} was upgraded to message format 2 at offset {marked.offset(tail.first_offset)}."


def written(history: FormatHistory, broker: Broker) -> list[str]:
    """Format by format, and whether the stated settings match."""
    sentences = [sentence(describe_range(format_range)) for format_range in history.ranges]
    writes = broker.writes
    if writes is not None and writes != history.tail.magic:
        sentences.append(
            f"With the stated settings, the broker writes message format {marked.number(writes)}, but the last batches have format "
            f"{marked.number(history.tail.magic)}. Possible causes: the topic has its own message.format.version, another broker with other settings is "
            "the leader, or the settings are newer than the last batch."
        )
    if history.falls:
        sentences.append(WHY_EPOCHS)
    return sentences
