"""Clusters: the list, one cluster's page, and the form that connects or changes one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.accounts.access import get_administered_project
from webapp.accounts.models import Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.clusters import changes, trials
from webapp.clusters.access import captures_for_user, clusters_for_user, get_cluster_for_user
from webapp.clusters.forms import ClusterForm
from webapp.clusters.models import Cluster, Trial
from webapp.rejected import rejection_as_message

CAPTURES_SHOWN = 10


@require_GET
def clusters(request: HttpRequest) -> HttpResponse:
    """Clusters of the user's projects with their last connection test."""
    rows = clusters_for_user(request.user).annotate(
        capture_count=Count("captures", distinct=True), last_capture_at=Max("captures__created_at")
    )
    context = {
        "rows": [(cluster, trials.newest(cluster, Trial.Kind.TRIAL)) for cluster in rows],
        "projects": projects_for_user(request.user),
        "addable": projects_for_user(request.user, "admin"),
        "section": "clusters",
        "tab": "clusters",
    }
    return render(request, "clusters/list.html", context)


@require_GET
def cluster(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """A cluster with its last test and its captures."""
    cluster = get_cluster_for_user(request.user, cluster_id)
    captured = captures_for_user(request.user).filter(cluster=cluster)
    is_admin = has_role(request.user, "admin", cluster.project_id)
    context = {
        "cluster": cluster,
        "trial": trials.newest(cluster, Trial.Kind.TRIAL),
        "captures": captured[:CAPTURES_SHOWN],
        "capture_count": captured.count(),
        "can_ask": has_role(request.user, "support", cluster.project_id),
        "can_change": is_admin,
        "removal": changes.removal_of(cluster) if is_admin else None,
        "section": "clusters",
    }
    return render(request, "clusters/cluster.html", context)


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    form = ClusterForm(project, request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = changes.connect(project, request.user, form.members, form.secrets)
        trials.request_trial(made, Trial.Kind.TRIAL, request.user)
        return redirect("cluster", made.pk)
    return _form(request, form, project)


@require_http_methods(["GET", "POST"])
def change(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """Secrets that are left empty are kept."""
    cluster = get_cluster_for_user(request.user, cluster_id, "admin")
    # the form writes into the row that it is given; what changed is told by the other
    form = ClusterForm(
        cluster.project, request.POST or None, instance=get_cluster_for_user(request.user, cluster_id)
    )
    if request.method == "POST" and form.is_valid():
        changes.change(cluster, request.user, form.members, form.secrets)
        trials.request_trial(cluster, Trial.Kind.TRIAL, request.user)
        messages.success(request, "Saved.")
        return redirect("cluster", cluster_id)
    return _form(request, form, cluster.project, cluster)


@require_POST
def remove(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """Removes the cluster and its secrets; journals stay."""
    cluster = get_cluster_for_user(request.user, cluster_id, "admin")
    with rejection_as_message(request):
        changes.remove(cluster, request.user)
        messages.success(request, f"{cluster.name} was removed.")
        return redirect("clusters")
    return redirect("cluster", cluster_id)


def _form(
    request: HttpRequest, form: ClusterForm, project: Project, cluster: Cluster | None = None
) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "project": project, "cluster": cluster, "section": "clusters"}
    return render(request, "clusters/form.html", context, status=422 if form.is_bound else 200)
