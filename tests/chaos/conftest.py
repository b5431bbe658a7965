"""The Redis and the folders of the workers' tests, and a journal that keeps each stage busy."""

from pathlib import Path

import pytest

from tests.workers.conftest import house, redis_server

__all__ = ["house", "redis_server"]


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal that keeps each stage busy for a while."""
    from tests.generator import bulk

    return bulk.write_segments(tmp_path_factory.mktemp("large"), size_bytes=60 << 20)[0].parent
