"""Log lines: one id, no payload, no token."""

from __future__ import annotations

import io
import json
import logging
import sys
from typing import Any

import pytest
from django.test import Client

from webapp import logs, tracing
from webapp.audit.models import Event

SECRET = "k-4711-secret"


@pytest.fixture
def lines() -> Any:
    """What a handler with our filter and JSON writes while the test runs; a call gives the lines so far."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(logs.RedactingFilter())
    handler.setFormatter(logs.Json())
    root, requests = logging.getLogger(), logging.getLogger("webapp.requests")
    before = requests.level
    root.addHandler(handler)
    requests.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    requests.setLevel(before)


def failing(secret: str) -> None:
    raise ValueError(f"cannot read {secret}")


def test_a_line_has_time_level_logger_message_and_id(lines: Any) -> None:
    with tracing.traced("a" * 32):
        logging.getLogger("webapp.journals").warning("Stored %s.", "it")
    line = lines()[0]
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "webapp.journals", "Stored it.")
    assert line["request_id"] == "a" * 32
    assert line["time"]


def test_an_exception_is_told_by_type_and_place_without_its_words(lines: Any) -> None:
    try:
        try:
            failing(SECRET)
        except ValueError as problem:
            raise KeyError(SECRET) from problem
    except KeyError:
        logging.getLogger("webapp").exception("It broke off.")
    line = lines()[0]
    assert SECRET not in json.dumps(line)
    assert "builtins.KeyError" in line["exception"]
    assert "because of" in line["exception"]
    assert "builtins.ValueError" in line["exception"]
    assert "in failing" in line["exception"]


def test_the_system_s_own_words_stay() -> None:
    try:
        raise FileNotFoundError(2, "No such file or directory", "report.json")
    except FileNotFoundError:
        assert "No such file or directory: 'report.json'" in logs.describe(sys.exc_info())


def test_with_debug_exceptions_are_told_whole(settings: Any) -> None:
    settings.DEBUG = True
    try:
        failing(SECRET)
    except ValueError:
        assert SECRET in logs.describe(sys.exc_info())


def test_unknown_fields_are_left_out(lines: Any) -> None:
    logging.getLogger("webapp").warning("Read.", extra={"value": SECRET, "status": 200})
    assert SECRET not in json.dumps(lines())
    assert lines()[0]["status"] == 200


def test_what_celery_says_of_an_exception_is_left_out(lines: Any) -> None:
    told = {
        "name": "journalscope.inspect",
        "id": "1",
        "exc": f"ValueError('{SECRET}')",
        "args": f"['{SECRET}']",
    }
    logging.getLogger("celery.app.trace").error("Task %(name)s[%(id)s] raised %(exc)s %(args)s", told)
    assert SECRET not in json.dumps(lines())
    assert "journalscope.inspect[1]" in lines()[0]["message"]


@pytest.mark.parametrize(
    "path", ["/s/{}/", "/s/{}/records/?q=1", "/accounts/once/{}/", "https://host/s/{}", "GET '/s/{}'"]
)
def test_tokens_of_links_are_masked(path: str) -> None:
    assert SECRET not in logs.masked(path.format(SECRET))


@pytest.mark.django_db
def test_a_request_s_line_masks_tokens_and_has_no_query(lines: Any, house: Any) -> None:
    Client().get(f"/accounts/once/{SECRET}/?value={SECRET}")
    Client().get(f"/s/{SECRET}/?key={SECRET}", headers={"X-Request-ID": "e" * 32})
    assert [line["request_id"] for line in lines() if line["logger"] == "django.request"][-1] == "e" * 32
    answered = [line for line in lines() if line["logger"] == "webapp.requests"]
    assert answered[0] | {"time": "", "seconds": 0, "request_id": ""} == {
        "time": "",
        "level": "INFO",
        "logger": "webapp.requests",
        "message": "A request was answered.",
        "method": "GET",
        "path": "/accounts/once/***/",
        "view": "one-time-sign-in",
        "status": 410,
        "seconds": 0,
        "user": None,
        "request_id": "",
    }
    assert SECRET not in json.dumps(lines())


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("01234567-89ab-cdef-0123-456789abcdef", "0123456789abcdef0123456789abcdef"),
        ("short", None),
        ("x" * 33, None),
        ('a" onload="b', None),
        ("", None),
    ],
)
@pytest.mark.django_db
def test_the_id_comes_from_the_header_where_it_looks_like_one(
    house: Any, given: str, kept: str | None
) -> None:
    answer = Client().get("/healthz", headers={"X-Request-ID": given})
    if kept:
        assert answer["X-Request-ID"] == kept
    else:
        assert tracing.LOOKS_LIKE_ONE.fullmatch(answer["X-Request-ID"])
        assert answer["X-Request-ID"] != given


def test_one_id_ties_request_event_and_task(owner: Any, sign_in: Any, house: Any, monkeypatch: Any) -> None:
    # a test's transaction never commits; in a request the task is sent when its own does
    monkeypatch.setattr("django.db.transaction.on_commit", lambda send: send())
    given = "b" * 32
    body = json.dumps({"name": "", "files": [{"name": "a", "size": 0}]})
    client = sign_in(owner)
    client.post("/journals/", body, content_type="application/json", headers={"X-Request-ID": given})
    message = json.loads(house.lrange("inspections", 0, -1)[0])
    assert message["headers"]["request_id"] == given
    events = Event.objects.filter(action__in=["journal.created", "inspection.started"])
    assert list(events.values_list("request_id", flat=True)) == [given, given]


def test_an_id_ends_with_its_request() -> None:
    with tracing.traced("c" * 32):
        assert tracing.request_id() == "c" * 32
    assert tracing.request_id() == ""
    assert tracing.current_request() is None
