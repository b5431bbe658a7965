"""The one place that starts a Spark session, in this process (`local[*]`) or on a cluster (`spark://...`).

Of PySpark a session needs the SparkContext alone: tasks are given to it as they are, nothing asks Spark SQL, and a
SparkSession on top of it takes the JVM another second to build.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from spark.runtime import java, jvm, private_pyspark
from spark.runtime.jvm import Jvm
from spark.terms.installation import IMPORT_ROOT

if TYPE_CHECKING:
    from pyspark import SparkContext

SECONDS_TO_EXIT = 60
HEAP = "1g"  # the JVM coordinates; records stay in the Python tasks
PREFIX = "SPARK_CONF_"  # of environment variables that are settings of Spark
SPARKS_OWN = "SPARK_CONF_DIR"  # where Spark itself looks for settings
LOCAL, LOCAL_ATTEMPTS = re.compile(r"^local\[(\d+|\*)\]$"), 2
_building = threading.Lock()
_begun: Jvm | None = None  # the last one that this process started

T = TypeVar("T")
R = TypeVar("R")


def context(
    master: str = "local[*]",
    scratch: Path | None = None,
    *,
    more_java_options: str = "",
    use_archive: bool = True,
) -> SparkContext:
    """The context of this process, made at the first call. `scratch` takes shuffle files, else the system's /tmp."""
    with _building:
        return begin(master, scratch, more_java_options=more_java_options, use_archive=use_archive).context()


@dataclass(frozen=True)
class StartingSession:
    """A session on its way: the JVM that was started for it, unless this process had one."""

    jvm: Jvm | None

    def context(self) -> SparkContext:
        from pyspark import SparkContext

        if self.jvm is not None:
            private_pyspark.use_gateway(self.jvm.gateway())
        return SparkContext.getOrCreate()  # with the settings that the JVM was started with


def begin(
    master: str, scratch: Path | None = None, *, more_java_options: str = "", use_archive: bool = True
) -> StartingSession:
    """Start the JVM and come back at once: there is much to import while it starts."""
    logging.getLogger().addFilter(_is_no_repetition)
    os.environ["JAVA_HOME"] = str(java.home())
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    temporary = f"-Djava.io.tmpdir={scratch} " if scratch else ""
    chosen = settings(_java_options(temporary + more_java_options, use_archive))
    if scratch is not None:
        chosen["spark.local.dir"] = str(scratch)
    chosen = {
        "spark.master": trying_again(master),
        "spark.app.name": "journalscope",
        **chosen,
        **of_environment(os.environ),
    }
    os.environ["PYSPARK_PYTHON"] = chosen.get("spark.pyspark.python", sys.executable)  # of the executors
    if private_pyspark.has_gateway():
        return StartingSession(None)
    global _begun
    _begun = jvm.start(chosen)
    return StartingSession(_begun)


def trying_again(master: str) -> str:
    """`local[N]` as `local[N,2]`: Spark tries a task once only there, and a killed Python process would end the whole job."""
    return LOCAL.sub(rf"local[\1,{LOCAL_ATTEMPTS}]", master)


def of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Spark's settings as variables: `SPARK_CONF_task_maxFailures` is `spark.task.maxFailures`; `__` is one underscore."""
    names = (name for name in environment if name.startswith(PREFIX) and name != SPARKS_OWN)
    return {
        "spark."
        + name.removeprefix(PREFIX).replace("__", "\0").replace("_", ".").replace("\0", "_"): environment[
            name
        ]
        for name in sorted(names)
    }


def _is_no_repetition(record: logging.LogRecord) -> bool:
    """Py4J logs a lost connection before it raises it, also for what is freed after we ended the JVM ourselves."""
    return record.msg != "Exception while sending command."


def settings(java_options: str) -> dict[str, str]:
    """Spark's settings; the reasons stand beside them."""
    return {
        "spark.driver.extraJavaOptions": java_options,
        "spark.driver.memory": HEAP,
        "spark.driver.host": os.environ["SPARK_LOCAL_IP"],
        "spark.driver.bindAddress": os.environ["SPARK_LOCAL_IP"],
        "spark.executorEnv.PYTHONPATH": str(IMPORT_ROOT),
        "spark.python.daemon.module": "spark.entry.task_daemon",
        "spark.scheduler.mode": "FAIR",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
        "spark.sql.session.timeZone": "UTC",
    }


def _java_options(extra: str, use_archive: bool) -> str:
    """C1 only: the JVM has little to compute, and half of a cold start is its second compiler."""
    log4j = f"-Dlog4j2.configurationFile=file:{Path(__file__).resolve().with_name('log4j2.properties')}"
    # The JVM's own messages (an archive that does not fit) would go to stdout.
    quiet = "-Xlog:disable -Xlog:all=error:stderr"
    shared = (
        f"-XX:SharedArchiveFile={java.class_archive()}"
        if use_archive and java.class_archive().exists()
        else ""
    )
    return f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m {quiet} {log4j} -XX:-UsePerfData {shared} {extra}".strip()


def discard(*, at_once: bool = False) -> None:
    """End this process's session and its JVM, dead or alive, so that the next call builds anew.

    `at_once` skips Spark's own tidying (a second): for a process about to exit whose scratch folder it removes.
    """
    with _building:
        process = private_pyspark.process_of_jvm()
        private_pyspark.forget(stop_accumulators=not at_once)
        if process is not None:
            _end(process, at_once)


def kill_jvm() -> None:
    """For a process about to exit: end the JVM, also one that a thread still waits for."""
    if _begun is not None:
        _begun.process.kill()


def is_alive() -> bool:
    """Whether this process has a session whose JVM runs and which no cluster has dismissed."""
    from py4j.protocol import Py4JError

    process, context = private_pyspark.process_of_jvm(), private_pyspark.active_context()
    if process is None or process.poll() is not None or context is None:
        return False
    try:
        return not private_pyspark.is_stopped(context)
    except (Py4JError, OSError, AttributeError):  # it ends this moment
        return False


def _end(process: subprocess.Popen[bytes], at_once: bool) -> None:
    """The JVM exits by itself, its exit hooks run, when its stdin closes."""
    try:
        if at_once:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        process.wait(timeout=SECONDS_TO_EXIT)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait()
