"""The second factor: secrets are encrypted with a key made of SECRET_KEY, and some people must have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import ResolverMatch
from django.utils.deprecation import MiddlewareMixin

from webapp.accounts.roles import has_role
from webapp.accounts.sealing import seal, unseal
from webapp.accounts.security_keys import host_of

PURPOSE = "second factor"  # of what is sealed
# what somebody without a factor still needs: to add one, and to leave
OPEN_NAMES = {"healthz", "readyz", "metrics", "one-time-sign-in", "invitation"}
OPEN_PREFIXES = ("account_", "mfa_")
NEEDED = "Your role needs two-factor authentication. Turn it on under Security first."


class EncryptedSecrets(DefaultMFAAdapter):
    """Encrypts TOTP secrets, so that a copy of the database is not enough to compute codes."""

    def encrypt(self, text: str) -> str:
        return seal(text, PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """Empty if SECRET_KEY has changed, so that no code is valid."""
        return unseal(encrypted_text, PURPOSE)

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """What a security key is registered for: the host of PUBLIC_URL, whatever the request says."""
        return {"id": host_of(context.request), "name": "Journalscope"}

    def generate_authenticator_name(self, user: Any, type: Any) -> str:
        """The name that a key gets if its owner gives none."""
        return f"Key {Authenticator.objects.filter(user=user, type=type).count() + 1}"


def is_required(user: Any) -> bool:
    """Whether REQUIRE_SECOND_FACTOR applies to this user."""
    match settings.REQUIRE_SECOND_FACTOR:
        case "all":
            return True
        case "admins":
            return bool(has_role(user, "admin"))
        case "superusers":
            return bool(user.is_superuser)
    return False


class SecondFactorRequired(MiddlewareMixin):
    """Users who need a second factor and have none are sent to the page where they add one."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        is_open = _is_open(request.resolver_match)
        user = request.user
        if is_open or not user.is_authenticated or not is_required(user) or is_mfa_enabled(user):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse({"error": NEEDED}, status=403)
        if request.method != "GET":
            raise PermissionDenied(NEEDED)
        messages.info(
            request,
            "Your role needs two-factor authentication. To continue, add an authenticator app or a security key.",
        )
        return redirect("mfa_index")


def _is_open(match: ResolverMatch | None) -> bool:
    if match is None or match.namespaces == ["shared"]:
        return True
    name = match.url_name or ""
    return name in OPEN_NAMES or name.startswith(OPEN_PREFIXES)
