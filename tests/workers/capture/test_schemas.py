"""Schemas from a registry that runs in this process, in the three ways that registries answer."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from webapp.networks.errors import SentInClear
from workers.capture.schemas import NAME, RegistryEndpoint, RegistryRefused, capture_schemas
from workers.kafka import NetworkBlocked, Networks

AVRO = {"subject": "orders-value", "version": 1, "id": 1, "schema": '"string"'}
NAMED = {
    "subject": "a/b", "version": 2, "id": 5, "schemaType": "PROTOBUF", "schema": "message A {}",
    "references": [{"name": "c.proto", "subject": "c", "version": 1}],
}  # fmt: skip
HIDDEN = {"subject": "c", "version": 1, "id": 4, "schemaType": "PROTOBUF", "schema": "message C {}"}
AGAIN = AVRO | {"subject": "orders-copy", "version": 3}
WORD = "Basic " + base64.b64encode(b"ann:secret").decode()


class SmallRegistry:
    """`has_list`: it knows GET /schemas, in pages of `page`; `heeds_offset`: it skips what came before."""

    def __init__(self, *versions, has_list=True, page=1000, heeds_offset=True, hidden=()):
        self.versions, self.has_list, self.page, self.heeds_offset = (
            list(versions),
            has_list,
            page,
            heeds_offset,
        )
        self.hidden, self.asked = list(hidden), []
        self.words: set[str | None] = set()
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                registry.words.add(self.headers.get("Authorization"))
                status, body = registry.answer(self.path)
                text = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self):
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path):
        parts = urlsplit(path)
        self.asked.append(parts.path)
        names = [unquote(name) for name in parts.path.split("/")[1:]]
        if names == ["schemas"] and self.has_list:
            offset = int(parse_qs(parts.query)["offset"][0]) if self.heeds_offset else 0
            return 200, self.versions[offset : offset + self.page]
        if names == ["subjects"]:
            return 200, sorted({one["subject"] for one in self.versions})
        if names[0] == "subjects" and len(names) == 3:
            return 200, [one["version"] for one in self.versions if one["subject"] == names[1]]
        found = [
            one for one in self.versions + self.hidden if [one["subject"], str(one["version"])] == names[1::2]
        ]
        return (200, found[0]) if found else (404, {"error_code": 404})


def taken(registry, folder, **members):
    return capture_schemas(RegistryEndpoint(registry.url, **members), Networks(("loopback",)), folder)


@pytest.mark.parametrize(
    "how",
    [{}, {"has_list": False}, {"heeds_offset": False}],
    ids=["a list", "by subject", "a list without pages"],
)
def test_all_schemas_come_with_what_they_refer_to(tmp_path, how):
    with SmallRegistry(AVRO, AGAIN, NAMED, hidden=[HIDDEN], **how) as registry:
        document = taken(registry, tmp_path, username="ann", password="secret")
        assert registry.words == {WORD}
    assert json.loads((tmp_path / NAME).read_bytes()) == document
    assert [(one["id"], one["type"]) for one in document["schemas"]] == [
        (1, "AVRO"),
        (4, "PROTOBUF"),
        (5, "PROTOBUF"),
    ]
    assert sorted(document["schemas"][0]["subjects"]) == [["orders-copy", 3], ["orders-value", 1]]
    assert document["schemas"][2]["references"] == NAMED["references"]
    assert document["missing"] == []


def test_pages_are_turned_to_the_last(tmp_path, monkeypatch):
    monkeypatch.setattr("workers.capture.schemas.PAGE", 2)
    versions = [AVRO | {"id": number, "version": number} for number in range(1, 6)]
    with SmallRegistry(*versions, page=2) as registry:
        document = taken(registry, tmp_path)
        assert registry.asked == ["/schemas"] * 3
        assert registry.words == {None}
    assert len(document["schemas"]) == 5


def test_what_is_referred_to_and_not_there_is_missing(tmp_path):
    with SmallRegistry(NAMED) as registry:
        document = taken(registry, tmp_path)
    (missing,) = document["missing"]
    assert (missing["id"], "version 1 of c" in missing["why"]) == (5, True)


def test_a_type_that_nobody_knows_is_missing(tmp_path):
    with SmallRegistry(AVRO | {"schemaType": "THRIFT"}) as registry:
        document = taken(registry, tmp_path)
    assert (document["schemas"], document["missing"][0]["id"]) == ([], 1)


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (401, {}, "rejected the user name"),
        (403, {}, "does not permit this user"),
        (500, {}, "status 500"),
        (302, {}, "status 302"),
        (200, b"<html>", "is not JSON"),
    ],
)
def test_a_registry_that_answers_otherwise_is_said(tmp_path, monkeypatch, status, body, says):
    with SmallRegistry() as registry:
        monkeypatch.setattr(registry, "answer", lambda path: (status, body))
        with pytest.raises(RegistryRefused, match=says):
            taken(registry, tmp_path, password="secret")
    assert not (tmp_path / NAME).exists()


def test_a_registry_in_a_network_that_is_off_limits_is_not_asked(tmp_path):
    with SmallRegistry(AVRO) as registry:
        with pytest.raises(NetworkBlocked):
            capture_schemas(RegistryEndpoint(registry.url), Networks(), tmp_path)
        assert registry.asked == []


def test_a_password_is_not_sent_unencrypted_to_another_machine(tmp_path):
    away, anywhere = "http://10.255.255.1:8081", Networks(("10.0.0.0/8",))
    with pytest.raises(
        SentInClear, match=r"10\.255\.255\.1 is another machine, and http would send the password"
    ):
        capture_schemas(RegistryEndpoint(away, "ann", "secret"), anywhere, tmp_path)


def test_secrets_do_not_show():
    assert "secret" not in repr(RegistryEndpoint("http://a", "ann", "secret"))
