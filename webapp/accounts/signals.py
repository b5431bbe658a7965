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
from django.dispatch import receiver
from django.http import HttpRequest

from webapp.audit import log


@receiver([password_changed, password_set])
def password(request: HttpRequest, user: Any, **_: Any) -> None:
    """By its owner."""
    log.record("password.changed", request=request, actor=user, target=user)


@receiver(authenticator_added)
def factor_added(request: HttpRequest, user: Any, authenticator: Any, **_: Any) -> None:
    """An app, or recovery codes."""
    log.record("factor.added", request=request, actor=user, target=user, kind=str(authenticator.type))


@receiver(authenticator_removed)
def factor_removed(request: HttpRequest, user: Any, authenticator: Any, **_: Any) -> None:
    """The same."""
    log.record("factor.removed", request=request, actor=user, target=user, kind=str(authenticator.type))


@receiver(authenticator_reset)
def factor_renewed(request: HttpRequest, user: Any, authenticator: Any, **_: Any) -> None:
    """New recovery codes."""
    log.record("factor.renewed", request=request, actor=user, target=user, kind=str(authenticator.type))


@receiver(authentication_failed)
def factor_failed(request: HttpRequest, user: Any, **_: Any) -> None:
    """A wrong code after a right password."""
    log.record("factor.failed", request=request, actor=user, target=user)
