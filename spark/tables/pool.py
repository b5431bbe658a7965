"""Open tables of the results that pages looked at last: their views need not be made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from spark.tables import Manifest
from spark.tables.connections import PAGE, PAGE_OF_FEW_ROWS
from spark.tables.store import ResultTables

MAX_IDLE = 32  # of a process, one for each result folder
# Two row groups: with fewer rows a second thread has nothing to do and costs a third more.
FEW_ROWS = 100_000

_idle: OrderedDict[str, ResultTables] = OrderedDict()
_lending = threading.Lock()


@contextmanager
def lent(manifest: Manifest) -> Iterator[ResultTables]:
    """The tables of a result folder, for one request alone."""
    key = repr((manifest.folder, manifest.files))
    with _lending:
        tables = _idle.pop(key, None)
    tables = tables or _opened(manifest)
    try:
        yield tables
    except BaseException:
        tables.close()
        raise
    _give_back(key, tables)


def _opened(manifest: Manifest) -> ResultTables:
    is_small = max(manifest.rows.values(), default=0) <= FEW_ROWS
    return ResultTables.open(manifest, profile=PAGE_OF_FEW_ROWS if is_small else PAGE)


def _give_back(key: str, tables: ResultTables) -> None:
    with _lending:
        surplus = [_idle.pop(key)] if key in _idle else []
        _idle[key] = tables
        if len(_idle) > MAX_IDLE:
            surplus.append(_idle.popitem(last=False)[1])
    for others in surplus:
        others.close()
