"""How django-allauth behaves here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.internal import ratelimit
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.backend import accounts_of

APP, FAILED = "allauth.account", "login_failed"


class InvitationOnlyAdapter(DefaultAccountAdapter):
    """Accounts are created by invitations and admins, never by sign-up."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """The start page: an empty form would look like an error."""
        return reverse("journals")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Set by `webapp.proxies`; requests over a unix socket have no address."""
        return request.META.get("REMOTE_ADDR") or "127.0.0.1"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count this attempt for every account it could mean. Raises ValidationError with the time to wait."""
        keys = attempt_keys(credentials)
        counted = [ratelimit.consume(request, app=APP, action=FAILED, key=key) for key in keys]
        if not all(counted):
            raise ValidationError(
                _locked_out(max(seconds_left(request, key) for key in keys)), code="too_many_login_attempts"
            )
        self._login_failed_rl_usage = ratelimit.RateLimitUsage([usage for c in counted for usage in c.usage])


def attempt_keys(credentials: dict[str, Any]) -> list[str]:
    """Keys that failed attempts are counted under: one per matching account, or the typed text if there is none."""
    typed = str(credentials.get("email") or credentials.get("username") or "").lower()
    return [f"account {account.pk}" for account in accounts_of(credentials)] or [f"typed {typed}"]


def seconds_left(request: HttpRequest, key: str) -> float:
    """Seconds until the strictest limit allows another attempt."""
    waits = [0.0]
    for rate in ratelimit.get_rates(app=APP, action=FAILED):
        cache_key = ratelimit.get_cache_key(request, app=APP, action=FAILED, rate=rate, key=key)
        history = cache.get(cache_key, [])
        if len(history) >= rate.amount:
            waits.append(history[-1] + rate.duration - timezone.now().timestamp())
    return max(waits)


def _locked_out(seconds: float) -> str:
    minutes = max(1, -int(-seconds // 60))
    again = timezone.now() + timedelta(minutes=minutes)
    unit = "minute" if minutes == 1 else "minutes"
    return f"Too many sign-ins failed. Try again in {minutes} {unit}, at {again:%H:%M} UTC."
