"""Sends what is due: after each event, and every half minute what failed before or waits for its digest."""

from __future__ import annotations

import logging
import time

from webapp.notifications import deliveries, mail
from webapp.notifications.mail import NotDelivered
from webapp.notifications.models import Channel, Delivery
from workers.notify import webhooks

logger = logging.getLogger(__name__)

ROUND_SECONDS = 20  # receivers that are slow must not keep a thread from inspections; the next round goes on
DEFECT = "It failed because of a bug in Journalscope. Ask an admin to check the worker's log."


def send_due() -> int:
    """One round; how many claims it worked off. Two rounds at once share the work."""
    deliveries.take_back()
    begun, done = time.monotonic(), 0
    while time.monotonic() - begun < ROUND_SECONDS and (claimed := deliveries.claim()):
        _deliver(claimed)
        done += 1
    return done


def _deliver(claimed: list[Delivery]) -> None:
    due = []
    for delivery in claimed:
        if why := deliveries.why_not(delivery):
            deliveries.drop(delivery, why)
        else:
            due.append(delivery)
    if not due:
        return
    try:
        _send(due)
    except NotDelivered as why:
        deliveries.failed(due, why.sentence, why.detail)
    except Exception:
        logger.exception("Delivery %s failed.", due[0].pk)
        deliveries.failed(due, DEFECT)
    else:
        deliveries.sent(due)


def _send(due: list[Delivery]) -> None:
    channel = due[0].channel
    if channel is not None and channel.what == Channel.What.WEBHOOK:
        webhooks.send(due[0])
    else:
        mail.send(due)
