"""The choice of partitions on each page of a report: which one is shown; all of them, or above some hundred a search by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest

from spark.tables.replica import PartitionReplica
from spark.terms.marked import UNNAMED
from spark.terms.wording import plural
from webapp.reports.queries.partitions import Survey
from webapp.reports.report import Report, ReportFinding

REPLICA_PARAMS = ("topic", "partition", "replica")
REPLICAS_SHOWN = 200


@dataclass(frozen=True)
class ReplicaChoice:
    """The first partitions whose name contains what is sought, worst first, each with its address and its worst cause; `address`
    takes the search."""

    shown: list[tuple[PartitionReplica, str, ReportFinding | None]]
    fitting: int
    all: int
    sought: str
    address: str
    counted: str  # `2 partitions, 3 replicas each`
    subject: str  # of all: their partition, or their topic

    @property
    def has_search(self) -> bool:
        """Whether there are too many for a list."""
        return self.all > REPLICAS_SHOWN


def choice_of(
    replicas: Sequence[PartitionReplica],
    report: Report,
    sought: str,
    url_of: Callable[[PartitionReplica], str],
    address: str,
) -> ReplicaChoice | None:
    """None if there is only one partition."""
    if len(replicas) < 2:
        return None
    fitting = [replica for replica in replicas if sought in replica.name] if sought else replicas
    worst = worst_causes(report, replicas)
    places = {replica: position for position, replica in enumerate(worst)}
    worst_first = sorted(fitting, key=lambda replica: places.get(replica, len(places)))
    listed = [(replica, url_of(replica), worst.get(replica)) for replica in worst_first[:REPLICAS_SHOWN]]
    words = counted(replicas, report.coverage)
    return ReplicaChoice(listed, len(fitting), len(replicas), sought, address, words, _subject(replicas))


def worst_causes(
    report: Report, replicas: Sequence[PartitionReplica]
) -> dict[PartitionReplica, ReportFinding]:
    """By partition or replica, the first cause about it, worst first. Those without a cause are not in it."""
    near: dict[tuple[str, int | None], list[PartitionReplica]] = defaultdict(list)
    for replica in replicas:
        near[replica.topic, replica.partition].append(replica)
        near[replica.topic, None].append(replica)
    worst: dict[PartitionReplica, ReportFinding] = {}
    for cause in report.causes:
        for replica in near.get((cause.topic, cause.partition), ()):
            if cause.is_about(replica):
                worst.setdefault(replica, cause)
    return worst


def _subject(replicas: Sequence[PartitionReplica]) -> str:
    """`steady-0`, `orders`, `3 topics`."""
    first, topics = replicas[0], {replica.topic for replica in replicas}
    if len(topics) > 1:
        return plural(len(topics), "topic")
    is_one = all(replica[:2] == first[:2] for replica in replicas)
    return first._replace(replica="").name if is_one else first.topic


def counted(replicas: Sequence[PartitionReplica], coverage: Mapping[str, Any]) -> str:
    """`14 replicas` of one partition, `2 partitions, 3 replicas each`; `copies` where not each is a folder of a broker."""
    copies = (coverage.get("copies_per_partition") or {}).values()
    are_logs = all(copy["is_log"] for of_partition in copies for copy in of_partition.values())
    forms = ("replica", "replicas") if are_logs else ("copy", "copies")
    of_partitions = Counter(replica[:2] for replica in replicas)
    partitions, numbers = plural(len(of_partitions), "partition"), set(of_partitions.values())
    if len(of_partitions) == 1:
        return plural(len(replicas), *forms)
    if len(numbers) > 1:
        return f"{partitions}, {plural(len(replicas), *forms)} in all"
    return partitions if numbers == {1} else f"{partitions}, {plural(numbers.pop(), *forms)} each"


def asks_for_replica(request: HttpRequest) -> bool:
    """Whether the address names a partition or a replica."""
    return any(request.GET.get(name) for name in REPLICA_PARAMS)


def choose_replica(
    request: HttpRequest, report: Report, survey: Survey, with_state: Collection[PartitionReplica] = ()
) -> PartitionReplica:
    """The partition asked for; else that of the worst finding, else the largest of which a state is known."""
    replicas = survey.replicas
    if not replicas:
        return PartitionReplica(UNNAMED, 0)
    params = {name: request.GET[name] for name in REPLICA_PARAMS if request.GET.get(name)}
    if params:
        fitting = [replica for replica in replicas if _fits(replica, params)]
        if not fitting:
            raise Http404("This inspection does not contain this partition.")
        return fitting[0]
    for cause in report.causes:
        about = [replica for replica in replicas if cause.is_about(replica)]
        if about:
            return about[0]
    return next((replica for replica in replicas if replica in with_state), replicas[0])


def _fits(replica: PartitionReplica, params: dict[str, str]) -> bool:
    return all(str(getattr(replica, name)) == value for name, value in params.items())
