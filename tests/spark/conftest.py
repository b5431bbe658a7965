"""One Spark session for all tests that need one, and one inspection of each journal of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.spark.corpus_inputs import Inspected, inspected

if TYPE_CHECKING:
    from pyspark import SparkContext


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkContext]:
    """The project's own session on two cores."""
    from spark.runtime.session import context, discard

    yield context("local[2]")
    discard()


@pytest.fixture(scope="session")
def corpus_inspection(run_folder: Path) -> Callable[[Path, list[str]], Inspected]:
    """The inspection of an input of the corpus, by its folder and names."""
    return partial(inspected, run=run_folder)
