"""Subscriptions, and what `notify` is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from webapp.notifications import channels
from webapp.notifications.events import notify
from webapp.notifications.models import Channel


@pytest.fixture
def tell(project: Any) -> Callable[..., None]:
    """`tell("assigned", [reviewer])`: something happened in the cast's project."""

    def told(kind: str = "critical_found", users: Any = (), key: str = "once", **members: Any) -> None:
        said = {
            "subject": "1 critical finding",
            "text": "- Content 2 is lost",
            "path": "/review/1/",
        } | members
        notify(kind, project_id=project.pk, users=users, dedupe_key=key, **said)

    return told


@pytest.fixture
def webhook(project: Any, admin: Any) -> Channel:
    """Of the cast's project, told of critical findings; its address answers nobody."""
    return channels.create(
        project, admin, what="webhook", target="https://example.org/hook?token=abc", kinds=["critical_found"]
    )
