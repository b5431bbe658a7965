"""Detectors: one folder per section of the catalogue, one module per detector, found by discovery.

A detector is a pure function of tables: `find` returns one row per finding (a lazy DataFrame, so that all
detectors run in one Spark job), `describe` turns such a row into words on the driver. Its module ends in
`detector = Detector(...)`; its page is docs/detectors/<id>.md, its test tests/spark/detectors/<section>/.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from spark.findings import Finding

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Row = Mapping[str, Any]


class Tables(dict[str, "DataFrame"]):
    """The tables of an inspection as DataFrames, by name, opened when first asked for.

    A table without rows is an empty DataFrame.
    """

    def __init__(
        self, opened: Mapping[str, DataFrame] | None = None, opener: Callable[[str], DataFrame] | None = None
    ):
        super().__init__(opened or {})
        self._opener = opener

    def __missing__(self, name: str) -> DataFrame:
        if self._opener is None:
            raise KeyError(name)
        self[name] = self._opener(name)
        return self[name]


@dataclass(frozen=True)
class Detector:
    """One row of the catalogue.

    find      tables -> one row per finding, any columns, or None when nothing can be found in them
    describe  such a row (nested values as dicts and lists) -> Finding
    headline  the findings of this detector that are root causes -> the clause it adds to the verdict,
              such as "3 contents will be lost at the next compaction"
    rows_of   the table without whose rows there is nothing to find (spares the job the trouble); empty: run always
    needs     keys of `spark.sources.LACKS` that a source must not lack
    dialects  ids of the dialects it speaks about; empty: all
    follows   ids of detectors whose findings may be the cause of this one's (linked by shared entities)
    """

    id: str
    title: str
    find: Callable[[Tables], DataFrame | None]
    describe: Callable[[Row], Finding]
    headline: Callable[[list[Finding]], str]
    rows_of: str = ""
    needs: frozenset[str] = frozenset()
    dialects: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()


@cache
def detectors() -> dict[str, Detector]:
    """All detectors by id, in the order of the catalogue's sections and module names."""
    modules = sorted(m.name for m in pkgutil.walk_packages(__path__, __name__ + ".") if not m.ispkg)
    found = [importlib.import_module(name) for name in modules if not name.rsplit(".", 1)[1].startswith("_")]
    return {module.detector.id: module.detector for module in found if hasattr(module, "detector")}
