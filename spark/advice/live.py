"""Advice for a live cluster and one of its topics: which clients fail how, which upgrade is under way, what to change next.

    rolling.py   brokers side by side -> state of a rolling upgrade, steps        compatibility.py   versions, format -> client by client

What is asked are the brokers and the topic as a capture's manifest holds them (`docs/sources/capture-manifest.md`), and rows
of `formats` of what was captured. The answer is for a page: sentences, rows, steps. Standard library only.

Source: Kafka's upgrade notes, KIP-724, KIP-896, KAFKA-7601; the client classes named in `compatibility.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from spark.advice.brokers import UNSTATED, Broker
from spark.advice.changes import downgrade_steps
from spark.advice.compatibility import ClientCompatibility, client_compatibilities
from spark.advice.format_history import FormatHistory, FormatRange, histories
from spark.advice.formats import Advice, Section, advise
from spark.advice.rolling import LiveBroker, RollingStage, brokers_of, state_of, steps_of
from spark.terms import marked
from spark.terms.typed_text import with_typed
from spark.terms.typed_wording import listed, plural

MESSAGE_FORMAT = "message.format.version"


@dataclass(frozen=True)
class LiveAdvice:
    """`state`: of a rolling upgrade; `fits`: client by client; `logs`: by partition."""

    topic: str
    sentence: str
    state: RollingStage
    brokers: list[dict[str, Any]]
    fits: list[ClientCompatibility]
    sections: list[Section]
    logs: list[Advice] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        sections = [section.document() for section in self.sections]
        logs = [log.document() for log in self.logs]
        return with_typed({**asdict(self), "sections": sections, "logs": logs}, "sentence")


def advise_cluster(
    brokers: Sequence[Mapping[str, Any]], topic: Mapping[str, Any], formats: Iterable[Mapping[str, Any]] = ()
) -> LiveAdvice:
    """The whole advice.

    `brokers` and `topic`: members of a manifest (`node`, `release`, `api_versions`, `configs`; `name`, `configs`). `formats`:
    rows of the table, sorted by partition and number; none where nothing was captured. Raises ValueError without brokers.
    """
    if not brokers:
        raise ValueError("No broker is known. Test the connection to the cluster first.")
    name = str(topic.get("name", ""))
    own = topics_own_format(topic)
    live_brokers = brokers_of(brokers, own)
    logs = list(histories(formats))
    state = state_of(live_brokers, own)
    magics = written_by(live_brokers, logs)
    clients = client_compatibilities(live_brokers, min(magics, default=2), converts=converts(topic))
    return LiveAdvice(
        topic=name,
        sentence=summary(name, state, magics, clients),
        state=state,
        brokers=[broker.document() for broker in live_brokers],
        fits=clients,
        sections=sections(name, live_brokers, state, logs, own, magics),
        logs=[advise(log, leading(live_brokers)) for log in logs],
    )


def topics_own_format(topic: Mapping[str, Any]) -> str | None:
    """message.format.version where it is set on the topic itself; else each broker's own holds."""
    config = (topic.get("configs") or {}).get(MESSAGE_FORMAT) or {}
    return config.get("value") if config.get("source") == "topic" else None


def converts(topic: Mapping[str, Any]) -> bool:
    """Whether the topic lets brokers convert batches for old consumers."""
    config = (topic.get("configs") or {}).get("message.downconversion.enable") or {}
    return config.get("value") != "false"


def written_by(brokers: Sequence[LiveBroker], logs: Sequence[FormatHistory]) -> list[int]:
    """The formats that are written now: what the brokers' settings say, else what the newest batches are of."""
    written = {writes for broker in brokers if (writes := broker.as_broker.writes) is not None}
    return sorted(written or {log.tail.magic for log in logs})


def leading(brokers: Sequence[LiveBroker]) -> Broker:
    """The broker by which a log is judged: the one that writes the oldest format, for any may come to lead."""
    writers = [broker.as_broker for broker in brokers if broker.as_broker.writes is not None]
    return min(writers, key=lambda broker: broker.writes or 0) if writers else UNSTATED


def summary(
    topic: str, state: RollingStage, magics: Sequence[int], clients: Sequence[ClientCompatibility]
) -> str:
    """The state of things in one sentence."""
    failing = [
        client.feature
        for client in clients
        if client.outcome == "fails" and client.client.startswith("Producers")
    ]
    written = f"message format {listed(map(str, magics), 'or')}" if magics else "an unknown message format"
    outcome = f"producers fail with {listed(failing)}" if failing else "no producer fails"
    return f"{marked.topic(topic)} has {written}: {outcome}. {state.sentence}"


def sections(
    topic: str,
    brokers: Sequence[LiveBroker],
    state: RollingStage,
    logs: Sequence[FormatHistory],
    own: str | None,
    magics: Sequence[int],
) -> list[Section]:
    """Formats on disk, state of the upgrade, changes in order, risks of a downgrade."""
    losses, order = downgrade_steps(logs[0] if logs else unseen(topic), leading(brokers))
    sections = [
        Section("disk", "Message formats on disk", on_disk(logs, magics)),
        Section("upgrade-state", "Upgrade in progress", [state.sentence, *state.sentences]),
        Section("order", "Changes, in this order", steps=steps_of(topic, brokers, state, own)),
        Section("downgrade", "Before you lower the message format", losses, order),
    ]
    return [section for section in sections if section.sentences or section.steps]


def unseen(topic: str) -> FormatHistory:
    """A log of which nothing was captured."""
    return FormatHistory(topic, 0, "", (FormatRange(2, 0, 0, 0, None, None, -1, -1),))


def on_disk(logs: Sequence[FormatHistory], magics: Sequence[int]) -> list[str]:
    """Formats of the captured batches, and where they do not go with what is written now."""
    sentences = []
    for log in logs:
        magics_on_disk = sorted({format_range.magic for format_range in log.ranges})
        text = f"{log.name} contains batches of message format {listed(map(str, magics_on_disk))}. The newest batches have format {log.tail.magic}."
        if log.falls:
            text += f" It switched to an older format {plural(len(log.falls), 'time')} (KAFKA-7601)."
        if magics and log.tail.magic not in magics:
            text += (
                f" With the current settings, the brokers write format {listed(map(str, magics), 'or')}. So the settings are newer than "
                "the last batch."
            )
        sentences.append(text)
    return sentences
