"""Compiled code: a process that finds it on disk loads nothing that only compiling needs."""

from __future__ import annotations

import subprocess
import sys

CALL = """
import sys
import numpy as np
from spark.sources.log_segment import batches
assert not batches.is_batch(np.zeros(64, np.uint8), 0, 64)
print("numba.np.linalg" in sys.modules)
"""


def test_code_on_disk_is_loaded_without_the_compiler() -> None:
    said = [
        subprocess.run(
            [sys.executable, "-c", CALL], check=True, capture_output=True, text=True
        ).stdout.strip()
        for _ in range(2)  # the first compiles, unless another has
    ]
    assert said[-1] == "False"
