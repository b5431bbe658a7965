"""Compile everything that is compiled, so that the first inspection finds it on disk: `python -m spark.entry.compile_ahead`.

It reads a small segment with every kind of damage the way an inspection does: from a read-only memory map, whose
arrays are a type of their own to the compiler. Spark's Python workers load the same modules and so the same cache.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba.core.dispatcher import Dispatcher

from spark.sources import HEAD_BYTES, InputFile
from spark.sources._json import warm as json_warm
from spark.sources.dump_log_text import warm as print_warm
from spark.sources.log_segment import source
from spark.tables.forms import forms_of
from spark.tables.key_hash import hash_keys

MODULES = (
    "spark.tables.forms",
    "spark.tables.key_hash",
    "spark.sources.log_segment.batches",
    "spark.sources.log_segment.checksums",
    "spark.sources.log_segment.gather",
    "spark.sources.log_segment.records",
    *json_warm.MODULES,
    *print_warm.MODULES,
)
SEGMENT = Path(__file__).with_name("damaged_segment.log")  # made by tests/generator/shipped.py
NAME = f"{0:020d}.log"


def compiled_functions() -> Iterator[tuple[str, Any]]:
    """Every compiled function by name."""
    for module in MODULES:
        for name, member in vars(importlib.import_module(module)).items():
            if isinstance(member, Dispatcher) and member.py_func.__module__ == module:
                yield f"{module}.{name}", member


def read_sample() -> int:
    """Read the sample as an inspection does; gives the number of records."""
    records = 0
    file = InputFile(NAME, str(SEGMENT), SEGMENT.stat().st_size)
    source.recognise(file, SEGMENT.read_bytes()[:HEAD_BYTES])
    for split in source.split(file, 0, "warm", 0, ""):
        for chunk in source.read(split):
            if chunk.records is not None:
                hash_keys(chunk.records.column("key").combine_chunks())
                forms_of(chunk.records.column("value").combine_chunks())
                records += chunk.records.num_rows
    return records


def main() -> None:
    """Compile, or find it done already."""
    started = time.perf_counter()
    read_sample()
    json_warm.read_sample()
    print_warm.read_sample()
    functions = [function for _, function in compiled_functions() if function.signatures]
    fresh = sum(sum(function.stats.cache_misses.values()) > 0 for function in functions)
    seconds = time.perf_counter() - started
    print(f"{len(functions)} functions ready, {fresh} of them compiled now, in {seconds:.1f} s")


if __name__ == "__main__":
    main()
