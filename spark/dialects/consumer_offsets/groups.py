"""A group coordinator's groups in memory, and the state that it would report.

A group of the consumer protocol (KIP-848) is Empty without members, Assigning while its assignment is older than the
group, Reconciling until every member has reached the assignment, then Stable. A streams group (KIP-1071) is NotReady, too,
while its topology is not validated. A classic group is loaded as Stable or
Empty; a group of which there are only offsets is an empty classic one. Source: Kafka `GroupMetadataManager`,
`ConsumerGroup.maybeUpdateGroupState`, `ShareGroup` (4.1), `StreamsGroup.maybeUpdateGroupState`, `streams.MemberState` (4.4).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from spark.codecs.kafka_topics.consumer_offsets import CONSUMER, SHARE, STREAMS
from spark.dialects._history import History

GROUP, MEMBER, TOPOLOGY = "group", "group-member", "group-topology"
STABLE_MEMBER = {CONSUMER: 0, SHARE: 0, STREAMS: 1}  # MemberState.STABLE
MEMBER_STATES = {1: "Stable", 2: "UnrevokedTasks", 3: "UnreleasedTasks"}  # of streams groups
TASKS = ("activeTasks", "standbyTasks", "warmupTasks")
TYPES = {CONSUMER: "consumer", SHARE: "share", STREAMS: "streams"}
SIMPLE = {"state": "Empty", "type": "classic", "isSimple": True, "members": 0}


@dataclass
class Group:
    """A group of a newer protocol. `arrived`: stable members by the epoch that they reached.

    Of a streams group: the epoch and size of its topology, and the topology epoch that the coordinator has validated, which
    4.1 does not write (None).
    """

    kind: str
    epoch: int = 0
    target_epoch: int = 0
    members: dict[str, int | None] = field(default_factory=dict)
    arrived: Counter[int] = field(default_factory=Counter)
    topology_epoch: int | None = None
    subtopologies: int = 0
    validated_epoch: int | None = None

    def state(self) -> str | None:
        """The state's name; None for a streams group of which it is unknown whether its topology is validated."""
        if not self.members:
            return "Empty"
        if self.kind == SHARE:
            return "Stable"
        if self.kind == STREAMS and self.validated_epoch is None:
            return None
        if self.kind == STREAMS and self.validated_epoch != self.topology_epoch:
            return "NotReady"
        if self.epoch > self.target_epoch:
            return "Assigning"
        return "Stable" if self.arrived[self.target_epoch] == len(self.members) else "Reconciling"

    def reach(self, member_id: str, epoch: int | None) -> None:
        """The member is stable at an epoch; None: at none."""
        before = self.members.get(member_id)
        if before is not None:
            self.arrived[before] -= 1
        self.members[member_id] = epoch
        if epoch is not None:
            self.arrived[epoch] += 1

    def leave(self, member_id: str) -> None:
        """The member has left."""
        if member_id in self.members:
            self.reach(member_id, None)
            del self.members[member_id]

    def attributes(self) -> dict[str, Any]:
        """For the table `state`."""
        topology = {"topologyEpoch": self.topology_epoch, "subtopologies": self.subtopologies}
        return {
            "state": self.state(),
            "type": TYPES[self.kind],
            "epoch": self.epoch,
            "assignmentEpoch": self.target_epoch,
            "members": len(self.members),
            **(topology if self.kind == STREAMS else {}),
        }


class Coordinator:
    """The groups and offsets of one journal partition; writes each change to the history."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._modern: dict[str, Group] = {}
        self._classic: dict[str, set[str]] = {}  # group -> its members
        self._simple: set[str] = set()
        self._offsets: set[str] = set()
        self._offsets_of: Counter[str] = Counter()

    def commit(self, name: str, attributes: str, offset: int) -> None:
        """A committed offset; `name` is group/topic/partition."""
        if name not in self._offsets:
            self._offsets.add(name)
            group = name.rsplit("/", 2)[0]
            self._offsets_of[group] += 1
            if not self.knows(group):
                self._be_simple(group, offset)
        self.history.put("offset-commit", name, attributes, offset)

    def forget_offset(self, name: str, offset: int) -> None:
        """Removes a committed offset, and its group if that has nothing else."""
        if name not in self._offsets:
            return
        self._offsets.discard(name)
        self.history.end("offset-commit", name, offset)
        group = name.rsplit("/", 2)[0]
        self._offsets_of[group] -= 1
        if not self._offsets_of[group]:
            del self._offsets_of[group]
            if group in self._simple:
                self._simple.discard(group)
                self.history.end(GROUP, group, offset)

    def knows(self, group: str) -> bool:
        return group in self._modern or group in self._classic or group in self._simple

    def classic(self, name: str, members: dict[str, Any], offset: int) -> None:
        """The metadata of a classic group: all its members at once."""
        self._drop(name, offset, {member["memberId"] for member in members["members"]})
        self._classic[name] = {member["memberId"] for member in members["members"]}
        for member in members["members"]:
            self.history.put(MEMBER, f"{name}/{member['memberId']}", member, offset)
        metadata = {name: members[name] for name in ("generation", "protocolType", "protocol", "leader")}
        state = "Stable" if members["members"] else "Empty"
        attributes = {"state": state, "type": "classic", **metadata, "members": len(members["members"])}
        self.history.put(GROUP, name, attributes, offset)

    def modern(self, name: str, kind: str) -> Group:
        """A group of a newer protocol; created when first mentioned."""
        group = self._modern.get(name)
        if group is None:
            group = self._modern[name] = Group(kind)
            self._simple.discard(name)
        return group

    def write(self, name: str, offset: int) -> None:
        """Writes the current attributes of a group of a newer protocol."""
        self.history.put(GROUP, name, self._modern[name].attributes(), offset)

    def member_of(self, name: str, kind: str, member_id: str, members: dict[str, Any], offset: int) -> None:
        """A member joined or changed its metadata."""
        group, entity_id = self.modern(name, kind), f"{name}/{member_id}"
        if member_id not in group.members:
            group.reach(member_id, None)
        elif kind == STREAMS:  # with the tasks that it has
            members = {**self.history.attributes(MEMBER, entity_id), **members}
        self.history.put(MEMBER, entity_id, members, offset)
        self.write(name, offset)

    def reached(self, name: str, kind: str, member_id: str, members: dict[str, Any], offset: int) -> None:
        """A member reached an epoch. That of a streams group has the tasks that it got there."""
        is_stable = members["state"] == STABLE_MEMBER[kind]
        self.modern(name, kind).reach(member_id, members["memberEpoch"] if is_stable else None)
        if kind == STREAMS:
            entity_id = f"{name}/{member_id}"
            attributes = {**self.history.attributes(MEMBER, entity_id), **assigned_tasks(members)}
            self.history.put(MEMBER, entity_id, attributes, offset)
        self.write(name, offset)

    def topology(self, name: str, members: dict[str, Any] | None, offset: int) -> None:
        """The topology of a streams group; None: its tombstone."""
        if members is None and name not in self._modern:
            return
        group = self.modern(name, STREAMS)
        group.topology_epoch = members["epoch"] if members else None
        group.subtopologies = len(members["subtopologies"]) if members else 0
        self.history.note(TOPOLOGY, name, members, offset)
        self.write(name, offset)

    def leave(self, name: str, member_id: str, offset: int) -> None:
        if name in self._modern:
            self._modern[name].leave(member_id)
            self.history.end(MEMBER, f"{name}/{member_id}", offset)
            self.write(name, offset)

    def delete(self, name: str, offset: int, is_classic: bool) -> None:
        """A group's tombstone. It remains while it has committed offsets."""
        if name not in (self._classic if is_classic else self._modern):
            return
        self._drop(name, offset, set())
        if self._offsets_of[name]:
            self._be_simple(name, offset)
        else:
            self.history.end(GROUP, name, offset)

    def _be_simple(self, group: str, offset: int) -> None:
        self._simple.add(group)
        self.history.put(GROUP, group, SIMPLE, offset)

    def _drop(self, name: str, offset: int, staying: set[str]) -> None:
        """Removes a group and its members except `staying`."""
        modern = self._modern.pop(name, None)
        if modern and modern.kind == STREAMS:
            self.history.end(TOPOLOGY, name, offset)
        members = self._classic.pop(name, set()) | set(modern.members if modern else ())
        self._simple.discard(name)
        for member_id in members - staying:
            self.history.end(MEMBER, f"{name}/{member_id}", offset)


def assigned_tasks(members: dict[str, Any]) -> dict[str, Any]:
    """What a streams group's member has, with tasks as Kafka Streams names them: `0_1` is partition 1 of subtopology 0."""
    number = members["state"]
    tasks = {kind: task_names(members[kind]) for kind in TASKS}
    revoked = [name for kind in TASKS for name in task_names(members[f"{kind}PendingRevocation"])]
    return {
        "memberEpoch": members["memberEpoch"],
        "memberState": MEMBER_STATES.get(number, str(number)),
        **tasks,
        "tasksPendingRevocation": revoked,
    }


def task_names(groups: list[dict[str, Any]]) -> list[str]:
    return [f"{group['subtopologyId']}_{partition}" for group in groups for partition in group["partitions"]]
