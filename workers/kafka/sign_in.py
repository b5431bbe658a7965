"""SASL: who we are, by kafka-python's mechanisms.

    SaslHandshake(mechanism) => error, mechanisms     v1: then SaslAuthenticate(token) => error, message, token
                                                      v0: then bare tokens, each with its size (brokers before 1.0)

Nothing of the sign-in gets into an error but what the broker says in words. Source: KIP-43, KIP-152, KIP-255.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from kafka.net.sasl.oauth import AbstractTokenProvider, SaslMechanismOAuth
from kafka.net.sasl.plain import SaslMechanismPlain
from kafka.net.sasl.scram import SaslMechanismScram
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest

from workers.kafka.errors import Closed, NotSignedIn, NotSpoken, broker_error
from workers.net import http

if TYPE_CHECKING:
    from webapp.networks.guard import Networks
    from workers.kafka.connection import BrokerConnection
    from workers.kafka.security import Security

UNSUPPORTED_MECHANISM, ILLEGAL_STATE = 33, 34
# More than any mechanism takes: SCRAM needs two, OAUTHBEARER one, or two when it fails.
MAX_TOKENS = 4
MAX_TOKEN_ANSWER_BYTES = 256 * 1024


def sign_in(connection: BrokerConnection, security: Security, networks: Networks) -> None:
    """Do it on a connection whose versions are known. Raises NotSignedIn, and for a token URL what `http.ask` raises."""
    mechanism = _mechanism(security, networks)
    has_frames = _handshake(connection, security)
    for _ in range(MAX_TOKENS):
        token = mechanism.auth_bytes()
        answer = _exchanged(connection, security, token) if has_frames else _bare(connection, security, token)
        try:
            mechanism.receive(answer)
        except Exception:
            raise NotSignedIn(
                f"{connection.broker} answered the sign-in by {security.mechanism} with something else.",
                "Check that the port belongs to the right cluster. It could not prove that it knows the password.",
            ) from None
        if mechanism.is_done():
            break
    if not mechanism.is_authenticated():
        raise _wrong(connection, security, "")


def _mechanism(security: Security, networks: Networks) -> Any:
    if security.mechanism == "OAUTHBEARER":
        return SaslMechanismOAuth(sasl_oauth_token_provider=_FixedToken(_token(security, networks)))
    username, password = security.username or "", security.password or ""
    if not username or not username.isprintable():
        raise NotSignedIn("The user name is empty or has unprintable characters.", "Enter the user name.")
    if security.mechanism == "PLAIN":
        return SaslMechanismPlain(
            security_protocol=security.protocol, sasl_plain_username=username, sasl_plain_password=password
        )
    # RFC 5802: a comma and an equals sign in a name are written so.
    written = username.replace("=", "=3D").replace(",", "=2C")
    return SaslMechanismScram(
        sasl_mechanism=security.mechanism, sasl_plain_username=written, sasl_plain_password=password
    )


class _FixedToken(AbstractTokenProvider):  # type: ignore[misc]
    """Token provider for kafka-python."""

    def __init__(self, token: str) -> None:
        self._token = token

    def token(self) -> str:
        return self._token


def _handshake(connection: BrokerConnection, security: Security) -> bool:
    """Whether tokens travel in SaslAuthenticate. Raises NotSignedIn when the mechanism is not offered."""
    try:
        has_frames = connection.version_of(SaslAuthenticateRequest) >= 0
    except NotSpoken:
        has_frames = False
    answer = connection.ask(SaslHandshakeRequest, 1 if has_frames else 0, mechanism=security.mechanism)
    if answer.error_code == UNSUPPORTED_MECHANISM:
        offered = ", ".join(answer.mechanisms) or "none"
        raise NotSignedIn(
            f"{connection.broker} does not offer {security.mechanism}; it offers: {offered}.",
            "Choose one of those, or have the broker's listener enable this one.",
        )
    if answer.error_code == ILLEGAL_STATE:
        raise NotSignedIn(
            f"{connection.broker} does not accept a sign-in on this port.",
            "Choose the protocol without SASL, or enter the port of the SASL listener.",
        )
    if answer.error_code:
        raise broker_error(answer.error_code, f"SaslHandshake of {connection.broker}")
    return has_frames


def _exchanged(connection: BrokerConnection, security: Security, token: bytes) -> bytes:
    answer = connection.ask(SaslAuthenticateRequest, auth_bytes=token)
    if answer.error_code:
        raise _wrong(connection, security, answer.error_message or "")
    return bytes(answer.auth_bytes)


def _bare(connection: BrokerConnection, security: Security, token: bytes) -> bytes:
    """A broker of this age closes the connection instead of saying no."""
    try:
        return connection.exchange_token(token)
    except Closed:
        raise _wrong(connection, security, "") from None


def _wrong(connection: BrokerConnection, security: Security, says: str) -> NotSignedIn:
    """What the broker says is its own sentence; a broker that repeats a secret in it is not quoted."""
    secrets = (security.password, security.token, security.client_secret)
    quoted = (
        f": {says.rstrip('.')}" if says and not any(secret and secret in says for secret in secrets) else ""
    )
    who = f"user {security.username}" if security.username else "the token"
    return NotSignedIn(
        f"{connection.broker} did not accept {who} by {security.mechanism}{quoted}.",
        "Check user name and password, and that the user has credentials of this mechanism."
        if security.username
        else "Check that the token is valid now, and made for this cluster (issuer, audience, scope).",
    )


def _token(security: Security, networks: Networks) -> str:
    """The bearer token that was given, or one from the token URL by client credentials (RFC 6749, 4.4)."""
    if security.token:
        return security.token.strip()
    if not security.token_url:
        raise NotSignedIn("There is no token and no token URL.", "Enter one of the two.")
    basic = base64.b64encode(f"{security.client_id or ''}:{security.client_secret or ''}".encode()).decode()
    form = {"grant_type": "client_credentials", **({"scope": security.scope} if security.scope else {})}
    page = http.ask(
        "POST",
        security.token_url,
        networks,
        confidential="the client secret",
        headers={
            "Authorization": f"Basic {basic}",
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        },
        body=urlencode(form).encode(),
        ca_pem=security.ca_pem,
        at_most_bytes=MAX_TOKEN_ANSWER_BYTES,
    )
    try:
        answer = page.json()
        if page.status == 200:
            return str(answer["access_token"])
        problem = str(answer.get("error", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        problem = ""
    raise NotSignedIn(
        f"The token URL answered {page.status}{f' ({problem[:100]})' if problem.isidentifier() else ''} and no token.",
        "Check the token URL, client id, client secret and scope.",
    )
