"""Live tests: only on demand, and only where Java, its compiler and Maven are, and what they fetch can be fetched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.live.jars import fetch, java_11
from tests.live.prints import Prints, printed

BROKERS = ("4.1.1", "3.9.1", "2.8.2", "0.10.2.2")
PROGRAMS = ("java", "javac", "mvn")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "live: starts a real Kafka broker; `make test-live`")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What shares a broker runs in one process: the tests of a file, and all that read the prints of `prints_of`."""
    for item in (one for one in items if one.path.parent == Path(__file__).parent):
        uses_prints = "prints_of" in getattr(item, "fixturenames", ())
        item.add_marker(pytest.mark.xdist_group("prints" if uses_prints else item.path.name))


@pytest.fixture(autouse=True, scope="session")
def _wanted() -> None:
    if not os.environ.get("LIVE"):
        pytest.skip("starts real brokers; `make test-live` runs it")
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} on the PATH")
    try:
        java_11()
        for version in BROKERS:
            fetch(version)
    except (subprocess.SubprocessError, OSError) as wrong:
        pytest.skip(f"the brokers could not be fetched, is there a repository within reach? {wrong}")


@pytest.fixture(scope="session")
def prints_of(_wanted: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Prints]:
    """version -> what its tools printed; each made once."""

    @cache
    def made(version: str) -> Prints:
        return printed(version, tmp_path_factory.mktemp("prints") / version)

    return made
