"""A group coordinator's groups in memory, and the state that it would report.

A group of the consumer protocol (KIP-848) is Empty without members, Assigning while its assignment is older than the
group, Reconciling until every member has reached the assignment, then Stable. A classic group is loaded as Stable or
Empty; a group of which there are only offsets is an empty classic one. Source: Kafka `GroupMetadataManager`,
`ConsumerGroup.maybeUpdateGroupState`, `ShareGroup` (4.1).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from spark.codecs.kafka_topics.consumer_offsets import CONSUMER, SHARE
from spark.dialects._history import History

GROUP, MEMBER = "group", "group-member"
STABLE_MEMBER = 0  # MemberState.STABLE
TYPES = {CONSUMER: "consumer", SHARE: "share"}
SIMPLE = {"state": "Empty", "type": "classic", "isSimple": True, "members": 0}


@dataclass
class Group:
    """A group of a newer protocol. `arrived`: stable members by the epoch that they reached."""

    kind: str
    epoch: int = 0
    target_epoch: int = 0
    members: dict[str, int | None] = field(default_factory=dict)
    arrived: Counter[int] = field(default_factory=Counter)

    def state(self) -> str | None:
        """The state's name; None for streams groups, whose assignments are not read."""
        if not self.members:
            return "Empty"
        if self.kind == SHARE:
            return "Stable"
        if self.kind != CONSUMER:
            return None
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
        return {
            "state": self.state(),
            "type": TYPES.get(self.kind, "streams"),
            "epoch": self.epoch,
            "assignmentEpoch": self.target_epoch,
            "members": len(self.members),
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
        group = self.modern(name, kind)
        if member_id not in group.members:
            group.reach(member_id, None)
        self.history.put(MEMBER, f"{name}/{member_id}", members, offset)
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
        members = self._classic.pop(name, set()) | set(modern.members if modern else ())
        self._simple.discard(name)
        for member_id in members - staying:
            self.history.end(MEMBER, f"{name}/{member_id}", offset)
