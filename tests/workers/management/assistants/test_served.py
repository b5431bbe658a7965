"""Journals of a server: its API, asked with a token, redacted here. The server is the real API behind Django's test client."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.workers.management.assistants.client import mcp_client
from webapp.networks.errors import Unreachable
from workers.management.assistants import served
from workers.management.assistants.answers import JournalAnswers
from workers.management.assistants.bounds import AnswerBounds
from workers.management.assistants.journals import WHOLE_REPORT
from workers.management.assistants.refused import RefusedCall
from workers.management.assistants.served import PREFIX, JournalServer, ServedJournals
from workers.management.masks import chosen_masks
from workers.net import http
from workers.net.http import HttpAnswer

JOURNAL = incident(2, "at_risk")
UPDATE = JOURNAL.empty_updates[0]
URL = "http://127.0.0.1:8000"


def at_risk(folder: Path) -> Path:
    """Results of a real inspection."""
    dump = folder.parent / "at-risk.json"
    dump.parent.mkdir(parents=True, exist_ok=True)
    dump.write_bytes(kcat_base64(JOURNAL))
    file = InputFile(dump.name, str(dump), dump.stat().st_size)
    inspect(in_process, [file], folder, NoProgress(), Limits())
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, program: Any, owner: Any) -> dict[str, bytes]:
    """Requests go to the API in this process; the answers by path with query."""
    from django.test import Client

    answered: dict[str, bytes] = {}

    def ask(
        method: str, url: str, networks: object, *, headers: dict[str, str], confidential: str
    ) -> HttpAnswer:
        assert (method, url[: len(URL)], confidential) == ("GET", URL, "the token")
        parts = urlsplit(url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        response = Client().get(path, headers=headers)
        answered[path] = response.content
        return HttpAnswer(response.status_code, response.content)

    monkeypatch.setattr(served, "ask", ask)
    return answered


@pytest.fixture
def answers_with(
    tmp_path: Path,
    asked: dict[str, bytes],
    program: Any,
    owner: Any,
) -> Callable[..., JournalAnswers]:
    def answers(*show: str, token: str = "", hide: tuple[str, ...] = ()) -> JournalAnswers:
        server = JournalServer(URL, token or program(owner, "read").text)
        (tmp_path / "scratch").mkdir(exist_ok=True)
        journals = ServedJournals(server, tmp_path / "scratch", chosen_masks(show, hide, (), ()))
        return JournalAnswers(journals, AnswerBounds(40_000, 100))

    return answers


@pytest.mark.django_db
@pytest.mark.integration
@pytest.mark.usefixtures("house")
def test_a_journal_of_the_server_is_answered_like_a_path(
    answers_with: Callable[..., JournalAnswers],
    inspected: Any,
    asked: dict[str, bytes],
) -> None:
    name = f"{PREFIX}{inspected(at_risk).journal_id}"
    answers = answers_with()
    document = answers.inspect(name)
    cause = document["findings"][0]
    assert cause["detector"] == "content-null-update"
    assert any(name in cause["title"] for name in UPDATE.artifacts)
    assert "[hidden]" not in cause["title"]
    assert answers.finding(name, cause["id"])["finding"]["remedy"]
    (record,) = answers.record(name, UPDATE.content_offset)["records"]
    assert record["value"].startswith("[hidden, fingerprint ")
    assert record["entity_id"] == str(UPDATE.content_id)
    state = answers.state(name, entity_type="version")
    assert state["row_count"] > 0
    assert answers.state(name, at=0)["row_count"] < answers.state(name)["row_count"]
    assert "notes" not in state
    before = len(asked)
    answers.report(name)
    assert len(asked) == before


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.usefixtures("house")
def test_the_command_asks_a_real_server_and_nothing_else(
    answers_with: Callable[..., JournalAnswers], inspected: Any, asked: dict[str, bytes], tmp_path: Path
) -> None:
    """The API's own answers over HTTP."""
    name = f"{PREFIX}{inspected(at_risk).journal_id}"
    answers_with().inspect(name)
    answers_with().record(name, UPDATE.content_offset)
    requests: list[tuple[str, str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.command, self.path, self.headers["Authorization"]))
            content = asked.get(self.path)
            self.send_response(200 if content else 404)
            self.end_headers()
            self.wfile.write(content or b"{}")

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with mcp_client("--allow", tmp_path, "--server", address, JOURNALSCOPE_TOKEN="jst_secret") as client:
            cause = client.ask("inspect", input=name)["findings"][0]
            assert cause["detector"] == "content-null-update"
            (record,) = client.ask("record", input=name, offset=UPDATE.content_offset)["records"]
            assert record["value"].startswith("[hidden, fingerprint ")
            assert "no such journal" in client.refusal("inspect", input=f"{PREFIX}{uuid4()}")
            assert "takes paths only" in client.refusal("compare", input=name, other=name)
            assert "takes paths only" in client.refusal("repair_plan", input="x", older=[name])
        server.shutdown()
    assert {(method, token) for method, _, token in requests} == {("GET", "Bearer jst_secret")}


@pytest.mark.django_db
@pytest.mark.integration
@pytest.mark.usefixtures("house")
def test_payloads_of_the_server_are_shown_if_the_start_says_so(
    answers_with: Callable[..., JournalAnswers],
    inspected: Any,
) -> None:
    name = f"{PREFIX}{inspected(at_risk).journal_id}"
    (record,) = answers_with("payloads", "keys").record(name, UPDATE.content_offset)["records"]
    assert "message" in record["value"]
    text = str(answers_with(hide=("names", "key-names")).inspect(name))
    assert JOURNAL.topic not in text
    assert not [artifact for artifact in UPDATE.artifacts if artifact in text]


@pytest.mark.django_db
@pytest.mark.integration
@pytest.mark.usefixtures("house")
def test_what_the_token_may_not_read_is_refused(
    answers_with: Callable[..., JournalAnswers],
    inspected: Any,
    program: Any,
    owner: Any,
) -> None:
    inspection = inspected(at_risk)
    name = f"{PREFIX}{inspection.journal_id}"
    with pytest.raises(RefusedCall, match="does not accept the token"):
        answers_with(token="jst_wrong").inspect(name)
    with pytest.raises(RefusedCall, match="needs the scope read"):
        answers_with(token=program(owner, "upload").text).inspect(name)
    for other in (f"{PREFIX}../../accounts", f"{PREFIX}x", PREFIX):
        with pytest.raises(RefusedCall, match="Name a journal of the server"):
            answers_with().inspect(other)
    with pytest.raises(RefusedCall, match="no such journal"):
        answers_with().inspect(f"{PREFIX}{inspection.pk}")
    type(inspection).objects.filter(pk=inspection.pk).update(state="running")
    with pytest.raises(RefusedCall, match="no finished inspection"):
        answers_with().inspect(name)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (HttpAnswer(200, b"<html>"), "is not a document"),
        (HttpAnswer(200, b"[]"), "is not a document"),
        (HttpAnswer(200, b'{"newest": {"state": "done", "id": "../x"}}'), "no finished inspection"),
        (HttpAnswer(302, b""), "status 302"),
        (Unreachable("127.0.0.1:8000 cannot be reached.", "Check host and port."), "cannot be reached"),
    ],
)
def test_a_server_that_answers_something_else_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: HttpAnswer | Exception, sentence: str
) -> None:
    def ask(*_: object, **__: object) -> HttpAnswer:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(served, "ask", ask)
    journals = ServedJournals(JournalServer(URL, "jst_x"), tmp_path, chosen_masks((), (), (), ()))
    with pytest.raises(RefusedCall, match=sentence):
        journals.of(f"{PREFIX}01234567-89ab-cdef-0123-456789abcdef", WHOLE_REPORT)


def test_a_token_is_not_sent_unencrypted_to_another_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(http, "send", lambda *_, **__: pytest.fail("the token was sent"))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("198.18.0.7", 80))])
    server = JournalServer("http://journals.example.org", "jst_x")
    journals = ServedJournals(server, tmp_path, chosen_masks((), (), (), ()))
    with pytest.raises(RefusedCall, match="would send the token unencrypted"):
        journals.of(f"{PREFIX}01234567-89ab-cdef-0123-456789abcdef", WHOLE_REPORT)
