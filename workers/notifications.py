"""Sends what is due: after each event, and every half minute what failed before or waits for its digest."""

from __future__ import annotations

import logging

from webapp.notifications import deliveries, mail
from webapp.notifications.mail import NotDelivered
from webapp.notifications.models import Channel, Delivery
from workers import webhooks

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 500  # claims of one round; the next one goes on
DEFECT = "A defect of Journalscope broke it off; an admin finds the details in the worker's log."


def send_due() -> int:
    """One round; how many claims it worked off. Two rounds at once share the work."""
    deliveries.take_back()
    for done in range(MOST_AT_ONCE):
        claimed = deliveries.claim()
        if not claimed:
            return done
        _deliver(claimed)
    return MOST_AT_ONCE


def _deliver(claimed: list[Delivery]) -> None:
    wanted = []
    for delivery in claimed:
        if why := deliveries.why_not(delivery):
            deliveries.drop(delivery, why)
        else:
            wanted.append(delivery)
    if not wanted:
        return
    try:
        _send(wanted)
    except NotDelivered as why:
        deliveries.failed(wanted, str(why))
    except Exception:
        logger.exception("Delivery %s broke off.", wanted[0].pk)
        deliveries.failed(wanted, DEFECT)
    else:
        deliveries.sent(wanted)


def _send(wanted: list[Delivery]) -> None:
    channel = wanted[0].channel
    if channel is not None and channel.what == Channel.What.WEBHOOK:
        webhooks.send(wanted[0])
    else:
        mail.send(wanted)
