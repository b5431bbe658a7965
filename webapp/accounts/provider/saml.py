"""Signing in through a SAML 2.0 provider, started here: request by redirect, signed answer by POST.

The provider's answer comes from another site, so the browser sends no session with it. It waits in the cache until the
browser has come back by a redirect, and counts in the session that asked for it, once: its InResponseTo must be a request
of that session, and the assertion must say the same, since the response around a signed assertion need not be signed.
python3-saml checks signature, issuer, audience, destination, recipient and times.
"""

from __future__ import annotations

import secrets
from typing import Any
from urllib.parse import urlsplit

from allauth.core.internal import ratelimit
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.app_settings import UID_MAX_LENGTH
from allauth.socialaccount.helpers import complete_social_login, render_authentication_error
from allauth.socialaccount.providers.saml.provider import SAMLProvider
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from onelogin.saml2.auth import OneLogin_Saml2_Auth, OneLogin_Saml2_Settings
from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml
from onelogin.saml2.errors import OneLogin_Saml2_Error, OneLogin_Saml2_ValidationError
from onelogin.saml2.xml_utils import OneLogin_Saml2_XML

from webapp.accounts.provider.oidc import NotOurs

COOKIE, WAITS_SECONDS = "saml-answer", 60  # for the browser to follow a redirect
MAX_BYTES = 256 * 1024  # of an answer, in base64; one with a thousand groups has some 100 kB
CONFIRMED = (
    "/samlp:Response/saml:Assertion/saml:Subject/saml:SubjectConfirmation/saml:SubjectConfirmationData"
)
AUDIENCES = "/samlp:Response/saml:Assertion/saml:Conditions/saml:AudienceRestriction/saml:Audience"

# what python3-saml and its parser raise for text that no provider sends
UNREADABLE = (
    OneLogin_Saml2_Error, OneLogin_Saml2_ValidationError, SyntaxError, ValueError, TypeError, AttributeError, LookupError,
)  # fmt: skip


def _configuration() -> dict[str, Any]:
    answers_to = {"url": settings.PUBLIC_URL + reverse("saml_acs"), "binding": Saml.BINDING_HTTP_POST}
    return {
        "strict": True,
        "idp": settings.SAML_IDENTITY_PROVIDER,
        "sp": {
            "entityId": settings.PUBLIC_URL + reverse("saml_metadata"),
            "assertionConsumerService": answers_to,
            "NameIDFormat": Saml.NAMEID_PERSISTENT,
        },
        "security": {
            "requestedAuthnContext": False,
            "wantAttributeStatement": False,
            "wantNameId": False,
            "rejectDeprecatedAlgorithm": True,
            "allowRepeatAttributeName": True,
            "signatureAlgorithm": Saml.RSA_SHA256,
            "digestAlgorithm": Saml.SHA256,
        },
    }


def _auth(answer: str = "") -> OneLogin_Saml2_Auth:
    """Of python3-saml, which compares addresses with that of the request: here always with PUBLIC_URL."""
    public = urlsplit(settings.PUBLIC_URL)
    request = {
        "https": "on" if public.scheme == "https" else "off",
        "http_host": public.netloc,
        "path_info": reverse("saml_acs"),
        "script_name": "",
        "get_data": {},
        "post_data": {"SAMLResponse": answer} if answer else {},
    }
    return OneLogin_Saml2_Auth(request, _configuration())


class SignInProvider(SAMLProvider):
    """Asks by our own configuration, and accepts no identifier that changes with each sign-in."""

    def redirect(
        self, request: HttpRequest, process: str, next_url: Any = None, data: Any = None, **kwargs: Any
    ) -> HttpResponse:
        auth = _auth()
        address = auth.login(return_to="")
        self.stash_redirect_state(
            request, process, next_url, data, state_id=auth.get_last_request_id(), **kwargs
        )
        return redirect(address)

    def extract_uid(self, data: Any) -> str:
        """Of the attribute for it, or the NameID. A NameID does not stand for an attribute that was named: both may be anybody's."""
        uid = self._extract(data).get("uid")
        if not uid and settings.SAML_USER_ATTRIBUTE:
            raise NotOurs("The assertion lacks the attribute that SAML_USER_ATTRIBUTE names.")
        if not uid and data.get_nameid_format() == Saml.NAMEID_TRANSIENT:
            raise NotOurs("The NameID is transient: set SAML_USER_ATTRIBUTE, or send a persistent NameID.")
        uid = uid or data.get_nameid()
        if not uid or len(uid) > UID_MAX_LENGTH:
            raise NotOurs("The assertion names no user, or with too long a name.")
        return str(uid)


def _provider(request: HttpRequest) -> Any:
    return get_adapter().get_provider(request, "saml")


@login_not_required
@require_GET
def login(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider; connecting a second account is not offered."""
    if request.GET.get("process", "login") != "login":
        raise Http404
    answer: HttpResponse = _provider(request).redirect_from_request(request)
    return answer


@csrf_exempt
@login_not_required
@require_POST
def answered(request: HttpRequest) -> HttpResponse:
    """Keeps what the provider sent until the browser is back; nothing of it is believed yet."""
    limited: HttpResponse | None = ratelimit.consume_or_429(request, app="allauth.account", action="login")
    if limited:
        return limited
    answer = request.POST.get("SAMLResponse", "")
    back = redirect("saml_finish_acs")
    if 0 < len(answer) <= MAX_BYTES:
        token = secrets.token_urlsafe(32)
        cache.set(f"saml:{token}", answer, WAITS_SECONDS)
        back.set_cookie(
            COOKIE,
            token,
            max_age=WAITS_SECONDS,
            path=back["Location"],
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return back


@login_not_required
@require_GET
def finish(request: HttpRequest) -> HttpResponse:
    """Sign in with the answer that waits."""
    key = f"saml:{request.COOKIES.get(COOKIE, '')}"
    answer = cache.get(key, "")
    cache.delete(key)
    provider = _provider(request)
    try:
        signed_in = _sign_in(request, provider, answer)
    except NotOurs as problem:
        signed_in = render_authentication_error(request, provider, exception=problem)
    signed_in.delete_cookie(COOKIE, path=request.path)
    return signed_in


def _sign_in(request: HttpRequest, provider: Any, answer: str) -> HttpResponse:
    if not answer:
        raise NotOurs("No answer of the provider waits for this browser.")
    auth = _auth(answer)
    try:
        auth.process_response()
    except UNREADABLE as problem:
        raise NotOurs("The answer cannot be read.") from problem
    if auth.get_errors() or not auth.is_authenticated():
        raise NotOurs(auth.get_last_error_reason() or "The answer signs nobody in.")
    sociallogin = provider.sociallogin_from_response(request, auth)
    request_id = auth.get_last_response_in_response_to()
    response = OneLogin_Saml2_XML.to_etree(auth.get_last_response_xml())
    # python3-saml takes an assertion without these for an answer to any request, for any site
    if request_id not in {
        data.get("InResponseTo") for data in OneLogin_Saml2_XML.query(response, CONFIRMED)
    } - {None}:
        raise NotOurs("The assertion does not say which sign-in it answers.")
    if not OneLogin_Saml2_XML.query(response, AUDIENCES):
        raise NotOurs("The assertion does not say for which site it is.")
    try:
        sociallogin.state = provider.unstash_redirect_state(request, request_id)
    except PermissionDenied as problem:
        raise NotOurs("The answer belongs to another sign-in.") from problem
    signed_in: HttpResponse = complete_social_login(request, sociallogin)
    return signed_in


@login_not_required
@require_GET
def metadata(request: HttpRequest) -> HttpResponse:
    """What the provider needs to know of this site, in XML."""
    text = OneLogin_Saml2_Settings(_configuration(), sp_validation_only=True).get_sp_metadata()
    return HttpResponse(text, content_type="application/samlmetadata+xml")


urlpatterns = [
    path("saml/login/", login, name="saml_login"),
    path("saml/answer/", answered, name="saml_acs"),
    path("saml/finish/", finish, name="saml_finish_acs"),
    path("saml/metadata/", metadata, name="saml_metadata"),
]
