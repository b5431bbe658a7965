"""What each piece of start-up code is worth is measured where Spark starts."""

from __future__ import annotations

from pathlib import Path

from bench.inputs import MB
from bench.starting import SIZE_MB
from spark.runtime.in_process import SMALL_BYTES
from tests.generator import bulk


def test_its_input_is_too_large_for_an_inspection_without_a_jvm(tmp_path: Path) -> None:
    bulk.write_segments(tmp_path, SIZE_MB * MB, "none")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.log")) >= SMALL_BYTES
