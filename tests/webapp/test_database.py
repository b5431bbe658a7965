"""A database that is away is told with 503 to people and programs; a defect of ours stays one."""

from __future__ import annotations

import errno
import sqlite3
from typing import Any

import psycopg
import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.db.models import QuerySet
from django.test import Client

from webapp.database import is_away
from webapp.errors import DATABASE_AWAY


def caused(cause: Exception, kind: type[Exception] = OperationalError) -> Exception:
    """As Django wraps it."""
    problem = kind("gone")
    problem.__cause__ = cause
    return problem


def of_sqlite(name: str) -> Exception:
    cause = sqlite3.OperationalError("gone")
    cause.sqlite_errorname = name
    return caused(cause)


@pytest.mark.parametrize(
    ("name", "away"),
    [("SQLITE_BUSY_SNAPSHOT", True), ("SQLITE_IOERR_READ", True), ("SQLITE_CANTOPEN", True), ("SQLITE_ERROR", False), ("SQLITE_FULL", False)],
)  # fmt: skip
def test_sqlite_says_by_its_code_what_may_succeed_later(name: str, away: bool) -> None:
    assert is_away(of_sqlite(name)) is away


@pytest.mark.parametrize(
    ("problem", "away"),
    [
        (caused(psycopg.OperationalError("connection refused")), True),
        (caused(psycopg.errors.AdminShutdown("terminating")), True),
        (caused(psycopg.errors.CannotConnectNow("starting")), True),
        (caused(psycopg.errors.TooManyConnections("sorry")), True),
        (caused(psycopg.errors.QueryCanceled("statement timeout")), False),
        (caused(psycopg.errors.DeadlockDetected("deadlock")), False),
        (caused(psycopg.InterfaceError("closed"), InterfaceError), True),
        (caused(psycopg.errors.UndefinedTable("no table"), ProgrammingError), False),
        (ValueError("no"), False),
        (None, False),
    ],
    ids=str,
)
def test_postgresql_says_by_its_code_what_may_succeed_later(
    monkeypatch: pytest.MonkeyPatch, problem: Exception | None, away: bool
) -> None:
    monkeypatch.setattr(type(connection._connections["default"]), "vendor", "postgresql", raising=False)  # type: ignore[attr-defined]
    assert is_away(problem) is away


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, db: None) -> Any:
    """Each question is answered with this."""

    def breaks(problem: Exception) -> Client:
        def ask(*_: Any) -> None:
            raise problem

        client = Client(raise_request_exception=False)
        client.cookies["sessionid"] = "a" * 32
        monkeypatch.setattr(QuerySet, "_fetch_all", ask)
        return client

    return breaks


def test_a_page_says_that_the_database_is_away_and_when_to_come_again(broken: Any) -> None:
    answer = broken(of_sqlite("SQLITE_CANTOPEN")).get("/")
    assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "10", "no-store")
    assert DATABASE_AWAY in answer.content.decode()
    assert "/healthz" in answer.content.decode()


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_how_the_server_is_nobodys_session_is_needed_for(broken: Any, path: str) -> None:
    assert broken(of_sqlite("SQLITE_CANTOPEN")).get(path)["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", ["/api/v1/journals/", "/uploads/"])
def test_programs_read_it_as_json(broken: Any, path: str) -> None:
    answer = broken(of_sqlite("SQLITE_CANTOPEN")).get(path, headers={"Authorization": "Bearer jst_a"})
    assert (answer.status_code, answer.json()) == (503, {"error": DATABASE_AWAY})


def test_a_store_that_refuses_is_told_with_its_cause_and_when_to_come_again(broken: Any) -> None:
    problem = PermissionError(errno.EACCES, "access denied", "s3://bucket/results/1/tables.json")
    answer = broken(problem).get("/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "s3://bucket/results/1/tables.json cannot be opened: access denied." in answer.content.decode()


def test_a_defect_is_still_one(broken: Any) -> None:
    answer = broken(of_sqlite("SQLITE_ERROR")).get("/")
    assert answer.status_code == 500
    assert "Server error" in answer.content.decode()
