"""Deliveries from waiting to sent: claimed by one worker, tried again with growing pauses, given up after a day.

A claim is one UPDATE, so two workers never send the same delivery. One whose worker died is taken back; it may then
arrive twice, under the same id.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from webapp import celery_client
from webapp.accounts.roles import has_role
from webapp.notifications.events import TASK
from webapp.notifications.models import Delivery, Message

MAX_TRIES = 8
FIRST_PAUSE = timedelta(minutes=1)
PAUSES_GROW = 3  # 1, 3, 9, 27, 81, 243, 729 minutes: eight tries within 18 hours and 13 minutes
LOST_AFTER = timedelta(minutes=5)  # a worker that sends for longer is gone
IN_ONE_DIGEST = 100
MESSAGES_KEPT = timedelta(days=90)
State = Delivery.State


def claim() -> list[Delivery]:
    """The next due delivery with all others of the same digest; empty if there is none."""
    now = timezone.now()
    due = Delivery.objects.filter(state=State.WAITING, next_try_at__lte=now).order_by("next_try_at", "pk")
    while (first := due.first()) is not None:
        claimable = due.filter(pk__in=_together(first, due))
        token = uuid.uuid4()
        if claimable.update(state=State.SENDING, claim=token, claimed_at=now, tries=F("tries") + 1):
            claimed = Delivery.objects.filter(claim=token).order_by("created_at", "pk")
            return list(claimed.select_related("message__project", "user", "channel__project"))
    return []


def _together(first: Delivery, due: QuerySet[Delivery]) -> list[uuid.UUID]:
    if not first.in_digest:
        return [first.pk]
    same = due.filter(in_digest=True, user=first.user_id, channel=first.channel_id)
    return list(same.values_list("pk", flat=True)[:IN_ONE_DIGEST])


def why_not(delivery: Delivery) -> str:
    """Why it must not be sent any more; empty if it may be."""
    if delivery.channel is not None:
        return "" if delivery.channel.is_active else "The channel is switched off."
    if delivery.user is None or not delivery.user.is_active:
        return "The account is closed."
    project_id = delivery.message.project_id
    if project_id is not None and not has_role(delivery.user, "viewer", project_id):
        return "The recipient is no longer a member of the project."
    return "" if delivery.user.email else "The account has no mail address."


def sent(deliveries: Sequence[Delivery]) -> None:
    _mine(deliveries).update(state=State.SENT, sent_at=timezone.now(), last_error="", detail="", claim=None)


def drop(delivery: Delivery, why: str) -> None:
    """Mark a delivery as not to be sent."""
    _mine([delivery]).update(state=State.DROPPED, last_error=why, detail="", claim=None)


def failed(deliveries: Sequence[Delivery], why: str, detail: str = "") -> None:
    """Retry later or give up; `detail` is for superusers."""
    for delivery in deliveries:
        _mine([delivery]).update(last_error=why, detail=detail, claim=None, **_next(delivery.tries))


def take_back() -> int:
    """Requeue deliveries whose worker is gone and delete messages without deliveries."""
    lost = Delivery.objects.filter(state=State.SENDING, claimed_at__lt=timezone.now() - LOST_AFTER)
    deliveries = list(lost)
    failed(deliveries, "The worker stopped while it was sending this.")
    Message.objects.filter(created_at__lt=timezone.now() - MESSAGES_KEPT).delete()
    return len(deliveries)


def retry(delivery: Delivery) -> bool:
    """Retry now, also after it was given up; False while it is being sent or after it arrived."""
    with transaction.atomic():
        waiting = Delivery.objects.filter(pk=delivery.pk, state__in=[State.WAITING, State.FAILED])
        tries = 0 if delivery.state == State.FAILED else delivery.tries
        done = waiting.update(state=State.WAITING, next_try_at=timezone.now(), tries=tries, in_digest=False)
        transaction.on_commit(lambda: celery_client.send(TASK))
    return bool(done)


def _next(tries: int) -> dict[str, str | datetime]:
    if tries >= MAX_TRIES:
        return {"state": State.FAILED}
    pause = FIRST_PAUSE * PAUSES_GROW ** (tries - 1)
    return {"state": State.WAITING, "next_try_at": timezone.now() + pause}


def _mine(deliveries: Sequence[Delivery]) -> QuerySet[Delivery]:
    """Deliveries that this claim still holds."""
    claims = {delivery.claim for delivery in deliveries}
    return Delivery.objects.filter(
        pk__in=[delivery.pk for delivery in deliveries], claim__in=claims, state=State.SENDING
    )
