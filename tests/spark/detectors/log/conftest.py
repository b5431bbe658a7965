"""Findings of the detectors of log structure, over tables in memory that went through the real steps of the log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from spark.detectors import detectors, section_of
from spark.log.epochs import EPOCHS, FORMATS
from spark.report.detect import answer
from spark.report.summarise import link
from spark.tables import TABLES
from spark.terms.findings import Finding
from tests.builders import given_tables

Inspect = Callable[..., list[Finding]]


def log_detectors() -> list[Any]:
    """Those of this folder."""
    return [one for one in detectors().values() if section_of(one.id) == "log"]


@pytest.fixture
def inspect() -> Inspect:
    """Findings of these detectors over tables, causes linked, in the order of ids and offsets."""

    def inspected(*ids: str, **tables: pa.Table) -> list[Finding]:
        first = given_tables(tables)
        steps = {
            name: pa.Table.from_pylist(first.rows(query), schema=TABLES[name].schema)
            for name, query in (("epochs", EPOCHS), ("formats", FORMATS))
        }
        chosen = [one for one in log_detectors() if not ids or one.id in ids]
        found, _ = answer(chosen, given_tables({**tables, **steps}))
        link(found)
        return sorted(found, key=lambda one: (one.detector, one.partition or 0, one.first_offset or 0))

    return inspected
