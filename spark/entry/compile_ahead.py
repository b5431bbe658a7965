"""Compile everything that is compiled, so that the first inspection finds it on disk: `python -m spark.entry.compile_ahead`.

It reads a small segment with every kind of damage the way an inspection does: from a read-only memory map, whose
arrays are a type of their own to the compiler. Spark's Python workers load the same modules and so the same cache.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba.core.dispatcher import Dispatcher

from spark.generator.karapace import digest
from spark.generator.legacy import message, wrapper
from spark.generator.segment import Record, batch
from spark.sources import HEAD_BYTES, InputFile
from spark.sources._json import warm as json_warm
from spark.sources.dump_log_text import warm as print_warm
from spark.sources.log_segment import source
from spark.tables.key_hash import hash_keys

MODULES = (
    "spark.tables.key_hash",
    "spark.sources.log_segment.batches",
    "spark.sources.log_segment.checksums",
    "spark.sources.log_segment.gather",
    "spark.sources.log_segment.records",
    *json_warm.MODULES,
    *print_warm.MODULES,
)
NAME = f"{0:020d}.log"


def segment() -> bytes:
    """Batches, old messages, zeros, a batch that does not end where it says, and a cut tail."""
    records = [Record(b"key", b"value" * 20, headers=[(b"name", None)]), Record(None, None)]
    sound = (
        batch(records, 0)
        + batch(records, 2, codec="lz4")
        + batch([Record(b"\0\0\0\1", b"")], 4, control=True)
    )
    old = message(records[1], 5, 0) + wrapper(records, 6)
    longer = bytearray(batch(records, 10))
    longer[11] += 3
    after_zeros = batch(records, 8) + bytes(longer) + batch(records, 12) + batch(records, 14)[:-5]
    return sound + old + bytes(600) + after_zeros


def compiled_functions() -> Iterator[tuple[str, Any]]:
    """Every compiled function by name."""
    for module in MODULES:
        for name, member in vars(importlib.import_module(module)).items():
            if isinstance(member, Dispatcher) and member.py_func.__module__ == module:
                yield f"{module}.{name}", member


def read_sample() -> int:
    """Read the sample as an inspection does; gives the number of records."""
    records = 0
    with tempfile.TemporaryDirectory(prefix="journalscope-") as folder:
        path = Path(folder) / NAME
        path.write_bytes(segment())
        file = InputFile(NAME, str(path), path.stat().st_size)
        source.recognise(file, segment()[:HEAD_BYTES])
        for split in source.split(file, 0, "warm", 0, ""):
            for chunk in source.read(split):
                if chunk.records is not None:
                    hash_keys(chunk.records.column("key").combine_chunks())
                    records += chunk.records.num_rows
    return records


def main() -> None:
    """Compile, or find it done already."""
    started = time.perf_counter()
    read_sample()
    json_warm.read_sample()
    digest(segment())
    print_warm.read_sample()
    functions = [function for _, function in compiled_functions() if function.signatures]
    fresh = sum(sum(function.stats.cache_misses.values()) > 0 for function in functions)
    seconds = time.perf_counter() - started
    print(f"{len(functions)} functions ready, {fresh} of them compiled now, in {seconds:.1f} s")


if __name__ == "__main__":
    main()
