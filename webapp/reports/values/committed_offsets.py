"""Committed offsets of consumer groups beside the log they are about, where that topic is in the input: the record they
point at, and the lag by offsets and by records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark.tables.replica import PartitionReplica
from spark.terms.wording import plural
from webapp.reports.queries.lag import Lag, lags
from webapp.reports.results import Rows
from webapp.reports.values.attributes import members_of

if TYPE_CHECKING:
    from webapp.reports.page import Page

COMMIT = "offset-commit"  # entity type of the group coordinator's journal; its id is GROUP/TOPIC/PARTITION


@dataclass(frozen=True)
class CommittedOffset:
    """What a row of State shows of it. `url`: the record with which a consumer continues; empty at the end of the log."""

    lag: Lag
    url: str

    @property
    def words(self) -> str:
        """`lag 12 by offsets, 9 records to read (2 markers, 1 absent offset)`."""
        lag = self.lag
        if lag.offsets < 0:
            return f"beyond the end of the log in the input (offset {lag.end_offset})"
        if not lag.offsets:
            return "no lag"
        others = [
            plural(count, word)
            for count, word in (
                (lag.markers, "marker"),
                (lag.aborted, "aborted record"),
                (lag.absent, "absent offset"),
            )
            if count
        ]
        beside = f" ({', '.join(others)})" if others else ""
        return f"lag {lag.offsets} by offsets, {plural(lag.records, 'record')} to read{beside}"


def with_committed_offsets(page: Page, rows: Rows) -> Rows:
    """Rows of entities, those of commits with `committed` where the input has the partition that they are about."""
    targets = [target_of(page, row) for row in rows]
    by_replica: dict[PartitionReplica, set[int]] = defaultdict(set)
    for replica, offset in filter(None, targets):
        by_replica[replica].add(offset)
    lags_by_replica = {
        replica: lags(page.results.of(replica), offsets) for replica, offsets in by_replica.items()
    }
    return [
        row | {"committed": target and shown(page, target[0], lags_by_replica[target[0]].get(target[1]))}
        for row, target in zip(rows, targets, strict=True)
    ]


def target_of(page: Page, row: Mapping[str, Any]) -> tuple[PartitionReplica, int] | None:
    """The partition's copy and the offset that a commit points at; None for any other entity, and for a topic elsewhere."""
    if row["entity_type"] != COMMIT:
        return None
    _, _, partition = row["entity_id"].rpartition("/")
    topic = row["entity_id"].removesuffix(f"/{partition}").rpartition("/")[2]
    offset = members_of(row["attributes"]).get("offset")
    if not (partition.isdigit() and isinstance(offset, int)):
        return None
    copies = [
        replica
        for replica in page.survey.replicas
        if (replica.topic, replica.partition) == (topic, int(partition))
    ]
    return (copies[0], offset) if copies else None


def shown(page: Page, replica: PartitionReplica, lag: Lag | None) -> CommittedOffset | None:
    """With the address of the next record."""
    if lag is None:
        return None
    following = lag.next_record
    url = (
        ""
        if following is None
        else page.url_of_replica(replica, "report-records", record=following, offset=following)
    )
    return CommittedOffset(lag, url)
