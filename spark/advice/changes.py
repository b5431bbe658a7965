"""In which order to change a topic's message format, up and down, so that no client fails and no replica parts.

Source: Kafka's upgrade notes (0.10.0 to 3.0), KIP-724, KAFKA-7601, KAFKA-7897.
"""

from __future__ import annotations

from spark.advice.brokers import Broker
from spark.advice.stretches import History
from spark.terms.topic_commands import named

CONFIGS = "kafka-configs.sh --bootstrap-server BROKER:9092 --entity-type topics --entity-name"


def which_setting(topic: str) -> str:
    """How to find the setting that keeps the format old."""
    return (
        f"See which setting holds the format: `{CONFIGS} {named(topic)} --describe` for the topic's message.format.version, "
        "and log.message.format.version and inter.broker.protocol.version in server.properties of every broker. The "
        "topic's setting wins over the broker's, and the oldest inter.broker.protocol.version bounds both."
    )


def upgrade_steps(history: History, broker: Broker) -> list[str]:
    """From an old tail to format 2; nothing where the log is there already and never went back."""
    if not history.tail.is_old:
        return keep_it_so(history, broker) if history.falls else []
    found = [which_setting(history.topic)]
    if broker.is_new is not True:
        found.append(
            "If a broker is older than 0.11: replace the software of one broker after the other, and keep "
            "inter.broker.protocol.version and log.message.format.version at the version they come from meanwhile."
        )
    if not broker.ignores_format:
        found.append(
            "When every broker runs the new software, raise inter.broker.protocol.version on all of them, one restart "
            "after the other. From 3.0 on the format is 2 whatever log.message.format.version says."
        )
        found.append("Move consumers older than 0.11 to newer clients, so that no batch has to be converted.")
        found.append(raise_format(history.topic))
    return [*found, *only_then(history)]


def raise_format(topic: str) -> str:
    """The switch itself: on every broker the same."""
    return (
        "Raise the format everywhere at once: remove the topic's own setting "
        f"(`{CONFIGS} {named(topic)} --alter --delete-config message.format.version`), and remove log.message.format.version "
        "from every broker. A broker left behind brings the old format back whenever it leads."
    )


def only_then(history: History) -> list[str]:
    """After the switch."""
    return [
        "Only then let producers send headers, or use idempotence and transactions.",
        f"Inspect {history.topic}-{history.partition} again after some writes: its newest batches must be of format "
        "2 and its leader-epoch-checkpoint must begin with them.",
    ]


def keep_it_so(history: History, broker: Broker) -> list[str]:
    """The log is in format 2, but went back before: what must not happen again."""
    found = [which_setting(history.topic)]
    if not broker.ignores_format:
        found.append(
            "Make the settings the same on all brokers. A format that changes with the leader means that one broker "
            "was left behind."
        )
    found.append(
        "Compare the leader-epoch-checkpoint of every replica: no entry may begin before offset "
        f"{history.tail.first_offset}, where the newest stretch of format 2 begins."
    )
    return found


def downgrade_steps(history: History, broker: Broker) -> tuple[list[str], list[str]]:
    """What would go wrong if the format went back, and the order that avoids it."""
    if broker.ignores_format:
        return [
            "This broker writes format 2 whatever message.format.version says: there is no way back (KIP-724)."
        ], []
    losses = [
        "A broker that goes back refuses headers, idempotence and transactions from the next batch on; what is in "
        "the log already stays.",
    ]
    if broker.keeps_stale_epochs is not False:
        losses.append(
            "Brokers before 2.2.1 do not clear their leader epochs at that moment: after the next change of leader "
            "the replicas may differ for good (KAFKA-7601, KAFKA-7897)."
        )
    return losses, [
        "Bring every broker to 2.2.1 or later, as software, before the format goes back.",
        "Stop producers that send headers or use idempotence or transactions; let open transactions end.",
        "Wait until every replica is in sync, and set unclean.leader.election.enable=false.",
        f"Set the format on the topic, not broker by broker: `{CONFIGS} {named(history.topic)} --alter --add-config "
        "message.format.version=0.10.2`. All replicas then change together.",
        "Look at leader-epoch-checkpoint on every replica: it must be empty or gone before the next change of leader.",
    ]
