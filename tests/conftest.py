"""The cast of every web test, each named for their part; the stranger is signed in and has no role. What a run has once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import PostgreSQL
from tests.workers.whole_house import House, shared


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
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run of tests know."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def whole_house(run_folder: Path) -> Iterator[House]:
    """Journalscope as `make run` starts it, one for the whole run: for tests that use it and stop nothing of it."""
    with shared(run_folder) as house:
        yield house


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


@pytest.fixture(scope="session")
def corpus_inspection(run_folder: Path) -> Callable[[Path, list[str]], Any]:
    """The inspection of an input of the corpus, by its folder and names: `Inspected`, the same in a whole run."""
    from tests.spark.corpus_inputs import inspected

    return partial(inspected, run=run_folder)
