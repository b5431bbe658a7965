"""`notify`: the one call for whoever has something to tell. Rows in the caller's transaction, sent when it is safe.

Nothing is sent to who did not subscribe. Subject and text name findings and people; what records hold has no place here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from webapp import celery_client
from webapp.accounts.roles import has_role
from webapp.notifications.kinds import KINDS
from webapp.notifications.models import Channel, Delivery, Message, Preferences

TASK = "journalscope.notify"
MAX_KEY = 200
MAX_TEXT = 5000


def notify(
    kind: str,
    *,
    project_id: int,
    users: Iterable[Any] = (),
    subject: str,
    text: str,
    path: str,
    dedupe_key: str,
    severity: str = "info",
    about: str = "",
) -> None:
    """Tell the users (without any: every member of the project) and the project's channels, if they want to know.

    The same `dedupe_key` in the same project tells nobody twice. `about` is the same for all messages about one
    incident; services merge them.
    """
    if kind not in KINDS:
        raise ValueError(f"{kind} is not a kind of notification; see KINDS")
    now = timezone.now()
    deliveries = [*_to_people(kind, project_id, users, now), *_to_channels(kind, project_id, now)]
    if not deliveries:
        return
    line = " ".join(_clean(subject).split())[:300]
    with transaction.atomic():
        message, is_news = Message.objects.get_or_create(
            kind=kind,
            project_id=project_id,
            dedupe_key=dedupe_key[:MAX_KEY],
            defaults={
                "subject": line,
                "text": _clean(text)[:MAX_TEXT],
                "path": path[:1000],
                "severity": severity,
                "about": about,
            },
        )
        if is_news:
            queue(message, deliveries)


def queue(message: Message, deliveries: list[Delivery]) -> None:
    """Store deliveries of a message; workers are notified after the transaction commits."""
    for delivery in deliveries:
        delivery.message = message
    Delivery.objects.bulk_create(deliveries)
    transaction.on_commit(lambda: celery_client.send(TASK))


def _to_people(kind: str, project_id: int, users: Iterable[Any], now: datetime) -> list[Delivery]:
    """For each subscriber who may see the project."""
    chosen = [user.pk for user in users]
    people = get_user_model().objects.filter(is_active=True)
    if chosen:
        people = people.filter(pk__in=chosen)
    else:
        people = people.filter(Q(memberships__project=project_id) | Q(is_superuser=True)).distinct()
    wishes = Preferences.objects.filter(user__in=people).select_related("user")
    return [
        Delivery(user=wish.user, **_when(wish, now))
        for wish in wishes
        if kind in wish.kinds and has_role(wish.user, "viewer", project_id)
    ]


def _to_channels(kind: str, project_id: int, now: datetime) -> list[Delivery]:
    channels = Channel.objects.filter(project=project_id, is_active=True)
    return [Delivery(channel=channel, **_when(channel, now)) for channel in channels if kind in channel.kinds]


def _when(wish: Preferences | Channel, now: datetime) -> dict[str, Any]:
    if not wish.is_digest:
        return {"next_try_at": now}
    return {"in_digest": True, "next_try_at": next_digest(now, wish.digest_hour)}


def next_digest(now: datetime, hour: int) -> datetime:
    """The next time it is `hour` o'clock, UTC."""
    today = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def _clean(text: str) -> str:
    """Text from damaged bytes: characters that databases and mail reject are replaced."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")


def share_opened(share: Any) -> None:
    """Notify the sender and the channels of a link's first visit."""
    if share.created_by is None:
        return
    notify(
        "share_opened",
        project_id=share.project_id,
        users=[share.created_by],
        subject=f"The link to {share.journal_name} was opened",
        text=f"It was made on {share.created_at:%Y-%m-%d} and is valid until {share.expires_at:%Y-%m-%d}.",
        path=reverse("share-log", args=[share.pk]),
        dedupe_key=f"share_opened:{share.pk}",
    )
