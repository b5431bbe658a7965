"""The few figures of a report that lists of journals show: kept with the inspection, so that no list opens tables."""

from __future__ import annotations

from collections import Counter
from typing import Any

from spark.dialects import dialects
from spark.sources import sources

READ_KINDS = {"segment", "export"}
FIGURES = ("records", "tombstones", "first_timestamp_ms", "last_timestamp_ms")


def summary(report: dict[str, Any], keys: int) -> dict[str, Any]:
    """records, tombstones, first and last time, keys, topics, dialects, layouts, open findings by severity."""
    roots = [f for f in report["findings"] if not f["consequence_of"] and f["severity"] != "info"]
    return {
        **{name: report["coverage"].get(name) for name in FIGURES},
        "keys": keys,
        "topics": [journal["topic"] for journal in report["journals"]],
        "dialects": _titles(dialects(), [journal["dialect"] for journal in report["journals"]]),
        "layouts": _titles(
            sources(), [file["layout"] for file in report["files"] if file["kind"] in READ_KINDS]
        ),
        "open_findings": dict(Counter(finding["severity"] for finding in roots)),
    }


def _titles(titles: dict[str, Any], ids: list[str | None]) -> list[str]:
    return sorted({titles[id].title for id in ids if id in titles})
