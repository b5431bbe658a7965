"""Small inputs of a command are read without Spark; larger ones start it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spark.runtime.in_process import SMALL_BYTES, InProcess, in_process
from spark.runtime.tasks import run_tasks
from workers.management.inspecting import Spark, weight

ROOT = Path(__file__).resolve().parents[3]
LOADED = """
import sys
sys.argv = ["manage.py", "inspect", "{path}"]
import manage
try:
    manage.main()
except SystemExit:
    print("loaded:", *(name for name in ("pyspark", "celery", "requests") if name in sys.modules), file=sys.stderr)
"""


def test_a_small_dump_loads_neither_pyspark_nor_the_web(tmp_path: Path) -> None:
    dump = tmp_path / "orders.json"
    dump.write_text('{"topic":"orders","partition":0,"offset":0,"key":"a","payload":"1"}\n')
    run = subprocess.run(
        [sys.executable, "-c", LOADED.format(path=dump)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=ROOT,
        check=False,
    )
    assert "Read 1 record from 1 file" in run.stdout
    assert run.stderr.strip() == "loaded:"


def test_tasks_run_in_their_order() -> None:
    assert run_tasks(in_process(), lambda number: number * 2, [3, 1, 2], 9) == [6, 2, 4]


def test_the_session_begins_with_the_first_input_that_is_not_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []
    with Spark("local[1]", tmp_path) as spark:
        monkeypatch.setattr(Spark, "context", lambda _: begun.append(True))
        assert isinstance(spark.engine(SMALL_BYTES - 1), InProcess)
        assert begun == []
        spark.engine(SMALL_BYTES)
        assert begun == [True]


def test_the_weight_of_paths_is_that_of_all_files_below_them(tmp_path: Path) -> None:
    (tmp_path / "orders-0").mkdir()
    (tmp_path / "orders-0" / "a.log").write_bytes(bytes(30))
    (tmp_path / "dump.json").write_bytes(bytes(12))
    assert weight([tmp_path / "orders-0", tmp_path / "dump.json"]) == 42
    assert weight([tmp_path / "nothing"]) == 0
