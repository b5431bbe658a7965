"""The choice of partitions on each page of a report: all of them, or above some hundred a search by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webapp.reports.results import PartitionReplica

REPLICAS_SHOWN = 200


@dataclass(frozen=True)
class ReplicaChoice:
    """The first partitions whose name contains what is sought, each with its address; `address` takes the search."""

    shown: list[tuple[PartitionReplica, str]]
    fitting: int
    all: int
    sought: str
    address: str

    @property
    def has_search(self) -> bool:
        """Whether they are too many for one list."""
        return self.all > REPLICAS_SHOWN


def choice_of(
    replicas: Sequence[PartitionReplica], sought: str, url_of: Callable[[PartitionReplica], str], address: str
) -> ReplicaChoice | None:
    """None where there is nothing to choose."""
    if len(replicas) < 2:
        return None
    fitting = [replica for replica in replicas if sought in replica.name] if sought else replicas
    shown = [(replica, url_of(replica)) for replica in fitting[:REPLICAS_SHOWN]]
    return ReplicaChoice(shown, len(fitting), len(replicas), sought, address)
