"""One POST to a webhook: signed, through `workers.net`, without patience. What answered is told to superusers only.

Journalscope-Signature: t=<seconds since 1970>,v1=<hex of HMAC-SHA256(secret, "<t>.<body>")>
Journalscope-Delivery: <id, the same for every try>      Journalscope-Event: <kind>
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

from webapp.networks.errors import NetError
from webapp.notifications.mail import NOT_DELIVERED, NotDelivered, link
from webapp.notifications.models import Delivery
from webapp.notifications.webhook_url import InvalidWebhookUrl, check, networks, require_https
from workers.net.http import Target, locate
from workers.net.http import send as send_to

TIMEOUT_SECONDS, TOTAL_SECONDS = 10.0, 15.0
NO_REDIRECTS = "Webhooks do not follow redirects. Enter the final address."


def send(delivery: Delivery) -> None:
    """Raises NotDelivered."""
    channel = delivery.channel
    assert channel is not None, "mails go another way"
    secret = channel.secret
    if not secret:
        raise NotDelivered(
            "The webhook's secret cannot be read: SECRET_KEY has changed since it was made. Make a new secret."
        )
    body = json.dumps(document(delivery), ensure_ascii=False).encode()
    headers = {
        "Content-Type": "application/json",
        "Journalscope-Delivery": str(delivery.pk),
        "Journalscope-Event": delivery.message.kind,
        "Journalscope-Signature": signature(secret, body, int(time.time())),
    }
    status = _post(target_of(channel.target), body, headers)
    if 300 <= status < 400:
        raise NotDelivered(NOT_DELIVERED, f"The receiver answered {status}, a redirect. {NO_REDIRECTS}")
    if not 200 <= status < 300:
        raise NotDelivered(NOT_DELIVERED, f"The receiver answered {status}.")


def document(delivery: Delivery) -> dict[str, Any]:
    """JSON of docs/notifications.md."""
    message = delivery.message
    return {
        "id": str(delivery.pk),
        "kind": message.kind,
        "project": message.project.slug if message.project else None,
        "subject": message.subject,
        "text": message.text,
        "url": link(message.path) if message.path else None,
        "at": message.created_at.isoformat(),
    }


def signature(secret: str, body: bytes, seconds: int) -> str:
    """Value of the signature header."""
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


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
