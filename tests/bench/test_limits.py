"""The limits of the machine are measured by real work."""

from __future__ import annotations

import sys
from pathlib import Path

from bench import limits
from tests.generator import bulk

TEN_MILLION = "sum(range(10_000_000))"


def test_a_command_costs_at_least_its_processor_time_and_counts_no_other() -> None:
    idle_seconds, idle_processor = limits.command([sys.executable, "-c", "import time; time.sleep(0.5)"])()
    _, busy_processor = limits.command([sys.executable, "-c", TEN_MILLION])()
    assert idle_seconds > 0.5 > idle_processor
    assert busy_processor > idle_processor


def test_both_parsers_read_the_lines_of_the_bench(tmp_path: Path) -> None:
    bulk.write_kcat_lines(tmp_path / "lines.json", 100_000)
    for parse in (limits.parsed, limits.scanned):
        seconds, _ = limits.fastest(parse(tmp_path / "lines.json"))
        assert seconds > 0
