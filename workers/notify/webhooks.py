"""One POST to a webhook, in the form of its service, through `workers.net`, without patience. What answered is told
to superusers only.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings

from webapp.networks.errors import NetError
from webapp.notifications.mail import NOT_DELIVERED, NotDelivered, link
from webapp.notifications.models import Delivery
from webapp.notifications.payloads import SENDER, Notice
from webapp.notifications.webhook_url import InvalidWebhookUrl, check, networks, require_https
from workers.net.http import Target, locate
from workers.net.http import send as send_to

TIMEOUT_SECONDS, TOTAL_SECONDS = 10.0, 15.0
RENEW = "The webhook's secret cannot be read: SECRET_KEY has changed since it was made. Make a new secret."
ADD_AGAIN = (
    "The webhook's address or key cannot be read: SECRET_KEY has changed since they were saved. "
    "Delete the webhook and add it again."
)
NO_REDIRECTS = "Webhooks do not follow redirects. Enter the final address."


def send(delivery: Delivery) -> None:
    """Raises NotDelivered."""
    channel = delivery.channel
    assert channel is not None, "mails go another way"
    if not channel.is_readable:
        raise NotDelivered(RENEW if channel.is_signed else ADD_AGAIN)
    notice = notice_of(delivery)
    headers, body = channel.takes.post(notice if channel.is_signed else notice.made_visible(), channel.secret)
    status = _post(target_of(channel.address), body, headers)
    if 300 <= status < 400:
        raise NotDelivered(NOT_DELIVERED, f"The receiver answered {status}, a redirect. {NO_REDIRECTS}")
    if not 200 <= status < 300:
        raise NotDelivered(NOT_DELIVERED, f"The receiver answered {status}.")


def notice_of(delivery: Delivery) -> Notice:
    """What the service is told."""
    message = delivery.message
    return Notice(
        id=str(delivery.pk),
        kind=message.kind,
        project=message.project.slug if message.project else "",
        subject=message.subject,
        text=message.text,
        url=link(message.path) if message.path else "",
        at=message.created_at,
        severity=message.severity,
        about=message.about or f"message:{message.pk}",
        source=urlsplit(settings.PUBLIC_URL).hostname or SENDER,
    )


def target_of(url: str) -> Target:
    """Where the address leads now. Raises NotDelivered."""
    try:
        check(url)
        target = locate(url, networks())
        require_https(url, target.addresses)
    except (InvalidWebhookUrl, NetError) as why:
        raise NotDelivered(NOT_DELIVERED, str(why)) from why
    return target


def _post(target: Target, body: bytes, headers: dict[str, str]) -> int:
    """Returns the status code."""
    try:
        return send_to(
            "POST", target, headers=headers, body=body, reads_body=False,
            timeout_seconds=TIMEOUT_SECONDS, total_seconds=TOTAL_SECONDS,
        ).status  # fmt: skip
    except NetError as why:
        raise NotDelivered(NOT_DELIVERED, str(why)) from why
