"""Who is told of what: nobody who did not ask, nobody twice, nobody who may not see the project."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from webapp import celery_client
from webapp.notifications import channels
from webapp.notifications.events import next_digest
from webapp.notifications.models import Delivery, Message

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Tasks that were put into the queue."""
    tasks: list[str] = []
    monkeypatch.setattr(celery_client, "send", lambda task, *_: tasks.append(task) or True)
    return tasks


def recipients() -> list[str]:
    return sorted(one.user.username if one.user else one.channel.what for one in Delivery.objects.all())


def test_nothing_is_sent_to_who_did_not_ask(tell: Any, reviewer: Any, viewer: Any) -> None:
    tell("assigned", [reviewer])
    tell("critical_found")
    assert (Message.objects.count(), Delivery.objects.count()) == (0, 0)


def test_each_kind_goes_to_those_who_asked_for_it(
    tell: Any, reviewer: Any, viewer: Any, webhook: Any
) -> None:
    channels.save_preferences(reviewer, kinds=["assigned", "critical_found"])
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell("critical_found", key="a")
    assert recipients() == ["reviewer", "viewer", "webhook"]
    Delivery.objects.all().delete()
    tell("assigned", [reviewer], key="b")
    tell("mentioned", [reviewer, viewer], key="c")
    assert recipients() == ["reviewer"]


def test_only_those_named_are_told_not_everybody_who_subscribed(tell: Any, reviewer: Any, owner: Any) -> None:
    channels.save_preferences(reviewer, kinds=["assigned"])
    channels.save_preferences(owner, kinds=["assigned"])
    tell("assigned", [owner])
    assert recipients() == ["owner"]


def test_who_is_in_another_project_or_none_is_not_told(tell: Any, stranger: Any, viewer: Any) -> None:
    from webapp.accounts.models import Project

    other = Project.objects.create(slug="other", name="Other")
    other.memberships.create(user=stranger, role="admin")
    channels.create(other, stranger, what="mail", target="a@example.org", kinds=["critical_found"])
    channels.save_preferences(stranger, kinds=["critical_found", "assigned"])
    tell("critical_found")
    tell("assigned", [stranger])
    assert recipients() == []


def test_a_superuser_without_a_membership_may_ask_to_be_told(tell: Any) -> None:
    root = User.objects.create_superuser("root", "root@example.org", "x")
    channels.save_preferences(root, kinds=["critical_found"])
    tell()
    assert recipients() == ["root"]


def test_the_same_event_is_told_once(tell: Any, viewer: Any) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell(key="same")
    tell(key="same")
    tell(key="another")
    assert Delivery.objects.count() == 2


def test_an_unknown_kind_is_a_defect(tell: Any) -> None:
    with pytest.raises(ValueError, match="is not a kind of notification"):
        tell("everything")


def test_what_neither_mail_nor_databases_take_becomes_a_mark(tell: Any, viewer: Any) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"])
    tell(subject="Line\nbreak \0 and \udcff", text="x" * 9000)
    message = Message.objects.get()
    assert message.subject == "Line break ␀ and ?"
    assert len(message.text) == 5000


def test_it_is_sent_when_the_transaction_is_safe_and_not_if_it_fails(
    sent: list[str], reviewer: Any, tell: Any, django_capture_on_commit_callbacks: Any
) -> None:
    channels.save_preferences(reviewer, kinds=["critical_found"])
    with django_capture_on_commit_callbacks(execute=True):
        tell()
        assert sent == []
    assert sent == ["journalscope.notify"]

    def tell_and_fail() -> None:
        with transaction.atomic():
            tell(key="undone")
            raise RuntimeError

    with django_capture_on_commit_callbacks(execute=True), pytest.raises(RuntimeError):
        tell_and_fail()
    assert (len(sent), Delivery.objects.count()) == (1, 1)


def test_a_digest_waits_for_its_hour(tell: Any, viewer: Any) -> None:
    channels.save_preferences(viewer, kinds=["critical_found"], is_digest=True, digest_hour=7)
    tell()
    delivery = Delivery.objects.get()
    assert delivery.in_digest
    assert (delivery.next_try_at.hour, delivery.next_try_at.minute) == (7, 0)


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2026, 1, 31, 6, 59, tzinfo=UTC), datetime(2026, 1, 31, 7, tzinfo=UTC)),
        (datetime(2026, 1, 31, 7, 0, tzinfo=UTC), datetime(2026, 2, 1, 7, tzinfo=UTC)),
        (datetime(2026, 1, 31, 23, 5, tzinfo=UTC), datetime(2026, 2, 1, 7, tzinfo=UTC)),
    ],
)
def test_the_next_digest(now: datetime, due: datetime) -> None:
    assert next_digest(now, 7) == due


def test_webhooks_are_told_of_each_by_itself(project: Any, admin: Any) -> None:
    made = channels.create(
        project, admin, what="webhook", target="https://example.org/", kinds=[], is_digest=True
    )
    assert not made.is_digest
    channels.change(made, admin, is_digest=True)
    made.refresh_from_db()
    assert not made.is_digest
