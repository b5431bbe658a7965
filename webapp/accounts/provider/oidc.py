"""Signing in through an OpenID provider: authorization code with PKCE, and an id token that is always checked.

django-allauth trusts the id token because it came over TLS. Here its signature, issuer, audience, expiry and nonce are
checked too. The nonce is a hash of the PKCE verifier: one secret for each sign-in, kept in the session.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from typing import Any
from urllib.parse import urlsplit

from allauth.account.utils import filter_users_by_email
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.app_settings import UID_MAX_LENGTH
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET
from requests import PreparedRequest, RequestException, Response, Session
from requests.adapters import HTTPAdapter

from spark.terms.visible import cut_end
from webapp.accounts import projects
from webapp.accounts.models import Project
from webapp.accounts.provider import grants
from webapp.accounts.provider.mapping import groups_of
from webapp.audit import log
from webapp.networks.errors import NetError
from webapp.networks.guard import Networks

logger = logging.getLogger(__name__)
PROVIDER_ID = "sso"
MAX_LOGGED = 300  # of a reason, which may quote what anybody can send
TEXTS = ("email", "name", "given_name", "family_name", "preferred_username")  # OpenID Connect Core 5.1
NOT_STORED = re.compile(
    r"\\u0000|[\ud800-\udfff]"
)  # in JSON; PostgreSQL stores neither, SQLite no surrogates


class NotOurs(OAuth2Error):
    """The provider's answer is not valid for this sign-in. The message goes to the log."""


def nonce_of(code_verifier: str) -> str:
    """The nonce that the id token must contain."""
    return hashlib.sha256(f"nonce {code_verifier}".encode()).hexdigest()


class GuardedTransport(HTTPAdapter):
    """Hosts named by the provider's documents and redirects must not be in blocked networks; the configured host may be."""

    def send(self, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        """Raises RequestException for a host in a blocked network."""
        address = urlsplit(request.url or "")
        if address.hostname != urlsplit(settings.OIDC_SERVER_URL).hostname:
            try:
                Networks(setting="OIDC_SERVER_URL").resolve(address.hostname or "", address.port or 443)
            except NetError as refused:
                raise RequestException(refused.cause) from refused
        return super().send(request, *args, **options)


class CheckedAdapter(OpenIDConnectOAuth2Adapter):
    nonce = ""

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:
        """Built on PUBLIC_URL, because the provider knows one address only."""
        path = reverse("openid_connect_callback", args=[self.provider_id])
        return settings.PUBLIC_URL + path if settings.PUBLIC_URL else request.build_absolute_uri(path)

    def get_access_token_data(
        self, request: HttpRequest, app: Any, client: Any, pkce_code_verifier: str | None = None
    ) -> Any:
        """Keeps the PKCE code verifier, from which the nonce is derived."""
        self.nonce = nonce_of(pkce_code_verifier) if pkce_code_verifier else ""
        return super().get_access_token_data(request, app, client, pkce_code_verifier)

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> Any:
        """The identity from a verified id token; userinfo may add to it if it is about the same subject."""
        claims = self._claims(app, kwargs["response"].get("id_token"))
        userinfo = (
            self._fetch_user_info(token.token) if self.openid_config.get("userinfo_endpoint") else claims
        )
        if not isinstance(userinfo, dict) or userinfo.get("sub") != claims["sub"]:
            raise NotOurs("The userinfo belongs to another user.")
        person = _readable({**claims, **userinfo})
        # some providers send words, and the word "false" is not empty
        person["email_verified"] = person.get("email_verified") in (True, "true")
        return self.get_provider().sociallogin_from_response(request, {"userinfo": person})

    def _claims(self, app: Any, id_token: str | None) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwtkit.verify_and_decode(
                credential=id_token,
                keys_url=self.openid_config["jwks_uri"],
                issuer=self.openid_config["issuer"],
                audience=app.client_id,
                lookup_kid=jwtkit.lookup_kid_jwk,
            )
        except (KeyError, TypeError, ValueError) as error:
            raise NotOurs("The id token cannot be read.") from error
        if not self.nonce or not constant_time_compare(str(claims.get("nonce", "")), self.nonce):
            raise NotOurs("The id token belongs to another sign-in.")
        if not claims.get("sub"):
            raise NotOurs("The id token names no user.")
        if len(str(claims["sub"])) > UID_MAX_LENGTH:
            raise NotOurs("The id token names a user with too long a name.")
        return claims


def _readable(person: dict[str, Any]) -> dict[str, Any]:
    """Without names and addresses that are not text. Raises NotOurs for characters that cannot be stored."""
    if NOT_STORED.search(json.dumps(person, ensure_ascii=False)):
        raise NotOurs("A claim contains NUL or half a character.")
    odd = [name for name in TEXTS if not isinstance(person.get(name, ""), str | None)]
    if odd:
        logger.warning("The provider sent what is not text as %s. It was ignored.", ", ".join(odd))
    return {name: value for name, value in person.items() if name not in odd}


class CheckedProvider(OpenIDConnectProvider):
    """Sends the nonce and no parameters of the sign-in request."""

    oauth2_adapter_class = CheckedAdapter

    def get_pkce_params(self) -> dict[str, str]:
        params: dict[str, str] = super().get_pkce_params()
        return params | {"nonce": nonce_of(params["code_verifier"])}

    def get_auth_params_from_request(self, request: HttpRequest, action: str) -> dict[str, str]:
        """Nothing: the request may not change what the provider is asked."""
        return {}

    def get_scope_from_request(self, request: HttpRequest) -> list[str]:
        """The configured scopes; those of the request are ignored."""
        return self.get_scope()


class ProviderAccountAdapter(DefaultSocialAccountAdapter):
    """Accounts of the provider's users, and the roles of their groups."""

    def get_requests_session(self) -> Session:
        """Session for all requests of the library to the provider."""
        session: Session = super().get_requests_session()
        for scheme in ("https://", "http://"):
            session.mount(scheme, GuardedTransport())
        return session

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Everybody whom the provider signs in may have an account."""
        return bool(settings.OIDC_SERVER_URL or settings.SAML_METADATA_FILE)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Renew the roles by group. An unverified e-mail address does not sign in to an existing account."""
        groups = _groups(sociallogin)
        user = sociallogin.user if sociallogin.is_existing else None
        if user and user.is_active:
            grants.renew(user, groups)
        if not grants.may_enter(user, groups):
            subject = sociallogin.account.uid  # who has no account here has no other name
            log.record(
                "session.refused",
                actor=user,
                target=user,
                by="provider",
                subject=subject,
                groups=len(groups),
            )
            raise ImmediateHttpResponse(render(request, "socialaccount/no_group.html", status=403))
        if user:
            return
        addresses = [address.email for address in sociallogin.email_addresses]
        if any(filter_users_by_email(address) for address in addresses):
            raise ImmediateHttpResponse(render(request, "socialaccount/address_taken.html", status=403))

    def on_authentication_error(self, request: HttpRequest, provider: Any, **about: Any) -> None:
        """Log the error without the provider's text, which may quote a token."""
        error = about.get("exception")
        ours = f": {cut_end(str(error), MAX_LOGGED)}" if isinstance(error, NotOurs) else ""
        logger.warning("A sign-in through the provider failed (%s%s)", type(error).__name__, ours)

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> Any:
        """Create the account with the role in OIDC_PROJECT, if that is set, and the roles of its groups."""
        user = super().save_user(request, sociallogin, form)
        log.record("account.created", actor=user, target=user, by="provider")
        project = (
            Project.objects.filter(slug=settings.OIDC_PROJECT).first()
            if settings.OIDC_PROJECT and sociallogin.account.provider == PROVIDER_ID
            else None
        )
        if project:
            projects.add_member(project, user, settings.OIDC_ROLE)
        grants.renew(user, _groups(sociallogin))
        return user


def _groups(sociallogin: Any) -> frozenset[str]:
    claims = sociallogin.account.extra_data
    if sociallogin.account.provider == "saml":
        return groups_of(claims, settings.SAML_GROUPS_ATTRIBUTE)
    return groups_of(claims.get("userinfo", {}), settings.OIDC_GROUPS_CLAIM)


@login_not_required
@require_GET
def login(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Redirect to the provider; connecting a second account is not offered."""
    _require_provider(provider_id)
    if request.GET.get("process", "login") != "login":
        raise Http404
    return _answer(request, OAuth2LoginView)


@login_not_required
@require_GET
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    _require_provider(provider_id)
    return _answer(request, OAuth2CallbackView)


def _answer(request: HttpRequest, view: Any) -> HttpResponse:
    """The library's response, or the page for a provider that is unavailable or not configured."""
    adapter = CheckedAdapter(request, PROVIDER_ID)
    try:
        answer: HttpResponse = view.adapter_view(adapter)(request)
    except (RequestException, KeyError, ValueError) as error:
        answer = render_authentication_error(request, adapter.get_provider(), exception=error)
    return answer


def _require_provider(provider_id: str) -> None:
    if not settings.OIDC_SERVER_URL or provider_id != PROVIDER_ID:
        raise Http404
