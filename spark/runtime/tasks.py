"""The one way in which stages give Spark tasks, and what becomes of a file that a task cannot read or write.

A task that fails with an OSError is tried again as Spark is set (`spark.task.maxFailures`), elsewhere if there is another executor. Its last
attempt gives the failure back as a value: Spark would hand on the text of a traceback, which names neither the machine nor the cause.

A task whose Python process was killed, as the kernel does when memory ends, runs again, too: a task that ran twice leaves nothing twice.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeVar

from spark.runtime.in_process import InProcess
from spark.storage.address import REMEDIES as STORE_REMEDIES
from spark.storage.address import is_address
from spark.terms.errors import DISK_FULL, ExecutorFailure

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

T = TypeVar("T")
R = TypeVar("R")
REMEDIES = {
    "read": "Every executor must see uploads and results under the same paths. Mount them there, or correct their permissions, then try again.",
    "write": "Every executor must be able to write to the folder of the results. Correct its permissions, then try again.",
    "full": "Make room there, then try again.",
}

# Spark's words where a Python process or its connection ended (PythonRunner.scala, PythonWorkerFactory.scala) ...
WORKER_LOST = re.compile(
    r"Python worker exited|Python worker failed|Python daemon|EOFException|SocketException|Broken pipe|Connection reset"
)
RAISED = "PythonException"  # ... and where Python code raised an error
KILLED = (
    "The system killed a Python process of Spark during this work, and again when the work was repeated. The memory may have run out. "
    "Ask an admin to {remedy}, then try again."
)
MORE_MEMORY = {
    True: "give the server more memory, or to set SPARK_MASTER=local[1], so that one task runs at a time",
    False: "give each executor more memory (SPARK_CONF_executor_memoryOverhead) or fewer cores (SPARK_CONF_executor_cores)",
}


@dataclass(frozen=True)
class FileFailure:
    """Of a task, as the executor saw it. `number`: of the errno, 0 where there is none."""

    host: str
    number: int
    why: str
    file: str


def run_tasks(
    context: SparkContext, function: Callable[[T], R], tasks: Sequence[T], slices: int | None = None
) -> list[R]:
    """One Spark task per slice (per item if not given), results in order.

    Raises OSError for a file of this machine, ExecutorFailure for one that another machine could not read or write, and
    where Python processes are killed again and again.
    """
    if not tasks:
        return []
    if isinstance(context, InProcess):
        return [function(task) for task in tasks]
    is_local = context.master.startswith("local")
    attempts = 1 if is_local else int(context.getConf().get("spark.task.maxFailures", "4") or "4")
    rdd = context.parallelize(tasks, slices or len(tasks))
    outcomes: list[R | FileFailure] = collected(rdd.map(answering(function, attempts)), is_local)
    failure = next((outcome for outcome in outcomes if isinstance(outcome, FileFailure)), None)
    if failure is not None:
        fail(failure, is_local)
    return outcomes  # type: ignore[return-value]  # none of them is a failure


def collected(rdd: RDD[R], is_local: bool) -> list[R]:
    """The results of the tasks. Raises ExecutorFailure where Python processes of one task were killed as often as Spark tries it."""
    from py4j.protocol import Py4JJavaError

    try:
        return rdd.collect()
    except Py4JJavaError as problem:
        text = str(problem)
        if RAISED not in text and WORKER_LOST.search(text):
            raise ExecutorFailure(KILLED.format(remedy=MORE_MEMORY[is_local])) from problem
        raise


def answering(function: Callable[[T], R], attempts: int) -> Callable[[T], R | FileFailure]:
    """The function, which gives the last attempt's OSError back."""

    def task(item: T) -> R | FileFailure:
        try:
            return function(item)
        except OSError as problem:
            if attempt() + 1 < attempts:
                raise
            why = problem.strerror or str(problem)
            return FileFailure(socket.gethostname(), problem.errno or 0, why, str(problem.filename or ""))

    return task


def attempt() -> int:
    """Of the task that runs in this process, from 0."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.attemptNumber() if context else 0


def fail(failure: FileFailure, is_local: bool) -> NoReturn:
    """Raise what the executor saw."""
    if is_local:
        raise OSError(failure.number, failure.why, failure.file or None)
    if is_address(failure.file):
        remedy = STORE_REMEDIES.get(failure.number, "Try again; the store's own log may say more.")
        raise ExecutorFailure(
            f"The Spark executor on {failure.host} cannot open {failure.file}: {failure.why}. {remedy}"
        )
    verb, remedy = "open", REMEDIES["read"]
    if failure.number in DISK_FULL:
        verb, remedy = "write", REMEDIES["full"]
    elif failure.number == errno.EROFS:
        verb, remedy = "write", REMEDIES["write"]
    file = failure.file or "a file"
    raise ExecutorFailure(
        f"The Spark executor on {failure.host} cannot {verb} {file}: {failure.why}. {remedy}"
    )
