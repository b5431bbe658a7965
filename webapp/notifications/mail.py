"""Messages as mail: one, or a digest of several."""

from __future__ import annotations

from collections.abc import Sequence
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse

from spark.terms.visible import one_line, visible
from webapp.accounts.invitations import mail_is_configured
from webapp.notifications.models import Delivery, Message

NOT_DELIVERED = "Not delivered. Superusers see the reason."


class NotDelivered(Exception):
    """It did not arrive and is tried again. `sentence` is for everybody who sees the delivery, `detail` for superusers:
    what answers where would tell others about a network that they cannot reach.
    """

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(detail or sentence)
        self.sentence, self.detail = sentence, detail


def send(deliveries: Sequence[Delivery]) -> None:
    """One mail for deliveries to the same recipient. Raises NotDelivered."""
    if not mail_is_configured():
        raise NotDelivered("Mail is not configured on this server (EMAIL_URL).")
    first = deliveries[0]
    to = first.channel.addresses if first.channel else [first.user.email if first.user else ""]
    messages = [delivery.message for delivery in deliveries]
    headers = {
        "Auto-Submitted": "auto-generated",
        "Journalscope-Delivery": str(first.pk),
        "Message-ID": f"<{first.pk}@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>",
    }
    mail = EmailMessage(subject_of(messages), body_of(messages, first), to=to, headers=headers)
    try:
        mail.send()
    except (SMTPException, OSError) as problem:
        raise NotDelivered(
            "The mail server rejected the message. Superusers see the reason.",
            str(problem)[:300] or type(problem).__name__,
        ) from problem


def subject_of(messages: Sequence[Message]) -> str:
    if len(messages) == 1:
        return one_line(f"Journalscope: {messages[0].subject}")
    return f"Journalscope: {len(messages)} notifications"


def body_of(messages: Sequence[Message], delivery: Delivery) -> str:
    """Each message with its link, then how to unsubscribe."""
    parts = [_told(message) for message in messages]
    channel = delivery.channel
    page = (
        reverse("notification-channels", args=[channel.project.slug]) if channel else reverse("notifications")
    )
    whose = f"the project {channel.project}" if channel else "you"
    return "\n\n".join([*parts, f"-- \nSent because {whose} asked for it: {link(page)}"]) + "\n"


def link(path: str) -> str:
    """URL below PUBLIC_URL; the path alone if that is not set."""
    return f"{settings.PUBLIC_URL}{path}"


def _told(message: Message) -> str:
    project = f"{message.project}: " if message.project else ""
    lines = [
        one_line(f"{project}{message.subject}"),
        message.text,
        link(message.path) if message.path else "",
    ]
    return visible("\n".join(line for line in lines if line))
