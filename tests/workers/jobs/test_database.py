"""The database goes away while work is done: its outcome is kept, or it is queued again; it never fails for that."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import QuerySet

from tests.workers.jobs.test_broker_gone import attempt, row
from webapp.journals.models import Inspection, Journal
from workers.jobs import database, heartbeat, runner
from workers.jobs.runner import perform

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """In no hurry, and outside the transaction that pytest-django puts around each test; the connections closed."""
    closed: list[bool] = []
    outside = SimpleNamespace(in_atomic_block=False, close=lambda: closed.append(True))
    monkeypatch.setattr(database, "connection", outside)
    monkeypatch.setattr(database, "PAUSE_SECONDS", 0.01)
    return closed


@pytest.fixture
def waiting(project: Any, house: Any) -> Inspection:
    """An inspection in the queue."""
    return Inspection.objects.create(journal=Journal.objects.create(project=project, name="journal"))


def gone(name: str = "SQLITE_CANTOPEN") -> OperationalError:
    """As Django raises it."""
    problem, cause = OperationalError("gone"), sqlite3.OperationalError("gone")
    cause.sqlite_errorname = name
    problem.__cause__ = cause
    return problem


def losing(times: int, call: Callable[..., Any], happens: bool = False) -> Callable[..., Any]:
    """The call, lost so many times; `happens`: only its answer is."""
    left = iter(range(times))

    def lost(*given: Any, **named: Any) -> Any:
        if next(left, None) is None:
            return call(*given, **named)
        if happens:
            call(*given, **named)
        raise gone()

    return lost


def test_what_is_asked_is_asked_again_over_new_connections(closed: list[bool]) -> None:
    assert database.retry_while_away("one", losing(3, lambda: "answer")) == "answer"
    assert closed == [True] * 3


@pytest.mark.parametrize("problem", [IntegrityError("no"), gone("SQLITE_ERROR"), ValueError("no")], ids=str)
def test_what_is_refused_is_not_asked_again(problem: Exception) -> None:
    def call() -> None:
        calls.append(1)
        raise problem

    calls: list[int] = []
    with pytest.raises(type(problem)):
        database.retry_while_away("one", call)
    assert calls == [1]


def test_nobody_waits_forever_nor_while_the_worker_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 0.05)
    with pytest.raises(OperationalError):
        database.retry_while_away("one", losing(1000, int))
    monkeypatch.setattr(database, "PATIENCE_SECONDS", 600.0)
    monkeypatch.setattr(heartbeat, "is_stopping", lambda: True)
    with pytest.raises(OperationalError):
        database.retry_while_away("one", losing(1000, int))


def test_a_transaction_is_not_gone_on_with_over_another_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "connection", connection)
    with pytest.raises(OperationalError), transaction.atomic():
        database.retry_while_away("one", losing(1, int))


@pytest.mark.parametrize("happens", [False, True], ids=["nothing came", "the answer was lost"])
def test_an_outcome_is_kept_once_the_database_is_back(
    waiting: Inspection, monkeypatch: pytest.MonkeyPatch, happens: bool
) -> None:
    def lose(_: Any) -> None:
        monkeypatch.setattr(QuerySet, "update", losing(3, QuerySet.update, happens))
        monkeypatch.setattr(QuerySet, "exists", losing(2, QuerySet.exists))

    perform(attempt(lose), str(waiting.pk))
    assert row(waiting) == ("done", 1, "")
    assert (waiting.results / "report.json").exists()


def test_an_outcome_that_was_kept_before_the_answer_was_lost_is_kept_once(
    waiting: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = iter([True])

    @contextmanager
    def atomic() -> Iterator[None]:
        with transaction.atomic():
            yield
        if next(lost, False):  # the database took it and went away before it said so
            raise gone()

    monkeypatch.setattr(runner, "transaction", SimpleNamespace(atomic=atomic))
    perform(attempt(lambda _: None), str(waiting.pk))
    assert row(waiting) == ("done", 1, "")
    assert (waiting.results / "report.json").exists()


def test_one_that_needs_the_database_itself_is_queued_again_and_the_attempt_does_not_count(
    waiting: Inspection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_: Any) -> None:
        monkeypatch.setattr(QuerySet, "update", losing(2, QuerySet.update))
        raise gone()

    perform(attempt(ask), str(waiting.pk))
    assert row(waiting) == ("queued", 0, "")


def test_what_cannot_be_looked_at_is_looked_at_later() -> None:
    with database.skipped_while_away():
        raise gone()
    with pytest.raises(OperationalError), database.skipped_while_away():
        raise gone("SQLITE_ERROR")
