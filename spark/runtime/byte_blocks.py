"""32 bytes at a time in compiled functions: which of them are a certain byte, as bits, and copies. By the vector instructions
that the compiler finds in this processor; the positions need not be aligned, and nothing is checked: the caller sees to it
that `at` and the 31 bytes behind it are within the array.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BLOCK = 32  # bytes
_BYTES = ir.VectorType(ir.IntType(8), BLOCK)


@intrinsic
def equal_bits(_context, buffer, at, byte):  # type: ignore[no-untyped-def]
    """(buffer: uint8 array, at, byte) to uint64: bit `k` is set where the byte `at + k` is `byte`."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = builder.load(_pointer(context, builder, signature.args[0], *values[:2]), align=1)
        sought = builder.trunc(values[2], ir.IntType(8))
        lanes = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), sought, ir.IntType(32)(0))
        same_in_all = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
        lanes = builder.shuffle_vector(lanes, ir.Constant(_BYTES, ir.Undefined), same_in_all)
        return _bits(builder, builder.icmp_unsigned("==", block, lanes))

    return types.uint64(buffer, types.int64, types.int64), code


@intrinsic
def high_bits(_context, buffer, at):  # type: ignore[no-untyped-def]
    """(buffer: uint8 array, at) to uint64: bit `k` is set where the byte `at + k` is 0x80 or above."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = builder.load(_pointer(context, builder, signature.args[0], *values), align=1)
        return _bits(builder, builder.icmp_signed("<", block, ir.Constant(_BYTES, [0] * BLOCK)))

    return types.uint64(buffer, types.int64), code


@intrinsic
def copy_block(_context, buffer, at, out, to):  # type: ignore[no-untyped-def]
    """(buffer: uint8 array, at, out: uint8 array, to): the 32 bytes from `at` on stand in `out` from `to` on."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        block = builder.load(_pointer(context, builder, signature.args[0], *values[:2]), align=1)
        builder.store(block, _pointer(context, builder, signature.args[2], *values[2:]), align=1)
        return context.get_dummy_value()

    return types.void(buffer, types.int64, out, types.int64), code


@intrinsic
def lowest(_context, bits):  # type: ignore[no-untyped-def]
    """Position of the lowest bit that is set; 64 if none is."""

    def code(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], ir.IntType(1)(0))

    return types.int64(types.uint64), code


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """To the block from `at` on."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _BYTES.as_pointer())


def _bits(builder: Any, lanes: Any) -> Any:
    """A vector of truths as a number."""
    return builder.zext(builder.bitcast(lanes, ir.IntType(BLOCK)), ir.IntType(64))
