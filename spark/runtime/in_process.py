"""Tasks in this process, one after another: what is small is done before a JVM has started.

It has what the stages ask of a Spark context, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALL_BYTES = 2 << 20  # less than this is read sooner than a JVM or a second Python worker is started


class InProcess:
    """The part of a Spark context that stages use; `run_tasks` calls their functions directly."""

    defaultParallelism = 1  # noqa: N815 - the name that Spark gives it


def in_process() -> SparkContext:
    """Typed as the context that it replaces."""
    return cast("SparkContext", InProcess())
