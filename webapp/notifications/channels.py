"""Making, changing, testing and deleting channels; each is an event in the audit log. Addresses are not in it."""

from __future__ import annotations

import secrets
from typing import Any
from uuid import uuid4

from django.db import transaction

from webapp.accounts.models import Project
from webapp.audit.log import record
from webapp.notifications.events import queue
from webapp.notifications.kinds import TEST
from webapp.notifications.models import Channel, Delivery, Message, Preferences
from webapp.notifications.services import JOURNALSCOPE


@transaction.atomic
def create(
    project: Project,
    by: Any,
    *,
    what: str,
    target: str,
    service: str = JOURNALSCOPE,
    user: str = "",
    key: str = "",
    **wishes: Any,
) -> Channel:
    """A webhook gets a secret, unless its service has a key of its own."""
    wishes["is_digest"] = bool(wishes.get("is_digest")) and what == Channel.What.MAIL
    channel = Channel(project=project, created_by=by, what=what, service=service, **wishes)
    channel.set_address(target)
    if channel.is_signed:
        channel.secret = secrets.token_urlsafe(32)
    elif what == Channel.What.WEBHOOK:
        channel.secret = f"{user}:{key}" if channel.takes.has_user else key
    channel.save(force_insert=True)
    record("channel.created", actor=by, project_id=project.pk, target=channel, kinds=wishes.get("kinds", []))
    return channel


@transaction.atomic
def change(channel: Channel, by: Any, **members: Any) -> None:
    """Change its subscriptions, or switch it on or off."""
    if channel.what == Channel.What.WEBHOOK:  # a receiver is told of each by itself
        members["is_digest"] = False
    for name, value in members.items():
        setattr(channel, name, value)
    channel.save(update_fields=list(members))
    record("channel.changed", actor=by, project_id=channel.project_id, target=channel, **members)


@transaction.atomic
def renew_secret(channel: Channel, by: Any) -> str:
    """Replace the secret; the old one becomes invalid."""
    channel.secret = secrets.token_urlsafe(32)
    channel.save(update_fields=["sealed_secret"])
    record("channel.secret_renewed", actor=by, project_id=channel.project_id, target=channel)
    return channel.secret


@transaction.atomic
def delete(channel: Channel, by: Any) -> None:
    """Deletes its pending deliveries, too."""
    record("channel.deleted", actor=by, project_id=channel.project_id, target=channel)
    channel.delete()


@transaction.atomic
def save_preferences(user: Any, **wishes: Any) -> None:
    Preferences.objects.update_or_create(user=user, defaults=wishes)
    record("notifications.changed", actor=user, **wishes)


@transaction.atomic
def send_test(*, user: Any = None, channel: Channel | None = None) -> Delivery:
    """Send a test message in the same way as all others."""
    message = Message.objects.create(
        kind=TEST,
        project=channel.project if channel else None,
        subject="This is a test",
        text="If you can read this, notifications arrive here.",
        dedupe_key=str(uuid4()),
    )
    delivery = Delivery(user=None if channel else user, channel=channel)
    queue(message, [delivery])
    return delivery
