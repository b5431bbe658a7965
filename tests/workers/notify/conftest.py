"""A receiver on this machine, and what there is to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.workers.notify.receiver import Receiver, served
from webapp.accounts.models import Project
from webapp.notifications.events import notify


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    yield from served(Receiver())


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.get(slug="default")


@pytest.fixture(autouse=True)
def receivers_on_this_machine(settings: Any) -> None:
    """The opt-in without which none of them would be asked."""
    settings.WEBHOOK_NETWORKS = ["loopback"]


@pytest.fixture
def tell(project: Project) -> Callable[..., None]:
    def told(key: str = "once", kind: str = "critical_found", **more: Any) -> None:
        said = {
            "subject": "1 critical finding in orders",
            "text": "- Content 2 is lost",
            "path": "/review/7/",
        } | more
        notify(kind, project_id=project.pk, dedupe_key=key, **said)

    return told
