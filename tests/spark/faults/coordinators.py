"""Histories of a group coordinator: members that come and go, offsets that grow, groups deleted with all they had."""

from __future__ import annotations

import struct
from random import Random

from tests.spark.detectors.groups.coordinator_logs import commit, group, text
from tests.spark.faults.logs import Broken, Log, Parts, log_of

TOPIC = "__consumer_offsets"
NAMES = ("billing", "shipping", "audit")
VICTIM = "reports"  # a group that nobody but a fault touches after its start
PARTITIONS = range(3)


class Coordinator:
    """What it holds, and what it has written."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.log: list[Parts] = []
        self.offsets: dict[tuple[str, int], int] = {}
        self.classic: set[str] = set()
        self.join(VICTIM)
        self.commit(VICTIM, 0)

    def steps(self, count: int) -> None:
        """So many requests."""
        for _ in range(count):
            name = self.random.choice(NAMES)
            if name not in self.classic:
                self.join(name)
            elif self.random.random() < 0.08:
                self.delete(name)
            elif self.random.random() < 0.15:
                self.forget(name, self.random.choice(PARTITIONS))
            elif self.random.random() < 0.3:
                self.join(name)
            else:
                self.commit(name, self.random.choice(PARTITIONS))

    def join(self, name: str) -> None:
        """A rebalance."""
        self.classic.add(name)
        members = [f"m{number}" for number in range(self.random.randrange(3))]
        self.log.append(classic(name, members))

    def commit(self, name: str, partition: int) -> None:
        """A consumer is further than before."""
        offset = self.offsets.get((name, partition), 0) + self.random.randrange(1, 500)
        self.offsets[name, partition] = offset
        self.log.append(commit(offset, partition, group=name, epoch=0)[:2])

    def forget(self, name: str, partition: int) -> None:
        """An offset expires."""
        if self.offsets.pop((name, partition), None):
            self.log.append(commit(None, partition, group=name)[:2])

    def delete(self, name: str) -> None:
        """A group goes with its offsets."""
        for partition in PARTITIONS:
            self.forget(name, partition)
        self.log.append(group(name, deleted=True)[:2])
        self.classic.discard(name)


def classic(name: str, members: list[str]) -> Parts:
    """A classic group with these members."""
    each = b"".join(
        text(member)
        + struct.pack(">h", -1)
        + text("client")
        + text("/10.0.0.1")
        + struct.pack(">iiii", 1, 1, 0, 0)
        for member in members
    )
    head = struct.pack(">h", 3) + text("consumer") + struct.pack(">ihhqi", 1, -1, -1, 0, len(members))
    return struct.pack(">h", 2) + text(name), head + each


def legal(seed: int, steps: int = 60) -> Log:
    """A legal history."""
    coordinator = Coordinator(seed)
    coordinator.steps(steps)
    return log_of(coordinator.log, Random(seed))


def goes_back(coordinator: Coordinator) -> list[int]:
    """A consumer that lost its partition commits what it had read before."""
    coordinator.commit(VICTIM, 1)
    before = coordinator.offsets[VICTIM, 1]
    lower = coordinator.random.randrange(before)
    coordinator.log.append(commit(lower, 1, group=VICTIM, epoch=0)[:2])
    return [len(coordinator.log) - 1]


def commits_though_deleted(coordinator: Coordinator) -> list[int]:
    """A member that did not hear of the deletion."""
    coordinator.delete(VICTIM)
    coordinator.log.append(commit(7, 2, group=VICTIM)[:2])
    return [len(coordinator.log) - 1]


def cut_value(coordinator: Coordinator) -> list[int]:
    """A value that ends too early."""
    key, value, _ = commit(7, 2, group=VICTIM)
    coordinator.log.append((key, (value or b"")[:5]))
    return [len(coordinator.log) - 1]


FAULTS = {
    "offset goes back": ("offset-commit-regression", goes_back),
    "commit for a deleted group": ("commit-after-group-deleted", commits_though_deleted),
    "value cut off": ("unreadable-entry", cut_value),
}


def broken(name: str, seed: int) -> Broken:
    """A history with a fault at a random place."""
    detector, inject = FAULTS[name]
    coordinator, before = Coordinator(seed), Random(seed).randrange(60)
    coordinator.steps(before)
    offsets = inject(coordinator)
    coordinator.steps(60 - before)
    return Broken(log_of(coordinator.log, Random(seed)), frozenset(offsets), detector)
