"""A small OpenID provider on loopback: discovery, authorization code with PKCE, JWKS, id tokens signed RS256, userinfo."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

LOGIN = "/accounts/oidc/sso/login/"
CLIENT, SECRET = "journalscope", "a client secret"


@cache
def key(number: int) -> rsa.RSAPrivateKey:
    """One of the keys that all providers of a run share: to make one takes 0.1 s."""
    return rsa.generate_private_key(65537, 2048)


@dataclass
class Provider:
    """Who comes next, and what is wrong with what it answers."""

    person: dict[str, Any] = field(default_factory=lambda: {"sub": "1", "email": "new@example.org"})
    claims: dict[str, Any] = field(default_factory=dict)  # put over those of the id token
    userinfo: dict[str, Any] = field(default_factory=dict)
    endpoints: dict[str, str] = field(default_factory=dict)  # put over those of the discovery document
    moved: dict[str, str] = field(default_factory=dict)  # path: address that it redirects to
    signs_with_another_key: bool = False
    algorithm: str = "RS256"
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    url: str = ""

    def __post_init__(self) -> None:
        self.key, self.other_key = key(1), key(2)

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes next: back, with a code."""
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Code for tokens, once."""
        asked = self.codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest())
        is_right = (
            asked is not None
            and form["client_secret"] == SECRET
            and form["redirect_uri"] == asked["redirect_uri"]
            and challenge.rstrip(b"=").decode() == asked["code_challenge"].rstrip("=")
        )
        if not is_right or asked is None:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "access", "token_type": "Bearer", "id_token": self._id_token(asked)}

    def _id_token(self, asked: dict[str, str]) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": asked["nonce"]}
        claims |= self.person | self.claims
        claims = {name: value for name, value in claims.items() if value is not None}
        key: Any = self.other_key if self.signs_with_another_key else self.key
        key = {"none": None, "HS256": SECRET * 3}.get(self.algorithm, key)
        return jwt.encode(claims, key, algorithm=self.algorithm, headers={"kid": "k1"})

    def keys(self) -> dict[str, Any]:
        """JWKS."""
        numbers = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [numbers | {"kid": "k1", "alg": "RS256", "use": "sig"}]}

    def discovery(self) -> dict[str, Any]:
        """What /.well-known/openid-configuration says."""
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        places |= {"userinfo_endpoint": "userinfo"}
        return (
            {"issuer": self.url}
            | {name: f"{self.url}/{path}" for name, path in places.items()}
            | self.endpoints
        )


class Handler(BaseHTTPRequestHandler):
    """One request."""

    provider: Provider

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.path in self.provider.moved:
            self.send_response(302)
            self.send_header("Location", self.provider.moved[asked.path])
            self.end_headers()
            return
        match asked.path:
            case "/.well-known/openid-configuration":
                self._answer(200, self.provider.discovery())
            case "/keys":
                self._answer(200, self.provider.keys())
            case "/userinfo":
                self._answer(200, self.provider.person | self.provider.userinfo)
            case "/authorize":
                query = {name: values[0] for name, values in parse_qs(asked.query).items()}
                self.send_response(302)
                self.send_header("Location", self.provider.authorize(query))
                self.end_headers()
            case _:
                self._answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(*self.provider.token({name: values[0] for name, values in parse_qs(body).items()}))

    def _answer(self, status: int, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def serve(provider: Provider) -> ThreadingHTTPServer:
    """Start it on a free port; `shutdown()` ends it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"provider": provider}))
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


def come_back(client: Client, login: str = LOGIN) -> str:
    """Through the provider, as a browser goes; the address that it sends back to."""
    to_provider = client.get(login)
    assert to_provider.status_code == 302
    back = requests.get(to_provider["Location"], allow_redirects=False, timeout=5)
    return back.headers["Location"]


def sign_in_through(client: Client, login: str = LOGIN) -> Any:
    return client.get(come_back(client, login))
