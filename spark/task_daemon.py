"""Spark's daemon of Python workers (`spark.python.daemon.module`): it has what tasks import before it forks a worker.

Two workers that import the same side by side take a second and a half of processor time each before they do anything.
Nothing that is imported here leaves a thread of its own running when the daemon forks.
"""

from __future__ import annotations

import gc

from pyspark import (
    daemon,
    worker,  # noqa: F401  (what the daemon would import in each worker)
)


def load() -> None:
    """Import what tasks of an inspection use."""
    import spark.pipeline  # noqa: F401
    from spark.detectors import detectors
    from spark.dialects import dialects
    from spark.sources import sources

    sources()
    dialects()
    detectors()
    gc.freeze()  # garbage collection in a worker would write to, and so copy, the pages it shares with us


if __name__ == "__main__":
    load()
    daemon.manager()
