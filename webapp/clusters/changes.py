"""Connecting, changing and removing a cluster; each is an event in the audit log, with names and never with secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from spark.terms.wording import plural
from webapp.accounts.models import Project
from webapp.audit.log import record
from webapp.clusters.captures import stop
from webapp.clusters.models import Capture, Cluster
from webapp.rejected import Rejected


@transaction.atomic
def connect(project: Project, user: Any, members: Mapping[str, Any], secrets: Mapping[str, str]) -> Cluster:
    cluster = Cluster(project=project, created_by=user, **members)
    cluster.secrets = dict(secrets)
    cluster.save(force_insert=True)
    record("cluster.connected", actor=user, project_id=project.pk, target=cluster, secrets=sorted(secrets))
    return cluster


@transaction.atomic
def change(cluster: Cluster, user: Any, members: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """`secrets` replaces all secrets. Earlier answers of the cluster are deleted."""
    changed = [name for name, value in members.items() if getattr(cluster, name) != value]
    for name in changed:
        setattr(cluster, name, members[name])
    cluster.secrets = dict(secrets)
    cluster.save()
    cluster.trials.all().delete()  # what was answered there may not hold here
    record(
        "cluster.changed",
        actor=user,
        project_id=cluster.project_id,
        target=cluster,
        changed=sorted(changed),
        secrets=sorted(secrets),
    )


@dataclass(frozen=True)
class ClusterRemoval:
    """What is deleted with a cluster, and what stays."""

    watches: int
    unfinished: int
    journals: int

    @property
    def sentence(self) -> str:
        """Text of the confirmation."""
        gone = ["its address and secrets"]
        if self.watches:
            gone.append(f"{self.watches} watch{'' if self.watches == 1 else 'es'}")
        stays = "No journal was captured from it."
        if self.journals:
            stays = f"{plural(self.journals, 'captured journal')} with all reports stay."
        stopped = f" {self.unfinished} unfinished capture(s) are ended first." if self.unfinished else ""
        return f"Removed for everybody: {' and '.join(gone)}. {stays}{stopped}"


def removal_of(cluster: Cluster) -> ClusterRemoval:
    unfinished = _unfinished(cluster).count()
    journals = cluster.captures.exclude(journal=None).count()
    return ClusterRemoval(cluster.watches.count(), unfinished, journals)


def remove(cluster: Cluster, user: Any) -> None:
    """Captures and their journals stay. Raises Rejected during a capture."""
    for capture in _unfinished(cluster):
        stop(capture, user)
    if unfinished := _unfinished(cluster).count():
        are = "captures are" if unfinished > 1 else "capture is"
        raise Rejected(f"{unfinished} {are} being ended. Remove the cluster again in a moment.", 409)
    with transaction.atomic():
        record("cluster.removed", actor=user, project_id=cluster.project_id, target=cluster)
        cluster.delete()


def _unfinished(cluster: Cluster) -> Any:
    state = Capture.State
    return cluster.captures.filter(state__in=[state.QUEUED, state.RUNNING, state.PAUSED])
