"""Shares made as the worker makes them, and browsers that open them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from spark.redaction.options import Options
from tests.webapp.reports.conftest import get, inspected
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share
from workers.jobs.runner import perform
from workers.kinds.share import KIND

__all__ = ["get", "inspected"]


@pytest.fixture
def share(owner: Any) -> Callable[..., tuple[Share, str]]:
    """`share(inspection, payloads=True)` is a finished share and its token."""

    def make(
        inspection: Any, scope: Scope | None = None, is_made: bool = True, **members: Any
    ) -> tuple[Share, str]:
        flags = {
            name: members.pop(name) for name in ("payloads", "keys", "headers", "names") if name in members
        }
        options = Options(b"", **flags).document()
        terms = Terms(timezone.now() + timedelta(days=30), options, scope=(scope or Scope()).document())
        made, token = create_share(inspection, owner, replace(terms, **members))
        if is_made:
            perform(KIND, str(made.pk))
            made.refresh_from_db()
            assert (made.state, made.error) == ("done", "")
        return made, token

    return make


@pytest.fixture
def guest() -> Client:
    """Nobody we know."""
    return Client()
