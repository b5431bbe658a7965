"""Somebody who runs the site, and a project that the cast is not in."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.accounts.models import Project


@pytest.fixture
def superuser(db: None) -> Any:
    """Runs the site."""
    from django.contrib.auth.models import User

    return User.objects.create_superuser("superuser", "superuser@example.org", "a long pass phrase")


@pytest.fixture
def elsewhere(db: None) -> Project:
    """Nobody of the cast is in it."""
    return Project.objects.create(slug="elsewhere", name="Elsewhere")
