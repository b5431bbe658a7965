"""Watches: the list, the form that starts one, and one watch with its runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from webapp.accounts.roles import has_role
from webapp.clusters import watches as changes
from webapp.clusters.access import (
    captures_for_user,
    get_cluster_for_user,
    get_watch_for_user,
    row_named,
    watches_for_user,
)
from webapp.clusters.capture_form import ScheduleForm, WatchForm, initial_of, sentence
from webapp.clusters.models import Capture, Watch
from webapp.rejected import Rejected, rejection_as_message

RUNS_SHOWN = 50


@require_GET
def watches(request: HttpRequest) -> HttpResponse:
    rows = watches_for_user(request.user).select_related("last_capture__journal")
    context = {"watches": rows, "section": "clusters", "tab": "watches"}
    return render(request, "clusters/watches.html", context)


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, cluster_id: UUID) -> HttpResponse:
    """Start a watch; `again` names a capture that provides the initial values."""
    cluster = get_cluster_for_user(request.user, cluster_id, "admin")
    form = WatchForm(request.POST or None, initial=_initial(request))
    if request.method == "POST" and form.is_valid():
        try:
            made = changes.start(cluster, form.spec, form.cleaned_data["every_minutes"], request.user)
            return redirect("watch", made.pk)
        except Rejected as refusal:
            form.add_error("topic", str(refusal))
    context = {"cluster": cluster, "form": form, "section": "clusters"}
    return render(request, "clusters/watch_new.html", context, status=422 if form.is_bound else 200)


@require_GET
def watch(request: HttpRequest, watch_id: UUID) -> HttpResponse:
    watch = get_watch_for_user(request.user, watch_id)
    runs = captures_for_user(request.user).filter(watch=watch).defer("manifest")
    newest = changes.journal_runs(watch).select_related("journal").first()
    context = {
        "watch": watch,
        "what": sentence(watch.asked),
        "form": ScheduleForm(initial={"every_minutes": watch.every_minutes, "is_on": watch.is_on}),
        "captures": runs[:RUNS_SHOWN],
        "run_count": runs.count(),
        "journal": newest.journal if newest else None,
        "unfinished": changes.unfinished_run(watch),
        "can_change": has_role(request.user, "admin", watch.cluster.project_id),
        "can_run": has_role(request.user, "support", watch.cluster.project_id),
        "most_failures": changes.MAX_FAILURES,
        "section": "clusters",
    }
    return render(request, "clusters/watch.html", context)


@require_POST
def change(request: HttpRequest, watch_id: UUID) -> HttpResponse:
    watch = get_watch_for_user(request.user, watch_id, "admin")
    form = ScheduleForm(request.POST)
    if form.is_valid():
        changes.change(watch, form.cleaned_data["every_minutes"], form.cleaned_data["is_on"], request.user)
        messages.success(request, "Saved.")
    else:
        messages.error(request, "Choose one of the schedules.")
    return redirect("watch", watch_id)


@require_POST
def remove(request: HttpRequest, watch_id: UUID) -> HttpResponse:
    watch = get_watch_for_user(request.user, watch_id, "admin")
    changes.remove(watch, request.user)
    messages.success(request, f"{watch.topic} is watched no longer.")
    return redirect("watches")


@require_POST
def run(request: HttpRequest, watch_id: UUID, action: Callable[[Watch, Any], Capture]) -> HttpResponse:
    """Run before it is due: new records only, or everything again."""
    watch = get_watch_for_user(request.user, watch_id, "support")
    with rejection_as_message(request):
        return redirect("capture", action(watch, request.user).pk)
    return redirect("watch", watch_id)


def _initial(request: HttpRequest) -> dict[str, Any]:
    """From the address: a topic, or a capture to repeat."""
    capture = row_named(captures_for_user(request.user), request.GET.get("again"))
    return initial_of(capture.asked) if capture else {"topic": request.GET.get("topic", "")[:249]}
