"""Making a share, revoking it, and what becomes of it when its inspection is deleted."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models.signals import pre_delete
from django.dispatch import receiver
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.sealing import token_hash
from webapp.audit.log import record
from webapp.jobs import lifecycle
from webapp.journals import deletion
from webapp.journals.models import Inspection
from webapp.sharing.models import Share

TOKEN_BYTES = 32
SALT_BYTES = 32


@dataclass(frozen=True)
class Terms:
    """Who may open a share, for how long; `options` say what it hides."""

    expires_at: datetime
    options: dict[str, Any]
    password: str = ""
    max_views: int | None = None
    audience: str = Share.Audience.LINK
    scope: dict[str, Any] = field(default_factory=lambda: {"what": "report"})


@transaction.atomic
def create_share(inspection: Inspection, user: Any, terms: Terms) -> tuple[Share, str]:
    """A new share, sent to the workers, and its token: it stands nowhere but in the link."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    share = Share.objects.create(
        project_id=inspection.journal.project_id,
        inspection=inspection,
        journal_name=inspection.journal.name,
        created_by=user,
        token_sha256=token_hash(token),
        scope=terms.scope,
        options=terms.options,
        salt=secrets.token_bytes(SALT_BYTES),
        expires_at=terms.expires_at,
        password=make_password(terms.password) if terms.password else "",
        max_views=terms.max_views,
        audience=terms.audience,
    )
    switches = {name: terms.options[name] for name in ("payloads", "keys", "headers", "names")}
    record(
        "share.created",
        actor=user,
        project_id=share.project_id,
        target=share,
        inspection=str(inspection.pk),
        what=terms.scope["what"],
        audience=terms.audience,
        shown=switches,
        expires_at=terms.expires_at.isoformat(),
    )
    lifecycle.send(share)
    return share, token


def link_of(request: HttpRequest | None, token: str) -> str:
    """The address to give away: on PUBLIC_URL, or on the host that was asked."""
    path = reverse("shared:report-overview", args=[token])
    if settings.PUBLIC_URL or request is None:
        return f"{settings.PUBLIC_URL}{path}"
    return request.build_absolute_uri(path)


@transaction.atomic
def revoke(share: Share, user: Any) -> None:
    """From now on nobody opens it, and what it held is deleted."""
    if not Share.objects.filter(pk=share.pk, revoked_at=None).update(revoked_at=timezone.now()):
        return
    record("share.revoked", actor=user, project_id=share.project_id, target=share)
    transaction.on_commit(lambda: remove_tables(share))


@receiver(pre_delete, sender=Inspection)
def close_with(instance: Inspection, **_: Any) -> None:
    """Whoever deletes an inspection, its shares go with it. Their rows stay, so that a link can say so."""
    for share in Share.objects.filter(inspection=instance):
        Share.objects.filter(pk=share.pk, source_deleted_at=None).update(source_deleted_at=timezone.now())
        transaction.on_commit(partial(remove_tables, share))


def remove_tables(share: Share) -> None:
    """Delete the share's tables, complete or not."""
    deletion.remove_results(share)
