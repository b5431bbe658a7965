"""A controller's state: one function per record type, in APPLY.

Topics are named by their id in the journal; entities are named by the topic's name. A topic that was deleted and created
again has two ids under one name. Source: Kafka `*Delta.java`, `*ControlManager.java` of the metadata module (4.1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spark.dialects._history import History
from spark.dialects.cluster_metadata.interpret import config_id, quota_id, scram_id

Members = dict[str, Any]
UNCHANGED = 0  # fenced or not, as before
FENCING = {-1: False, 1: True}  # BrokerRegistrationFencingChange
TOPIC_UNKNOWN, BROKER_UNKNOWN, BROKER_EPOCH = "topic-unknown", "broker-unknown", "broker-epoch"
CHANGED = (
    "isr",
    "leader",
    "replicas",
    "removingReplicas",
    "addingReplicas",
    "leaderRecoveryState",
    "eligibleLeaderReplicas",
    "lastKnownElr",
    "directories",
)


class ClusterImage:
    """Topics, partitions and live brokers. `at`: the offset from which a change applies; `origin`: its record's offset."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.at = self.origin = 0
        self.topics: dict[str, str] = {}  # topic id -> name
        self.partitions: dict[str, dict[int, Members]] = {}  # topic id -> number -> what it is like
        self.brokers: dict[int, Members] = {}
        self.configs: dict[str, set[str]] = {}  # `topic/orders` -> entity ids

    def put(self, kind: str, name: str, attributes: Members) -> None:
        self.history.put(kind, name, attributes, self.at, self.origin)

    def end(self, kind: str, name: str) -> None:
        """The entity does not exist from here on."""
        self.history.end(kind, name, self.at)

    def refuse(self, kind: str, name: str, reason: str, needs: str) -> None:
        """Notes that a controller stops at this record."""
        self.history.refuse(self.origin, kind, name, reason, needs)


def topic(cluster: ClusterImage, record: Members) -> None:
    cluster.topics[record["topicId"]] = record["name"]
    cluster.partitions[record["topicId"]] = {}
    cluster.put("topic", record["name"], {"topicId": record["topicId"]})


def partition(cluster: ClusterImage, record: Members) -> None:
    """A new partition, or its whole state in a snapshot."""
    name = cluster.topics.get(record["topicId"])
    if name is None:
        unknown_topic(cluster, record)
        return
    members = {member: value for member, value in record.items() if member != "partitionId"}
    cluster.partitions[record["topicId"]][record["partitionId"]] = members
    cluster.put("partition", f"{name}/{record['partitionId']}", members)


def partition_change(cluster: ClusterImage, record: Members) -> None:
    """A partition change. The leader epoch rises with a new leader, the partition epoch always."""
    name = cluster.topics.get(record["topicId"])
    members = cluster.partitions.get(record["topicId"], {}).get(record["partitionId"])
    if name is None or members is None:
        unknown_topic(cluster, record)
        return
    changed = {member: record[member] for member in CHANGED if record.get(member) is not None}
    members = {**members, **changed, "partitionEpoch": members["partitionEpoch"] + 1}
    if "leader" in changed:
        members["leaderEpoch"] += 1
    cluster.partitions[record["topicId"]][record["partitionId"]] = members
    cluster.put("partition", f"{name}/{record['partitionId']}", members)


def unknown_topic(cluster: ClusterImage, record: Members) -> None:
    name = f"{record['topicId']}/{record['partitionId']}"
    cluster.refuse("partition", name, TOPIC_UNKNOWN, f"topic id {record['topicId']}")


def remove_topic(cluster: ClusterImage, record: Members) -> None:
    """Deletes a topic with its partitions and settings."""
    name = cluster.topics.pop(record["topicId"], None)
    if name is None:
        cluster.refuse("topic", record["topicId"], TOPIC_UNKNOWN, f"topic id {record['topicId']}")
        return
    for number in cluster.partitions.pop(record["topicId"]):
        cluster.end("partition", f"{name}/{number}")
    for config in cluster.configs.pop(f"topic/{name}", ()):
        cluster.end("config", config)
    cluster.end("topic", name)


def config(cluster: ClusterImage, record: Members) -> None:
    """A setting; null removes it."""
    name = config_id(record)
    configs = cluster.configs.setdefault(name.removesuffix(f"/{record['name']}"), set())
    if record["value"] is None:
        configs.discard(name)
        cluster.end("config", name)
    else:
        configs.add(name)
        cluster.put("config", name, {"value": record["value"]})


def register_broker(cluster: ClusterImage, record: Members) -> None:
    """A broker has started; in a snapshot: its whole state."""
    cluster.brokers[record["brokerId"]] = record
    cluster.put("broker", str(record["brokerId"]), record)


def change_broker(cluster: ClusterImage, record: Members) -> None:
    """A broker is fenced, unfenced or stopping. A record with another epoch is ignored."""
    broker = known_broker(cluster, record["brokerId"], record["brokerEpoch"])
    if broker is None:
        return
    fenced = FENCING.get(record.get("fenced", UNCHANGED), broker["fenced"])
    stopping = bool(record.get("inControlledShutdown")) or broker.get("inControlledShutdown", False)
    record_of_broker = {**broker, "fenced": fenced, "inControlledShutdown": stopping}
    register_broker(
        cluster, record_of_broker | ({"logDirs": record["logDirs"]} if "logDirs" in record else {})
    )


def fence(cluster: ClusterImage, record: Members) -> None:
    """Fences a broker (older record type)."""
    broker = known_broker(cluster, record["id"], record["epoch"])
    if broker is not None:
        register_broker(cluster, {**broker, "fenced": True})


def unfence(cluster: ClusterImage, record: Members) -> None:
    """Unfences a broker (older record type)."""
    broker = known_broker(cluster, record["id"], record["epoch"])
    if broker is not None:
        register_broker(cluster, {**broker, "fenced": False})


def unregister_broker(cluster: ClusterImage, record: Members) -> None:
    if known_broker(cluster, record["brokerId"], record["brokerEpoch"]) is not None:
        del cluster.brokers[record["brokerId"]]
        cluster.end("broker", str(record["brokerId"]))


def known_broker(cluster: ClusterImage, number: int, epoch: int) -> Members | None:
    """The broker, if it is registered under this epoch."""
    broker = cluster.brokers.get(number)
    if broker is None or broker["brokerEpoch"] != epoch:
        reason = BROKER_UNKNOWN if broker is None else BROKER_EPOCH
        cluster.refuse("broker", str(number), reason, f"broker {number} of epoch {epoch}")
        return None
    return broker


def scram(cluster: ClusterImage, record: Members) -> None:
    """Sets a credential, without its secrets."""
    cluster.put("scram", scram_id(record), {"iterations": record["iterations"]})


def quota(cluster: ClusterImage, record: Members) -> None:
    """Sets or removes a quota."""
    if record["remove"]:
        cluster.end("quota", quota_id(record))
    else:
        cluster.put("quota", quota_id(record), {"value": record["value"]})


def producer_ids(cluster: ClusterImage, record: Members) -> None:
    """A broker receives the next block of producer ids."""
    cluster.put("producer-ids", "cluster", record)


def clear_elr(cluster: ClusterImage, record: Members) -> None:
    """Partitions of a topic, or of all topics, lose their eligible leader replicas."""
    for topic_id, name in cluster.topics.items():
        if record["topicName"] in ("", name):
            for number, members in cluster.partitions[topic_id].items():
                if members.pop("eligibleLeaderReplicas", None) or members.pop("lastKnownElr", None):
                    cluster.put("partition", f"{name}/{number}", members)


Apply = Callable[[ClusterImage, Members], None]
APPLY: dict[str, Apply] = {
    "Topic": topic,
    "Partition": partition,
    "PartitionChange": partition_change,
    "RemoveTopic": remove_topic,
    "Config": config,
    "RegisterBroker": register_broker,
    "BrokerRegistrationChange": change_broker,
    "FenceBroker": fence,
    "UnfenceBroker": unfence,
    "UnregisterBroker": unregister_broker,
    "UserScramCredential": scram,
    "RemoveUserScramCredential": lambda cluster, record: cluster.end("scram", scram_id(record)),
    "ClientQuota": quota,
    "ProducerIds": producer_ids,
    "ClearElr": clear_elr,
    "FeatureLevel": lambda cluster, record: cluster.put(
        "feature", record["name"], {"featureLevel": record["featureLevel"]}
    ),
    "AccessControlEntry": lambda cluster, record: cluster.put("acl", record["id"], record),
    "RemoveAccessControlEntry": lambda cluster, record: cluster.end("acl", record["id"]),
    "DelegationToken": lambda cluster, record: cluster.put("delegation-token", record["tokenId"], record),
    "RemoveDelegationToken": lambda cluster, record: cluster.end("delegation-token", record["tokenId"]),
    "RegisterController": lambda cluster, record: cluster.put(
        "controller", str(record["controllerId"]), record
    ),
    "UnregisterController": lambda cluster, record: cluster.end("controller", str(record["controllerId"])),
}
