"""Open tables of the results that pages looked at last: their views need not be made again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from spark.tables import Manifest
from spark.tables.connections import PAGE
from spark.tables.store import ResultTables

MAX_IDLE = 32  # of a process, one for each result folder

_idle: OrderedDict[str, ResultTables] = OrderedDict()
_lending = threading.Lock()


@contextmanager
def lent(manifest: Manifest) -> Iterator[ResultTables]:
    """The tables of a result folder, for one request alone."""
    key = repr((manifest.folder, manifest.files))
    with _lending:
        tables = _idle.pop(key, None)
    tables = tables or ResultTables.open(manifest, profile=PAGE)
    try:
        yield tables
    except BaseException:
        tables.close()
        raise
    _give_back(key, tables)


def _give_back(key: str, tables: ResultTables) -> None:
    with _lending:
        surplus = [_idle.pop(key)] if key in _idle else []
        _idle[key] = tables
        if len(_idle) > MAX_IDLE:
            surplus.append(_idle.popitem(last=False)[1])
    for others in surplus:
        others.close()
