"""Where a project sends what happens in it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.access import get_administered_project
from webapp.accounts.invitations import mail_is_configured
from webapp.accounts.models import Project
from webapp.notifications import channels as changes
from webapp.notifications.access import get_channel_for_admin
from webapp.notifications.forms import ChannelSubscriptionForm, NewChannelForm
from webapp.notifications.health import health_of
from webapp.notifications.kinds import OF_PROJECTS
from webapp.notifications.models import Delivery
from webapp.notifications.services import SERVICES

SECRET = "new_webhook_secret"  # noqa: S105 in the session until the page has shown it


@require_GET
def channels(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    return render(request, "notifications/channels.html", _context(request, project, NewChannelForm()))


@require_POST
def add(request: HttpRequest, slug: str) -> HttpResponse:
    project = get_administered_project(request.user, slug)
    form = NewChannelForm(request.POST)
    if not form.is_valid():
        return render(request, "notifications/channels.html", _context(request, project, form), status=422)
    made = changes.create(project, request.user, **form.cleaned_data)
    if made.is_signed:
        request.session[SECRET] = made.secret
    if form.caution:
        messages.warning(request, form.caution)
    messages.success(request, "Added. Send a test to see whether it arrives.")
    return redirect("notification-channels", slug)


@require_POST
def save(request: HttpRequest, slug: str, channel_id: UUID) -> HttpResponse:
    channel = get_channel_for_admin(request.user, slug, channel_id)
    form = ChannelSubscriptionForm(request.POST)
    if form.is_valid():
        wishes = form.cleaned_data | {"is_active": request.POST.get("is_active") == "1"}
        changes.change(channel, request.user, **wishes)
        messages.success(request, "Saved.")
    else:
        messages.error(request, "Not saved: choose from what the page offers.")
    return redirect("notification-channels", slug)


@require_POST
def test(request: HttpRequest, slug: str, channel_id: UUID) -> HttpResponse:
    channel = get_channel_for_admin(request.user, slug, channel_id)
    changes.send_test(channel=channel)
    messages.success(request, "A test message is queued. Its state is shown below.")
    return redirect("notification-channels", slug)


@require_POST
def secret(request: HttpRequest, slug: str, channel_id: UUID) -> HttpResponse:
    """Replace the secret of a webhook that is signed."""
    channel = get_channel_for_admin(request.user, slug, channel_id)
    if channel.is_signed:
        request.session[SECRET] = changes.renew_secret(channel, request.user)
    return redirect("notification-channels", slug)


@require_POST
def delete(request: HttpRequest, slug: str, channel_id: UUID) -> HttpResponse:
    changes.delete(get_channel_for_admin(request.user, slug, channel_id), request.user)
    messages.success(request, "Deleted, together with its queued notifications.")
    return redirect("notification-channels", slug)


def _context(request: HttpRequest, project: Project, form: NewChannelForm) -> dict[str, Any]:
    deliveries = Delivery.objects.filter(channel__project=project)
    every = list(project.channels.select_related("created_by"))
    return {
        "project": project,
        "form": form,
        "channels": [(channel, health_of(deliveries.filter(channel=channel))) for channel in every],
        "health": health_of(deliveries),
        "kinds": OF_PROJECTS,
        "services": SERVICES,
        "mail_is_configured": mail_is_configured(),
        "new_secret": request.session.pop(SECRET, None),
        "section": "notifications",
    }
