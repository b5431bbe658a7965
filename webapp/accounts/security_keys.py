"""Security keys and passkeys as a second factor (WebAuthn): django-allauth's forms, stricter and in the words of the house.

A browser signs its origin. fido2 accepts every HTTPS origin at or below the host; here it must be the site's own.
"""

from __future__ import annotations

import struct
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.webauthn import forms as allauth
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from webapp import tracing
from webapp.audit import log

MAX_NAME = 100
REFUSED = "This security key was not accepted. Try again, or use another way."
# what parsers of JSON, base64, CBOR and COSE raise for bytes that no browser sends
NOT_A_CREDENTIAL = (
    ValueError, TypeError, LookupError, AttributeError, AssertionError, NotImplementedError, OverflowError,
    RecursionError, struct.error,
)  # fmt: skip


def host_of(request: HttpRequest) -> str:
    """Host name that keys are bound to. Browsers use none at an IP address, so that of this machine is `localhost`."""
    host = urlsplit(origin_of(request)).hostname or ""
    return "localhost" if host in {"127.0.0.1", "::1"} else host


def origin_of(request: HttpRequest) -> str:
    """Scheme, host and port as browsers write them, of PUBLIC_URL or of this request."""
    address = urlsplit(settings.PUBLIC_URL or request.build_absolute_uri("/"))
    usual_port = {"http": ":80", "https": ":443"}[address.scheme]
    return f"{address.scheme}://{address.netloc.lower().removesuffix(usual_port)}"


def _require_own_origin(parsed: RegistrationResponse | AuthenticationResponse) -> None:
    """Raises ValidationError for a credential that another site asked for."""
    request, signed = tracing.current_request(), parsed.response.client_data
    if request is None or signed.origin != origin_of(request) or signed.cross_origin:
        raise ValidationError(REFUSED)


class CredentialField(forms.JSONField):
    """Hidden; filled in by the browser's script."""

    widget = forms.HiddenInput

    def to_python(self, value: Any) -> Any:
        """Raises ValidationError also for JSON that nests too deeply, or with a number of thousands of digits."""
        try:
            return super().to_python(value)
        except (RecursionError, ValueError) as problem:
            raise ValidationError(REFUSED) from problem


class AddKeyForm(allauth.AddWebAuthnForm):
    """A new key and its name."""

    name = forms.CharField(label="Name", max_length=MAX_NAME, required=False)
    credential = CredentialField()

    def clean(self) -> Any:
        """Keeps nothing of the credential that it is not read for. Raises ValidationError, whatever was sent."""
        credential = self.cleaned_data.get("credential")
        if not credential:
            return self.cleaned_data
        try:
            parsed = RegistrationResponse.from_dict(credential)
            _require_own_origin(parsed)
            is_resident = (parsed.client_extension_results.get("credProps") or {}).get("rk")
            results = {"credProps": {"rk": is_resident}} if isinstance(is_resident, bool) else {}
            self.cleaned_data["credential"] = {**parsed, "clientExtensionResults": results}
            return super().clean()
        except (ValidationError, *NOT_A_CREDENTIAL) as problem:
            raise ValidationError(REFUSED) from problem


class RenameKeyForm(allauth.EditWebAuthnForm):
    name = forms.CharField(label="Name", max_length=MAX_NAME)


class KeyAnswer:
    """What a key answers when somebody signs in or confirms who they are."""

    user: Any
    cleaned_data: dict[str, Any]

    def clean_credential(self) -> Any:
        """The authenticator. Raises ValidationError, and records it, whatever was sent."""
        try:
            _require_own_origin(AuthenticationResponse.from_dict(self.cleaned_data["credential"]))
            return super().clean_credential()  # type: ignore[misc]
        except (ValidationError, *NOT_A_CREDENTIAL) as problem:
            log.record("factor.failed", actor=self.user, target=self.user, kind="webauthn")
            if getattr(problem, "code", None) == "too_many_login_attempts":
                raise
            raise ValidationError(REFUSED) from problem


class SignInKeyForm(KeyAnswer, allauth.AuthenticateWebAuthnForm):
    """At the sign-in."""

    credential = CredentialField()


class ConfirmKeyForm(KeyAnswer, allauth.ReauthenticateWebAuthnForm):
    """Before a change of the account."""

    credential = CredentialField()
