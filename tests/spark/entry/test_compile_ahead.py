"""Warming: what it compiles is what an inspection calls, and another process finds it on disk."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from spark.entry import compile_ahead

SAY_WHAT_WAS_COMPILED = """
import json
from spark.entry import compile_ahead
records = compile_ahead.read_sample()
compile_ahead.json_warm.read_sample()
functions = dict(compile_ahead.compiled_functions())
print(json.dumps([
    records,
    [name for name, function in functions.items() if not function.signatures],
    sum(sum(function.stats.cache_misses.values()) for function in functions.values()),
]))
"""


@pytest.mark.long
@pytest.mark.slow
def test_a_second_process_compiles_nothing() -> None:
    compile_ahead.main()
    said = subprocess.run(
        [sys.executable, "-c", SAY_WHAT_WAS_COMPILED], check=True, capture_output=True, text=True
    ).stdout
    records, never_called, compiled_again = json.loads(said)
    assert records == 12
    ours = [name for name in never_called if "log_segment" in name or "key_hash" in name]
    assert [name for name in ours if not name.rsplit(".", 1)[1].startswith("_")] == []
    assert compiled_again == 0
