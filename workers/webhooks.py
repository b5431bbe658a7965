"""One POST to a webhook: signed, to the address that was checked, without redirects and without patience.

Journalscope-Signature: t=<seconds since 1970>,v1=<hex of HMAC-SHA256(secret, "<t>.<body>")>
Journalscope-Delivery: <id, the same for every try>      Journalscope-Event: <kind>
"""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
import time
from typing import Any

import urllib3

from webapp.notifications.addresses import Forbidden, Target, resolve
from webapp.notifications.mail import NotDelivered, link
from webapp.notifications.models import Delivery

CONNECT_SECONDS, READ_SECONDS = 5, 10


def send(delivery: Delivery) -> None:
    """Post it. Raises NotDelivered."""
    secret = delivery.channel.secret
    if not secret:
        raise NotDelivered(
            "The webhook's secret cannot be read: SECRET_KEY is another one than when it was made. Make a new secret."
        )
    body = json.dumps(document(delivery), ensure_ascii=False).encode()
    try:
        target = resolve(delivery.channel.target)
    except Forbidden as why:
        raise NotDelivered(str(why)) from why
    headers = {
        "Content-Type": "application/json",
        "Host": _host(target),
        "User-Agent": "Journalscope",
        "Journalscope-Delivery": str(delivery.pk),
        "Journalscope-Event": delivery.message.kind,
        "Journalscope-Signature": signature(secret, body, int(time.time())),
    }
    status = _post(target, body, headers)
    if 300 <= status < 400:
        raise NotDelivered(
            f"The receiver answered {status}, a redirect; webhooks follow none. Enter the final address."
        )
    if not 200 <= status < 300:
        raise NotDelivered(f"The receiver answered {status}.")


def document(delivery: Delivery) -> dict[str, Any]:
    """What is told: docs/notifications.md."""
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
    """The header's value."""
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={digest}"


def _post(target: Target, body: bytes, headers: dict[str, str]) -> int:
    """The status. The connection goes to the checked address, whatever the name says by now."""
    timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
    plain: dict[str, Any] = {"host": target.ip, "port": target.port, "timeout": timeout, "retries": False}
    pool = (
        urllib3.HTTPSConnectionPool(
            **plain,
            ssl_context=ssl.create_default_context(),
            server_hostname=target.host,
            assert_hostname=target.host,
        )
        if target.scheme == "https"
        else urllib3.HTTPConnectionPool(**plain)
    )
    try:
        answer = pool.urlopen(
            "POST", target.path, body=body, headers=headers, redirect=False, preload_content=False
        )
        answer.close()
        return int(answer.status)
    except urllib3.exceptions.NewConnectionError as problem:
        raise NotDelivered("The receiver cannot be reached: nobody takes the connection.") from problem
    except urllib3.exceptions.TimeoutError as late:
        raise NotDelivered("The receiver did not answer in time.") from late
    except urllib3.exceptions.SSLError as problem:
        raise NotDelivered("The receiver's certificate is not valid for its name.") from problem
    except (urllib3.exceptions.HTTPError, OSError) as problem:
        raise NotDelivered(f"The receiver cannot be reached ({type(problem).__name__}).") from problem
    finally:
        pool.close()


def _host(target: Target) -> str:
    name = f"[{target.host}]" if ":" in target.host else target.host
    usual = {"http": 80, "https": 443}[target.scheme]
    return name if target.port == usual else f"{name}:{target.port}"
