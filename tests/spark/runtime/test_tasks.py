"""Tasks that meet a file which they cannot read or write: tried again, then told by machine, file and cause."""

from __future__ import annotations

import errno
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spark.runtime import tasks
from spark.runtime.in_process import in_process
from spark.runtime.tasks import FileFailure, answering, fail, run_tasks
from spark.terms.errors import ExecutorFailure

HOST = "10.0.0.7"


def missing(_: object) -> None:
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", "/data/a.log")


def test_an_attempt_that_is_not_the_last_fails_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "attempt", lambda: 2)
    with pytest.raises(FileNotFoundError):
        answering(missing, attempts=4)(None)


def test_the_last_attempt_gives_machine_cause_and_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "attempt", lambda: 3)
    assert answering(missing, attempts=4)(None) == FileFailure(
        socket.gethostname(), errno.ENOENT, "No such file or directory", "/data/a.log"
    )


def test_without_a_failure_the_answer_is_the_functions() -> None:
    assert answering(str, attempts=1)(5) == "5"
    with pytest.raises(ValueError, match="invalid literal"):
        answering(int, attempts=1)("x")


@pytest.mark.parametrize(
    ("number", "why", "sentence"),
    [
        (errno.ENOENT, "No such file or directory", "cannot open /data/a.log: No such file or directory."),
        (errno.EACCES, "Permission denied", "cannot open /data/a.log: Permission denied."),
        (errno.EROFS, "Read-only file system", "cannot write /data/a.log: Read-only file system."),
        (errno.ENOSPC, "No space left on device", "cannot write /data/a.log: No space left on device. Make"),
    ],
)
def test_on_a_cluster_the_executor_and_its_cause_are_named(number: int, why: str, sentence: str) -> None:
    with pytest.raises(ExecutorFailure) as told:
        fail(FileFailure(HOST, number, why, "/data/a.log"), is_local=False)
    assert f"The Spark executor on {HOST} {sentence}" in str(told.value)
    assert str(told.value).endswith("try again.")


def test_on_this_machine_the_error_is_what_it_was() -> None:
    with pytest.raises(OSError, match="No space left") as told:
        fail(FileFailure(HOST, errno.ENOSPC, "No space left on device", "/data/a.log"), is_local=True)
    assert (told.value.errno, told.value.filename) == (errno.ENOSPC, "/data/a.log")


def test_in_process_tasks_raise_by_themselves() -> None:
    assert run_tasks(in_process(), str, []) == []
    assert run_tasks(in_process(), str, [1, 2]) == ["1", "2"]
    with pytest.raises(FileNotFoundError):
        run_tasks(in_process(), missing, [1])


@pytest.mark.spark
def test_a_task_of_a_local_session_raises_the_error_with_its_file(spark: Any) -> None:
    assert run_tasks(spark, str, [1, 2, 3]) == ["1", "2", "3"]
    with pytest.raises(FileNotFoundError) as told:
        run_tasks(spark, missing, [1])
    assert told.value.filename == "/data/a.log"


def killed_once(folder: Path, number: int) -> int:
    """A task whose process is killed at its first run, as the kernel does when memory ends."""
    mark = folder / str(number)
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def killed(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def raises(_: int) -> None:
    raise ValueError("Broken pipe is what the code itself says")


def waits(folder: Path, number: int) -> int:
    """Says its process; at its second run it does not wait for anybody to kill it."""
    has_run = (folder / str(number)).exists()
    (folder / str(number)).write_text(str(os.getppid()))
    while not has_run:
        time.sleep(0.05)
    return number


class TestKilledPythonProcesses:
    """Real ones of a real session."""

    def test_the_tasks_run_again(self, spark: Any, tmp_path: Path) -> None:
        assert run_tasks(spark, partial(killed_once, tmp_path), [1, 2, 3]) == [1, 4, 9]

    def test_all_of_them_at_once_with_the_process_that_they_are_forked_from(
        self, spark: Any, tmp_path: Path
    ) -> None:
        with killing_daemon(tmp_path, tasks_running=2):
            assert run_tasks(spark, partial(waits, tmp_path), [1, 2]) == [1, 2]

    def test_killed_again_the_message_names_memory_and_what_to_set(self, spark: Any) -> None:
        with pytest.raises(ExecutorFailure, match="memory may have run out") as told:
            run_tasks(spark, killed, [1, 2])
        assert "SPARK_MASTER=local[1]" in str(told.value)

    def test_an_error_of_the_code_is_raised_as_it_is(self, spark: Any) -> None:
        with pytest.raises(Exception, match="Broken pipe is what the code itself says") as told:
            run_tasks(spark, raises, [1])
        assert not isinstance(told.value, ExecutorFailure)


@contextmanager
def killing_daemon(folder: Path, tasks_running: int) -> Iterator[None]:
    """Kill Spark's daemon of Python workers and each worker, once so many tasks have said whose child they are."""

    def kill() -> None:
        while len(said := [file for file in folder.iterdir() if file.read_text()]) < tasks_running:
            time.sleep(0.05)
        daemon = int(said[0].read_text())
        children = Path(f"/proc/{daemon}/task/{daemon}/children").read_text().split()
        for process in (daemon, *map(int, children)):
            os.kill(process, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    yield
    killer.join()
