"""One's own notifications: what to be told of, and what became of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.forms import model_to_dict
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.accounts.access import require_role
from webapp.accounts.invitations import mail_is_configured
from webapp.accounts.roles import projects_for_user
from webapp.accounts.signed_in import SignedInRequest
from webapp.notifications import channels, deliveries
from webapp.notifications.access import get_delivery_for_user
from webapp.notifications.forms import SubscriptionForm
from webapp.notifications.health import health_of
from webapp.notifications.models import Delivery, Preferences


@require_GET
def own(request: SignedInRequest) -> HttpResponse:
    require_role(request.user, "viewer")
    preferences = Preferences.objects.filter(user=request.user).first() or Preferences(user=request.user)
    form = SubscriptionForm(initial=model_to_dict(preferences, fields=SubscriptionForm.base_fields))
    return render(request, "notifications/own.html", _context(request, form))


@require_POST
def save(request: SignedInRequest) -> HttpResponse:
    require_role(request.user, "viewer")
    form = SubscriptionForm(request.POST)
    if not form.is_valid():
        return render(request, "notifications/own.html", _context(request, form), status=422)
    channels.save_preferences(request.user, **form.cleaned_data)
    messages.success(request, "Saved." if form.cleaned_data["kinds"] else "Saved. You get no notifications.")
    return redirect("notifications")


@require_POST
def test(request: SignedInRequest) -> HttpResponse:
    """Send a test mail to the user."""
    require_role(request.user, "viewer")
    if not (mail_is_configured() and request.user.email):
        messages.error(request, "No mail can be sent: the page says what is missing.")
    else:
        channels.send_test(user=request.user)
        messages.success(
            request, f"A test message is queued for {request.user.email}; below you see how far it came."
        )
    return redirect("notifications")


@require_POST
def retry(request: SignedInRequest, delivery_id: UUID) -> HttpResponse:
    """Retry a delivery immediately."""
    delivery = get_delivery_for_user(request.user, delivery_id)
    if deliveries.retry(delivery):
        messages.success(request, "It is being sent again.")
    else:
        messages.info(request, "It is already queued or delivered.")
    if delivery.channel:
        return redirect("notification-channels", delivery.channel.project.slug)
    return redirect("notifications")


def _context(request: SignedInRequest, form: SubscriptionForm) -> dict[str, Any]:
    return {
        "form": form,
        "mail_is_configured": mail_is_configured(),
        "health": health_of(Delivery.objects.filter(user=request.user)),
        "administered": projects_for_user(request.user, "admin"),
        "section": "notifications",
    }
