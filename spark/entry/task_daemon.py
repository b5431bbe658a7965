"""Spark's daemon of Python workers (`spark.python.daemon.module`): it has what tasks import before it forks a worker.

Two workers that import the same side by side take a second and a half of processor time each before they do anything.
Nothing that is imported here leaves a thread of its own running when the daemon forks.
"""

from __future__ import annotations

import gc

from spark.runtime.fork_server import hand_over


def load() -> None:
    """Import what tasks of an inspection use, and what the daemon would import in each worker."""
    from pyspark import daemon, worker  # noqa: F401

    from spark import pipeline  # noqa: F401
    from spark.detectors import detectors
    from spark.dialects import dialects
    from spark.sources import sources

    sources()
    dialects()
    detectors()


def main() -> None:
    """Be the daemon, here or in a process forked from one that has loaded already."""
    if hand_over():
        return
    load()
    gc.freeze()  # garbage collection in a worker would write to, and so copy, the pages it shares with us
    from pyspark import daemon

    daemon.manager()


if __name__ == "__main__":
    main()
