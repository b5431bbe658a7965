"""Live tests: only on demand, and only where Java, its compiler and Maven are."""

from __future__ import annotations

import os
import shutil

import pytest

PROGRAMS = ("java", "javac", "mvn")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "live: starts a real Kafka broker; `make test-live`")


@pytest.fixture(autouse=True, scope="session")
def _wanted() -> None:
    if not os.environ.get("LIVE"):
        pytest.skip("starts real brokers; `make test-live` runs it")
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        pytest.skip(f"needs {', '.join(missing)} on the PATH")
