"""One Spark session for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark import SparkContext


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkContext]:
    """The project's own session on two cores."""
    from spark.runtime.session import context, discard

    yield context("local[2]")
    discard()
