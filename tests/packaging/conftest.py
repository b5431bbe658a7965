"""The wheel of this checkout, built once for all tests, and environments that have nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packaging.built import build
from tests.packaging.environments import Installed, installed


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def slim(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(wheel, "", tmp_path_factory.mktemp("slim"))


@pytest.fixture(scope="session")
def web(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(wheel, "[web,postgres,mcp,saml]", tmp_path_factory.mktemp("web"))
