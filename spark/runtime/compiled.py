"""The one way to compile a function with numba: without the GIL, kept on disk, so that only the first run pays.

A compiled function that calls one of another file keeps the old code when that file changes (numba looks only at
the caller's file): functions that call each other stand in one file. `python -m spark.entry.compile_ahead` compiles them all.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar, cast

from spark.terms.installation import compiled_code

if folder := compiled_code():
    os.environ.setdefault("NUMBA_CACHE_DIR", str(folder))

from numba import njit

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile at the first call with arguments of a type; later processes load the code from disk.

    Without numba's own memory: what is compiled makes no arrays, and its callers keep those that they pass. Counting who
    refers to an array, two atomic instructions for each call, was a third of the time of scanning JSON.
    """
    return cast(Function, njit(nogil=True, cache=True, _nrt=False)(function))
