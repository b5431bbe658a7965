"""What allauth does to passwords and second factors, written into the audit log."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import password_changed, password_set
from allauth.mfa.signals import (
    authentication_failed,
    authenticator_added,
    authenticator_removed,
    authenticator_reset,
)
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest

from webapp.accounts import sessions
from webapp.audit import log

FACTOR_ACTIONS = {
    authenticator_added: "factor.added",
    authenticator_removed: "factor.removed",
    authenticator_reset: "factor.renewed",  # new recovery codes
}


@receiver(user_logged_in)
def signed_in(request: HttpRequest | None, **_: Any) -> None:
    if request is not None:
        sessions.keep_end(request.session)


@receiver([password_changed, password_set])
def password(request: HttpRequest, user: Any, **_: Any) -> None:
    log.record("password.changed", request=request, actor=user, target=user)


@receiver(list(FACTOR_ACTIONS))
def factor_changed(signal: Any, request: HttpRequest, user: Any, authenticator: Any, **_: Any) -> None:
    kind = str(authenticator.type)
    log.record(FACTOR_ACTIONS[signal], request=request, actor=user, target=user, kind=kind)


@receiver(authentication_failed)
def factor_failed(request: HttpRequest, user: Any, **_: Any) -> None:
    """A wrong code after a correct password."""
    log.record("factor.failed", request=request, actor=user, target=user)
