"""Tasks in this process, one after another: what is small is done before a JVM has started.

It has what the stages ask of a Spark context, and nothing else.
"""

from __future__ import annotations

from importlib import util
from typing import TYPE_CHECKING, cast

from spark.terms.errors import UnreadableInput
from spark.terms.installation import WHEEL

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALL_BYTES = 2 << 20  # less than this is read sooner than a JVM or a second Python worker is started


ALONE_BYTES = 256 << 20  # and this much where PySpark is not installed


def small_bytes() -> int:
    """The size from which an input needs Spark."""
    return SMALL_BYTES if has_spark() else ALONE_BYTES


def has_spark() -> bool:
    """Whether this environment has PySpark: the package without extras does not."""
    return util.find_spec("pyspark") is not None


def needs_spark(input_name: str) -> UnreadableInput:
    """The error for an input that this process alone cannot read."""
    return UnreadableInput(f"{input_name} needs Spark. Install it with: pip install '{WHEEL}[spark]'")


class InProcess:
    """The part of a Spark context that stages use; `run_tasks` calls their functions directly."""

    defaultParallelism = 1  # noqa: N815 - the name that Spark gives it


def in_process() -> SparkContext:
    """Typed as the context that it replaces."""
    return cast("SparkContext", InProcess())
