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
from numba.core.caching import FunctionCache
from numba.core.runtime.nrt import rtsys

Function = TypeVar("Function", bound=Callable[..., object])


class StoredCode(FunctionCache):  # type: ignore[misc]  # numba has no types
    """Compiled code on disk. Numba loads all that compiling asks before it loads such code, which needs the symbols of its
    runtime alone; where something is compiled after all, the compiler loads the rest itself."""

    def load_overload(self, sig: object, target_context: object) -> object:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def compiled(function: Function) -> Function:
    """Compile at the first call with arguments of a type; later processes load the code from disk.

    Without numba's own memory: what is compiled makes no arrays, and its callers keep those that they pass. Counting who
    refers to an array, two atomic instructions for each call, was a third of the time of scanning JSON.
    """
    dispatcher = njit(nogil=True, _nrt=False)(function)
    dispatcher._cache = StoredCode(function)
    return cast(Function, dispatcher)
