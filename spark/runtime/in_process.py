"""Tasks in this process, one after another: what is small is done before a JVM has started.

It has what the stages ask of a Spark context, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALL_BYTES = 2 << 20  # less than this is read sooner than a JVM or a second Python worker is started


class InProcess:
    """What the stages ask of a Spark context; `run_tasks` knows it and runs tasks as they are."""

    defaultParallelism = 1  # noqa: N815 - the name that Spark gives it


def in_process() -> SparkContext:
    """For whoever asks for a Spark context."""
    return cast("SparkContext", InProcess())
