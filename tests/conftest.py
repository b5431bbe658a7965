"""The cast of every web test, each named for their part; the stranger is signed in and has no role. A PostgreSQL."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from tests.postgresql import PostgreSQL


def pytest_unconfigure() -> None:
    """What was frozen after the collection can be collected again: else DuckDB prints pages about leaks at the end."""
    gc.unfreeze()


def _person(name: str, role: str | None) -> Any:
    from django.contrib.auth.models import User

    from webapp.accounts.models import Project

    person = User.objects.create_user(name, f"{name}@example.org", "a long pass phrase")
    if role:
        Project.objects.get(slug="default").memberships.create(user=person, role=role)
    return person


@pytest.fixture
def project(db: None) -> Any:
    """The project that everybody of the cast but the stranger is in."""
    from webapp.accounts.models import Project

    return Project.objects.get(slug="default")


@pytest.fixture
def owner(db: None) -> Any:
    """Uploaded the journal of the test; has the role support."""
    return _person("owner", "support")


@pytest.fixture
def viewer(db: None) -> Any:
    """May read and nothing else."""
    return _person("viewer", "viewer")


@pytest.fixture
def reviewer(db: None) -> Any:
    """Works findings off; did not upload the journal."""
    return _person("reviewer", "reviewer")


@pytest.fixture
def admin(db: None) -> Any:
    """Has the role admin; no superuser."""
    return _person("admin", "admin")


@pytest.fixture
def stranger(db: None) -> Any:
    """Signed in without a role."""
    return _person("stranger", None)


@pytest.fixture
def sign_in() -> Any:
    """A browser with a user signed in: `sign_in(owner).get(...)`."""
    from django.test import Client

    def signed_in(user: Any) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A server for the whole run, which starts within two seconds; `new_database()` is a test's own."""
    server = PostgreSQL()
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.remove()
