"""In which order to change a topic's message format, up and down, so that no client fails and no replica diverges.

Source: Kafka's upgrade notes (0.10.0 to 3.0), KIP-724, KAFKA-7601, KAFKA-7897.
"""

from __future__ import annotations

from spark.advice.brokers import Broker
from spark.advice.format_history import FormatHistory
from spark.terms import marked
from spark.terms.topic_commands import named

CONFIGS = "kafka-configs.sh --bootstrap-server BROKER:9092 --entity-type topics --entity-name"


def which_setting(topic: str) -> str:
    """How to find the setting that keeps the format old."""
    return (
        "Find the setting that determines the message format. The topic's message.format.version overrides the broker's "
        "log.message.format.version. The lowest inter.broker.protocol.version limits both. Read the settings of every broker in "
        f"server.properties, and those of the topic: `{CONFIGS} {named(topic)} --describe`"
    )


def upgrade_steps(history: FormatHistory, broker: Broker) -> list[str]:
    """From an old tail to format 2; nothing where the log is there already and never went back."""
    if not history.tail.is_old:
        return keep_it_so(history, broker) if history.falls else []
    steps_in_order = [which_setting(history.topic)]
    upgrade = []
    if broker.is_new is not True:
        upgrade.append(
            "If a broker is older than 0.11, upgrade the software of one broker after the other. Until all are upgraded, keep "
            "inter.broker.protocol.version and log.message.format.version at the old version."
        )
    if history.downgrade and broker.keeps_stale_epochs is not False:
        upgrade.append(
            "Upgrade brokers older than 2.2.1: they do not clear their leader epochs when the message format is lowered, and replicas "
            "can diverge."
        )
    if not broker.ignores_format:
        upgrade.append(
            "When every broker runs the new software, raise inter.broker.protocol.version on all of them. Restart one broker after "
            "the other. From version 3.0 the message format is always 2, and log.message.format.version has no effect."
        )
        upgrade.append("Upgrade consumers older than 0.11, so that brokers need not convert batches.")
    if upgrade:
        steps_in_order.append(" ".join(upgrade))
    raised = "" if broker.ignores_format else f"{raise_format(history.topic)} "
    return [
        *steps_in_order,
        f"{raised}After that, allow producers to send headers and to use idempotence and transactions. "
        f"After some writes, inspect {marked.partition(history.topic, history.partition)} again. Its newest batches must have message format 2, and "
        "its leader-epoch-checkpoint must start with them.",
    ]


def raise_format(topic: str) -> str:
    """The switch itself: on every broker the same."""
    return (
        "Raise the message format on all brokers at the same time. A broker with the old setting writes the old format while it "
        "is the leader. Remove log.message.format.version from every broker, and the setting of the topic: "
        f"`{CONFIGS} {named(topic)} --alter --delete-config message.format.version`"
    )


def keep_it_so(history: FormatHistory, broker: Broker) -> list[str]:
    """The log is in format 2, but went back before: what must not happen again."""
    steps_in_order = [which_setting(history.topic)]
    if not broker.ignores_format:
        steps_in_order.append(
            "Use the same settings on all brokers. If the format changes with the leader, one broker still has the old setting."
        )
    steps_in_order.append(
        "Check the leader-epoch-checkpoint of every replica. No entry must start before offset "
        f"{marked.offset(history.tail.first_offset)}, the first offset of the newest batches of format 2."
    )
    return steps_in_order


def downgrade_steps(history: FormatHistory, broker: Broker) -> tuple[list[str], list[str]]:
    """What would go wrong if the format went back, and the order that avoids it."""
    if broker.ignores_format:
        return ["This broker always writes message format 2: the format cannot be lowered (KIP-724)."], []
    losses = [
        "After the message format is lowered, the broker rejects headers, idempotence and transactions from the next batch. Existing "
        "records stay.",
    ]
    if broker.keeps_stale_epochs is not False:
        losses.append(
            "Brokers before 2.2.1 do not clear their leader epochs at that time. After the next change of leader, the replicas can "
            "diverge permanently (KAFKA-7601, KAFKA-7897)."
        )
    return losses, [
        "Upgrade every broker to 2.2.1 or later before you lower the message format.",
        "Stop producers that send headers or use idempotence or transactions. Wait until open transactions have ended.",
        "Wait until every replica is in sync, and set unclean.leader.election.enable=false.",
        f"Set the format on the topic, not on single brokers: `{CONFIGS} {named(history.topic)} --alter --add-config "
        "message.format.version=0.10.2`. All replicas then change together.",
        "Before the next change of leader, check leader-epoch-checkpoint on every replica. It must be empty or absent.",
    ]
