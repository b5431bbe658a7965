"""Sign-ins, sign-outs and failed sign-ins. A name that was typed is kept only if it is somebody's."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models import Q
from django.dispatch import receiver
from django.http import HttpRequest

from webapp.audit import log


@receiver(user_logged_in)
def signed_in(request: HttpRequest | None, user: Any, **_: Any) -> None:
    """With a password, a one-time link or the provider."""
    log.record("session.signed-in", request=request, actor=user, target=user)


@receiver(user_logged_out)
def signed_out(request: HttpRequest | None, user: Any, **_: Any) -> None:
    """With the button; expired sessions leave no event."""
    if user is not None:
        log.record("session.signed-out", request=request, actor=user, target=user)


@receiver(user_login_failed)
def failed(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    """An unknown name is not stored: people type passwords into the wrong field."""
    typed = credentials.get("username") or credentials.get("email") or ""
    account = (
        get_user_model().objects.filter(Q(username=typed) | Q(email__iexact=typed)).first() if typed else None
    )
    log.record("session.failed", request=request, target=account, is_known=account is not None)
