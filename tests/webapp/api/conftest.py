"""Programs with tokens: `call(token).get("/journals/")` on the real addresses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.webapp.clusters.conftest import cluster  # noqa: F401
from tests.webapp.reports.conftest import inspected  # noqa: F401
from tests.webapp.sharing.conftest import guest, share  # noqa: F401
from webapp.api.tokens import create_token


@dataclass
class Program:
    """Something that calls the API with a token."""

    text: str

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """A request below /api/v1."""
        named = {"Authorization": f"Bearer {self.text}"} | {
            k.replace("_", "-"): v for k, v in headers.items()
        }
        content = b"" if body is None else json.dumps(body).encode()
        kind = "application/json"
        address = path if path.startswith(("/api/", "/uploads/", "http")) else f"/api/v1{path}"
        return Client().generic(method, address, content, kind, headers=named)

    def get(self, path: str, **headers: str) -> Any:
        """Read."""
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Do."""
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        """Change."""
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        """Delete."""
        return self.send("DELETE", path, **headers)


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    """Requests of other tests do not count against this one's limit."""
    cache.clear()


@pytest.fixture
def program() -> Callable[..., Program]:
    """`program(owner)` has every scope; `program(owner, "read", project=...)` only what is said."""

    def make(user: Any, *scopes: str, **members: Any) -> Program:
        every = ("read", "upload", "inspect", "review", "share", "admin")
        end = timezone.now() + timedelta(days=1)
        return Program(create_token(user, "a program", scopes or every, end, **members)[1])

    return make


@pytest.fixture
def theirs(db: None) -> Any:
    """A journal in a project that nobody of the cast is in; its name is a mark to look for."""
    from webapp.accounts.models import Project
    from webapp.journals.models import Inspection, Journal

    other = Project.objects.create(slug="hidden-project", name="HIDDENMARK project")
    journal = Journal.objects.create(project=other, name="HIDDENMARK journal", ticket="HIDDENMARK-1")
    Inspection.objects.create(journal=journal, state="done", verdict_sentence="HIDDENMARK")
    return journal
