"""Sign-ins that brokers refuse, garble or never offered, and tokens from a token URL; no error tells a secret."""

from __future__ import annotations

import base64
import http.server
import json
import threading
import traceback
from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from kafka.protocol.sasl import SaslAuthenticateResponse, SaslHandshakeResponse

from tests.workers.kafka.small_broker import framed, small_broker
from webapp.networks.errors import SentInClear
from webapp.networks.guard import Networks
from workers.kafka.connection import BrokerConnection
from workers.kafka.errors import KafkaError, NetworkBlocked, NotKafka, NotSignedIn
from workers.kafka.security import Security

HERE = Networks.of(["loopback"])
SECRET = "s3cret-pass"
HANDSHAKE, AUTHENTICATE = 17, 36


def answering(tokens: list[bytes] | None = None, *, code: int = 0, error: int = 0, says: str = ""):
    """A broker that takes the handshake with `code`, and answers our tokens one by one."""
    left = list(tokens or [b""])

    def answer(broker, key, version, id):
        if key == HANDSHAKE:
            made = SaslHandshakeResponse(version=version, error_code=code, mechanisms=["PLAIN", "GSSAPI"])
        else:
            made = SaslAuthenticateResponse(
                version=version, error_code=error, error_message=says, auth_bytes=left.pop(0)
            )
        return framed(made, key, version, id)

    return answer


def security(mechanism: str = "PLAIN", **fields: str | None) -> Security:
    return Security(
        **{
            "protocol": "SASL_PLAINTEXT",
            "mechanism": mechanism,
            "username": "me",
            "password": SECRET,
            **fields,
        }  # type: ignore[arg-type]
    )


def signed_in(port: int, how: Security, networks: Networks = HERE) -> None:
    BrokerConnection.connect("127.0.0.1", port, how, networks, 5.0).close()


def test_a_user_whom_the_broker_takes():
    with small_broker(answering()) as broker:
        signed_in(broker.port, security())
        assert [key for key, _ in broker.asked] == [18, HANDSHAKE, AUTHENTICATE]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "OAUTHBEARER"])
def test_nothing_of_a_sign_in_is_logged(caplog, mechanism):
    caplog.set_level(0)
    how = security(mechanism, token=SECRET if mechanism == "OAUTHBEARER" else None)
    with small_broker(answering([b"", b""], error=58)) as broker, pytest.raises(NotSignedIn):
        signed_in(broker.port, how)
    assert SECRET not in caplog.text


REFUSALS = {
    "mechanism not offered": (answering(code=33), "does not offer PLAIN; it offers: PLAIN, GSSAPI"),
    "no sign-in wanted": (answering(code=34), "does not accept a sign-in on this port"),
    "no with words": (answering(error=58, says="Invalid password."), "did not accept user me by PLAIN: Invalid password."),
    "no that repeats the password": (
        answering(error=58, says=f"{SECRET} is wrong"), r"did not accept user me by PLAIN\. Check",
    ),
    "an answer where none is due": (answering([b"what"]), "did not accept user me"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "says"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_broker_that_says_no(answer, says):
    with small_broker(answer) as broker, pytest.raises(NotSignedIn, match=says) as failed:
        signed_in(broker.port, security())
    assert SECRET not in "".join(traceback.format_exception(failed.value))


GARBLED = {
    "no pairs": b"hello",
    "another nonce": b"r=x,s=c2FsdA==,i=4096",
    "no count": b"r=,s=,i=x",
    "not text": b"\xff\xfe",
}


@pytest.mark.parametrize("token", GARBLED.values(), ids=GARBLED.keys())
@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_broker_that_answers_scram_with_something_else(mechanism, token):
    with (
        small_broker(answering([token])) as broker,
        pytest.raises(NotSignedIn, match="something else") as failed,
    ):
        signed_in(broker.port, security(mechanism))
    assert SECRET not in "".join(traceback.format_exception(failed.value))


def test_a_broker_that_asks_for_token_after_token_is_left():
    with (
        small_broker(answering([b"{}"] * 9)) as broker,
        pytest.raises(NotSignedIn, match="did not accept the token"),
    ):
        signed_in(broker.port, security("OAUTHBEARER", username=None, token="a.b.c"))


@pytest.mark.parametrize("username", ["", "a\0b", "\x01me", None])
def test_a_user_name_that_cannot_be_one(username):
    with small_broker(answering()) as broker, pytest.raises(NotSignedIn, match="user name is empty"):
        signed_in(broker.port, security(username=username))


class TokenServer(http.server.ThreadingHTTPServer):
    """Gives `answer`, and notes what it was asked."""

    answer: tuple[int, bytes] = (200, b"{}")

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, list[str]]]] = []
        super().__init__(("127.0.0.1", 0), TokenHandler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/token"


class TokenHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, TokenServer)
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append((self.headers["Authorization"], parse_qs(body)))
        status, answer = self.server.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def tokens() -> Iterator[TokenServer]:
    with TokenServer() as made:
        threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
        yield made
        made.shutdown()


def by_url(tokens: TokenServer) -> Security:
    return security(
        "OAUTHBEARER",
        username=None,
        token_url=tokens.url,
        client_id="us",
        client_secret=SECRET,
        scope="kafka",
    )


def test_a_token_by_client_credentials(tokens):
    tokens.answer = (200, json.dumps({"access_token": "a.b.c", "expires_in": 60}).encode())
    with small_broker(answering()) as broker:
        signed_in(broker.port, by_url(tokens))
    (basic, form) = tokens.asked[0]
    assert base64.b64decode(basic.removeprefix("Basic ")).decode() == f"us:{SECRET}"
    assert form == {"grant_type": ["client_credentials"], "scope": ["kafka"]}


NO_TOKENS = {
    "refused": (401, b'{"error": "invalid_client"}', r"answered 401 \(invalid_client\) and no token"),
    "refused in other words": (400, b"<html>s3cret-pass</html>", "answered 400 and no token"),
    "nothing in it": (200, b"{}", "answered 200 and no token"),
    "a list": (200, b"[]", "answered 200 and no token"),
    "moved": (302, b"", "answered 302 and no token"),
}


@pytest.mark.parametrize(("status", "body", "says"), NO_TOKENS.values(), ids=NO_TOKENS.keys())
def test_a_token_url_that_gives_none(tokens, status, body, says):
    tokens.answer = (status, body)
    with small_broker(answering()) as broker, pytest.raises(NotSignedIn, match=says) as failed:
        signed_in(broker.port, by_url(tokens))
    assert SECRET not in "".join(traceback.format_exception(failed.value))


def test_a_token_url_is_under_the_same_networks(tokens):
    how = security("OAUTHBEARER", username=None, token_url="http://169.254.169.254/latest/token")
    with small_broker(answering()) as broker, pytest.raises(NetworkBlocked):
        signed_in(broker.port, how)


def test_a_client_secret_is_not_sent_unencrypted_to_another_machine():
    how = security(
        "OAUTHBEARER",
        username=None,
        token_url="http://10.255.255.1/token",
        client_id="us",
        client_secret=SECRET,
    )
    with (
        small_broker(answering()) as broker,
        pytest.raises(SentInClear, match="would send the client secret unencrypted") as failed,
    ):
        signed_in(broker.port, how)
    assert SECRET not in str(failed.value)


def test_no_token_and_no_token_url():
    with small_broker(answering()) as broker, pytest.raises(NotSignedIn, match="no token and no token URL"):
        signed_in(broker.port, security("OAUTHBEARER", username=None))


def test_a_handshake_that_breaks_tells_no_secret():
    with (
        small_broker(lambda broker, key, version, id_: b"\0\0\0\4\0\0\0\x63") as broker,
        pytest.raises(NotKafka) as failed,
    ):
        signed_in(broker.port, security())
    assert isinstance(failed.value, KafkaError)
    assert SECRET not in "".join(traceback.format_exception(failed.value))
