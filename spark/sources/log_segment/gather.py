"""Copies fields from scattered addresses into one contiguous buffer, in compiled code."""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from spark.runtime.compiled import compiled
from spark.sources.log_segment.batches import Bytes, Numbers


@intrinsic
def _copy_bytes(typing_context, target, source, size):  # type: ignore[no-untyped-def]
    """memcpy by address: eleven times as fast as a loop over bytes."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        pointer = ir.IntType(8).as_pointer()
        to_address, from_address = (builder.inttoptr(address, pointer) for address in arguments[:2])
        cgutils.raw_memcpy(builder, to_address, from_address, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@compiled
def gather(addresses: Numbers, sizes: Numbers, ends: NDArray[np.int32], target: Bytes) -> None:
    """Copies each field to its place: field `i` to `ends[i]`; null fields (size -1) are skipped."""
    to_address = target.ctypes.data
    for field in range(addresses.size):
        if sizes[field] > 0:
            _copy_bytes(
                np.int64(to_address + ends[field]), np.int64(addresses[field]), np.int64(sizes[field])
            )
