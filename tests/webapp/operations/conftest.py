"""Journals with files, an inspection and results, of any age."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.webapp.journals.conftest import done, inspection, journal, make_journal  # noqa: F401
from webapp.accounts.models import Project
from webapp.journals import uploads
from webapp.journals.models import Inspection, Journal, Upload

MakeJournal = Callable[..., Journal]


@pytest.fixture
def elsewhere(db: None) -> Project:
    """A project that nobody of the cast is in."""
    return Project.objects.create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def superuser(admin: Any) -> Any:
    """Runs the site."""
    admin.is_superuser = True
    admin.save()
    return admin


@pytest.fixture
def make(owner: Any, project: Any, house: Any) -> MakeJournal:
    """`make("name", content=b"...", days=40)`: a whole journal with a finished inspection."""

    def made(name: str, content: bytes = b"12345", days: int = 0, of: Any = None) -> Journal:
        row = uploads.announce(owner, of or project, name, [("a.log", len(content))])
        for upload in Upload.objects.filter(journal=row, blob=None):
            uploads.partial_path(upload).write_bytes(content)
            uploads.finish(upload)
        run = row.inspections.first() or Inspection.objects.create(journal=row)
        Inspection.objects.filter(pk=run.pk).update(state="done")
        run.results.mkdir(parents=True)
        (run.results / "report.json").write_bytes(b"x" * 100)
        Journal.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))
        row.refresh_from_db()
        return row

    return made
