"""Numbers that fit a column's type. Others are null: no broker writes an epoch of 2^31, but a damaged output may show one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

LIMIT = 1 << 63


def fitting(values: Any, arrow_type: pa.DataType) -> pa.Array:
    """A column of this type; numbers outside its range become null."""
    column = values if isinstance(values, pa.Array) else array(values)
    if pa.types.is_integer(arrow_type) and pa.types.is_integer(column.type):
        limits = np.iinfo(arrow_type.to_pandas_dtype())
        has_room = pc.and_(pc.greater_equal(column, int(limits.min)), pc.less_equal(column, int(limits.max)))
        column = pc.if_else(has_room, column, pa.nulls(len(column), column.type))
    return column.cast(arrow_type)


def array(values: Any) -> pa.Array:
    """Values as an Arrow array; integers beyond 64 bits become null."""
    try:
        return pa.array(values)
    except OverflowError:
        return pa.array(
            [value if not isinstance(value, int) or -LIMIT <= value < LIMIT else None for value in values]
        )
