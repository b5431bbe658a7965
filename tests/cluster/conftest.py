"""What the tests of a cluster share: a log, the report on it, a master without workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.standalone import Standalone
from tests.generator.bulk import write_segments
from tests.spark.whole_pipeline import report_of

INPUT_BYTES = 8 << 20


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of several splits."""
    made = tmp_path_factory.mktemp("input")
    (made / "orders-0").mkdir()
    write_segments(made / "orders-0", INPUT_BYTES, "lz4")
    return made


@pytest.fixture(scope="session")
def expected(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report that this process makes of it."""
    return report_of(folder, tmp_path_factory.mktemp("expected") / "results")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Standalone]:
    """A master without workers."""
    with Standalone(tmp_path / "cluster") as started:
        yield started
