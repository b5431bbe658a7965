"""Whose journal a topic holds, as the dialect tells from the first entries of its first partition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spark.dialects import Dialect, dialects
from spark.stages._entries import first_entries
from spark.stages.plan import InspectionPlan
from spark.tables import Manifest
from spark.tables.replica import PartitionReplica


@dataclass(frozen=True)
class Origin:
    """A journal's dialect; where its entries show it, the version family of the service that wrote it and the profile that it belongs to."""

    dialect: Dialect
    family: str | None = None
    owner: str = ""


def origins_of(
    replicas: Iterable[PartitionReplica], plan: InspectionPlan, manifest: Manifest
) -> dict[str, Origin]:
    """By topic, from its first partition."""
    first = {replica.topic: replica for replica in sorted(replicas, reverse=True)}
    return {
        topic: origin_of(dialects()[plan.dialect_of(topic)[0]], replica, manifest)
        for topic, replica in sorted(first.items())
    }


def origin_of(dialect: Dialect, replica: PartitionReplica, manifest: Manifest) -> Origin:
    """As the first entries of a partition replica show it."""
    family, owner = dialect.family, dialect.owner
    if not (family or owner) or not manifest.rows.get("entries"):
        return Origin(dialect)
    entries = first_entries(replica, manifest)
    return Origin(dialect, family(entries) if family else None, owner(entries) if owner else "")
