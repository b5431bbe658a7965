"""The state of a rolling upgrade, from the brokers side by side, and the steps that are left.

    software     brokers of several releases: some still run the old software
    protocol     the same software, inter.broker.protocol.version below it, or not the same on all
    format       all of that done, but message.format.version holds an older format, or not the same on all
    done         nothing is left to raise

Each stage is done on every broker before the next begins. A broker's release is a span of versions (`2.8 to 3.0`), because
ApiVersions tells no more; a protocol within the span counts as that of the release.

Source: Kafka's upgrade notes (0.10.0 to 3.x), KIP-724; clusters of controllers (KRaft) have `metadata.version` instead of
inter.broker.protocol.version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from spark.advice.brokers import FORMAT_2, Broker, Version, is_version, oldest, version
from spark.advice.changes import raise_format
from spark.terms.wording import listed

PROTOCOL = "inter.broker.protocol.version"
LOG_FORMAT = "log.message.format.version"
Stage = Literal["software", "protocol", "format", "done"]


@dataclass(frozen=True)
class LiveBroker:
    """A broker as its answers describe it."""

    node: int
    release: str
    api_versions: dict[int, tuple[int, int]]
    protocol: str | None  # null: KRaft, or not asked
    format_version: str | None  # that holds for the topic when this broker leads

    @property
    def as_broker(self) -> Broker:
        return Broker(oldest(self.release), self.protocol, self.format_version)

    @property
    def name(self) -> str:
        return f"broker {self.node}"

    def speaks(self, key: int) -> tuple[int, int]:
        """Lowest and highest version of a request; (0, -1): none."""
        return self.api_versions.get(key, (0, -1))

    def document(self) -> dict[str, Any]:
        return {
            "node": self.node,
            "release": self.release,
            "inter_broker_protocol_version": self.protocol,
            "message_format_version": self.format_version,
            "writes": self.as_broker.writes,
        }


@dataclass(frozen=True)
class RollingStage:
    """Which stage is under way, as sentences."""

    stage: Stage
    sentence: str
    sentences: list[str] = field(default_factory=list)


def brokers_of(rows: Sequence[Mapping[str, Any]], topics_own: str | None) -> list[LiveBroker]:
    """Brokers of a manifest, by node. `topics_own`: the topic's own message.format.version, which wins."""
    behind = []
    for row in rows:
        configs = row.get("configs") or {}
        versions = {int(key): (span[0], span[1]) for key, span in (row.get("api_versions") or {}).items()}
        protocol, own_format = (readable(configs.get(name)) for name in (PROTOCOL, LOG_FORMAT))
        chosen = topics_own if is_version(topics_own) else own_format
        behind.append(
            LiveBroker(
                int(row["node"]), str(row.get("release") or "unknown release"), versions, protocol, chosen
            )
        )
    return sorted(behind, key=lambda broker: broker.node)


def readable(config: Mapping[str, Any] | None) -> str | None:
    value = (config or {}).get("value")
    return value if is_version(value) else None


def state_of(brokers: Sequence[LiveBroker], topics_own: str | None) -> RollingStage:
    """The stage that comes first in order."""
    releases = grouped(brokers, lambda broker: broker.release)
    if len(releases) > 1:
        return RollingStage(
            "software",
            f"A rolling upgrade of the software is in progress: {by_broker(releases)}.",
            [
                f"Until every broker runs the new software, {PROTOCOL} and {LOG_FORMAT} must stay at the old version. An old broker "
                "cannot use a newer protocol.",
                *differing(brokers),
            ],
        )
    protocols = grouped(brokers, lambda broker: broker.protocol or "")
    behind = [broker for broker in brokers if is_behind(broker)]
    if len(protocols) > 1 or behind:
        return RollingStage(
            "protocol",
            f"The software is the same on every broker ({brokers[0].release}), but {PROTOCOL} is "
            + (f"not: {by_broker(protocols)}." if len(protocols) > 1 else f"still {next(iter(protocols))}."),
            [
                "This state is stable. You can still downgrade the software. Features of newer protocols, including newer message formats, "
                "are disabled.",
                *differing(brokers),
            ],
        )
    old = [
        broker
        for broker in brokers
        if (broker.as_broker.writes or 0) < 2 and broker.as_broker.writes is not None
    ]
    if old:
        owner = "of the topic itself" if topics_own else "of the brokers"
        formats = grouped(old, lambda broker: broker.format_version or "its default")
        return RollingStage(
            "format",
            f"Software and protocol are upgraded, but the message format {owner} is still old: {by_broker(formats)}.",
            differing(brokers),
        )
    return RollingStage("done", "No upgrade is in progress.")


def is_behind(broker: LiveBroker) -> bool:
    """Whether the protocol is below the oldest version that the software can be."""
    release = oldest(broker.release)
    return bool(release and broker.protocol and short(broker.protocol) < short(release))


def short(text: str) -> Version:
    """A version as protocols count: `2.8`, before 1.0 with a third number."""
    numbers = version(text)
    return numbers[:3] if numbers[0] == 0 else numbers[:2]


def grouped(brokers: Sequence[LiveBroker], by: Callable[[LiveBroker], str]) -> dict[str, list[LiveBroker]]:
    groups: dict[str, list[LiveBroker]] = defaultdict(list)
    for broker in brokers:
        groups[by(broker)].append(broker)
    return dict(groups)


def by_broker(groups: Mapping[str, Sequence[LiveBroker]]) -> str:
    """`2.8 to 3.0 on broker 1 and broker 2, 3.9 on broker 3`."""
    return ", ".join(
        f"{group or 'unknown'} on {listed(broker.name for broker in brokers)}"
        for group, brokers in groups.items()
    )


def differing(brokers: Sequence[LiveBroker]) -> list[str]:
    """That the format changes with the leader, where brokers write different ones."""
    writes = grouped(brokers, lambda broker: str(broker.as_broker.writes))
    if len(writes) < 2 or ("None" in writes and len(writes) == 2):
        return []
    formats = {f"format {magic}": members for magic, members in writes.items() if magic != "None"}
    return [
        f"The message format changes with the leader: {by_broker(formats)}. Brokers before 2.2.1 then keep wrong leader epochs, and "
        "replicas can diverge permanently (KAFKA-7601)."
    ]


def steps_of(
    topic: str, brokers: Sequence[LiveBroker], state: RollingStage, topics_own: str | None
) -> list[str]:
    """The remaining steps of the upgrade, in order."""
    steps_in_order = []
    if state.stage == "software":
        old = min(
            grouped(brokers, lambda broker: broker.release), key=lambda text: version(oldest(text) or "0")
        )
        names = listed(broker.name for broker in brokers if broker.release == old)
        steps_in_order.append(
            f"Upgrade the software of {names} ({old}), one after the other. After each, wait until every replica is in sync. Do not change "
            f"{PROTOCOL} and {LOG_FORMAT}."
        )
    if state.stage == "protocol" or (
        state.stage == "software" and any(broker.protocol for broker in brokers)
    ):
        steps_in_order.append(
            "Warning: after this step, the software cannot be downgraded. Raise "
            f"{PROTOCOL} on every broker to the version of the software. Restart one broker after the other."
        )
    writes = [broker.as_broker.writes for broker in brokers]
    if any(magic is not None and magic < 2 for magic in writes):
        if any(version(oldest(broker.release) or "0") < FORMAT_2 for broker in brokers):
            steps_in_order.append(
                "First upgrade to 0.11 or later. Older software does not support message format 2."
            )
        steps_in_order.append("Upgrade consumers older than 0.11, so that brokers need not convert batches.")
        steps_in_order.append(raise_format(topic))
        steps_in_order.append(
            "After that, allow producers to send headers and to use idempotence and transactions."
        )
    elif topics_own:
        steps_in_order.append(
            f"Remove message.format.version from the topic ({topics_own}). It no longer has an effect."
        )
    return steps_in_order
