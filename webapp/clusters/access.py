"""Who may see and change which clusters and captures: every view asks here and nowhere else. What one may not see is 404.

Viewers see a project's clusters and captures; support asks a cluster and captures; admins connect, change and remove.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from webapp.accounts.access import require_role
from webapp.accounts.roles import projects_for_user
from webapp.clusters.models import Capture, Cluster, Trial, Watch


def clusters_for_user(user: Any) -> QuerySet[Cluster]:
    """Clusters of the user's projects."""
    return Cluster.objects.filter(project__in=projects_for_user(user)).select_related("project")


def get_cluster_for_user(user: Any, cluster_id: UUID | str, role: str = "viewer") -> Cluster:
    """404 outside the user's projects, 403 without `role`."""
    cluster = get_object_or_404(clusters_for_user(user), pk=cluster_id)
    require_role(user, role, cluster.project_id)
    return cluster


def get_trial_for_user(user: Any, trial_id: UUID | str, role: str = "viewer") -> Trial:
    """A trial of a cluster of the user's projects, or 404; 403 without `role`."""
    visible = Trial.objects.filter(cluster__in=clusters_for_user(user))
    trial = get_object_or_404(visible.select_related("cluster__project", "requested_by"), pk=trial_id)
    require_role(user, role, trial.cluster.project_id)
    return trial


def captures_for_user(user: Any) -> QuerySet[Capture]:
    """Captures of the user's projects."""
    captures = Capture.objects.filter(project__in=projects_for_user(user))
    return captures.select_related("project", "cluster", "journal", "requested_by")


def get_capture_for_user(user: Any, capture_id: UUID | str, role: str = "viewer") -> Capture:
    """404 outside the user's projects, 403 without `role`."""
    capture = get_object_or_404(captures_for_user(user), pk=capture_id)
    require_role(user, role, capture.project_id)
    return capture


def watches_for_user(user: Any) -> QuerySet[Watch]:
    """Watches of the user's projects."""
    return Watch.objects.filter(cluster__in=clusters_for_user(user)).select_related(
        "cluster__project", "created_by"
    )


def get_watch_for_user(user: Any, watch_id: UUID | str, role: str = "viewer") -> Watch:
    """404 outside the user's projects, 403 without `role`."""
    watch = get_object_or_404(watches_for_user(user), pk=watch_id)
    require_role(user, role, watch.cluster.project_id)
    return watch


def row_named(rows: QuerySet[Any], text: str | None) -> Any:
    """The row with this id; None for an invalid or missing id."""
    try:
        return rows.filter(pk=UUID(text)).first() if text else None
    except ValueError:
        return None
