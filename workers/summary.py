"""The few figures of a report that lists of journals show: kept with the inspection, so that no list opens tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb

from spark.dialects import dialects
from spark.sources import sources
from spark.tables import Manifest

READ_KINDS = {"segment", "export"}
DATA = "count(*), min(timestamp_ms), max(timestamp_ms), count(*) FILTER (kind = 'tombstone')"


def summary(report: dict[str, Any], results: Path) -> dict[str, Any]:
    """records, tombstones, first_timestamp_ms, last_timestamp_ms, topics, dialects, layouts, open_findings by severity."""
    _, first_ms, last_ms, tombstones = _figures(results)
    roots = [finding for finding in report["findings"] if not finding["consequence_of"]]
    return {
        "records": report["coverage"]["records"],
        "tombstones": tombstones,
        "first_timestamp_ms": first_ms,
        "last_timestamp_ms": last_ms,
        "topics": [journal["topic"] for journal in report["journals"]],
        "dialects": _titles(dialects(), [journal["dialect"] for journal in report["journals"]]),
        "layouts": _titles(sources(), [f["layout"] for f in report["files"] if f["kind"] in READ_KINDS]),
        "open_findings": dict(Counter(finding["severity"] for finding in roots)),
    }


def _titles(known: dict[str, Any], ids: list[str | None]) -> list[str]:
    return sorted({known[id].title for id in ids if id in known})


def _figures(results: Path) -> tuple[int, int | None, int | None, int]:
    """Count, first and last time, tombstones of the data records; -1 is Kafka's word for no time."""
    paths = Manifest.load(results).paths("lifelines")
    if not paths:
        return 0, None, None, 0
    with duckdb.connect() as database:
        rows = database.read_parquet(paths).filter("kind <> 'control' AND timestamp_ms >= 0").aggregate(DATA)
        return rows.fetchall()[0]
