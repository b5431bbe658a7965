"""Windows of a timeline: what the server needs for the picture of each, with an empty memory of earlier answers at the start."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

from bench.figures import Figure
from webapp.reports.charts import timeline as chart
from webapp.reports.charts.answer import answer_of
from webapp.reports.picture import TimelineRequest, draw
from webapp.reports.queries.keys import find_exact_key
from webapp.reports.queries.partitions import PartitionTables, survey
from webapp.reports.queries.timeline.axis import Axis, AxisRange, whole_span
from webapp.reports.queries.timeline.whole import whole_bars
from webapp.reports.report import read_report
from webapp.reports.results import open_results

WINDOWS = 50
PIXELS = 1100
NARROWEST = 1_000  # records
TARGET_MS = 150
LOOKUPS, LOOKUP_MS = 20, 100
SOME_KEYS = f'SELECT "key" FROM keys USING SAMPLE {LOOKUPS} ROWS (reservoir, 7)'
SEED = 21
AXES: tuple[Axis, ...] = ("offset", "time")


def figures(results: Path, journal_name: str) -> Iterator[Figure]:
    """Slowest twentieth of random windows of each axis, and the first sight of the whole."""
    for axis in AXES:
        first, windows = seconds(results, axis)
        p95, half = (1000 * float(np.percentile(windows, share)) for share in (95, 50))
        detail = f"half of {len(windows)} windows within {half:.0f} ms; the whole, never seen before, {first:.1f} s"
        yield Figure(
            f"timeline window p95, {axis} axis, {journal_name}", p95, TARGET_MS, unit="ms", detail=detail
        )
    slowest = 1000 * max(lookup_seconds(results))
    yield Figure(
        f"key found by its bytes, slowest of {LOOKUPS}, {journal_name}", slowest, LOOKUP_MS, unit="ms"
    )


def seconds(results: Path, axis: Axis) -> tuple[float, list[float]]:
    """Seconds for the whole timeline, then for each window."""
    with open_results(results) as tables:
        places = survey(tables)
        whole = whole_span(places.facts[places.replicas[0]], axis)
    assert whole
    first = seconds_of(results, whole)
    return first, [
        seconds_of(results, span) for span in random_windows(whole, places.facts[places.replicas[0]].marks)
    ]


def lookup_seconds(results: Path) -> list[float]:
    """Seconds per key."""
    seconds = []
    with open_results(results) as tables:
        partition = tables.of(survey(tables).replicas[0])
        for row in tables.rows(SOME_KEYS):
            began = time.perf_counter()
            assert find_exact_key(partition, row["key"])
            seconds.append(time.perf_counter() - began)
    return seconds


def random_windows(whole: AxisRange, records: int) -> Iterator[AxisRange]:
    """Of any width from a thousand records up, small ones as often as large ones, anywhere."""
    dice = random.Random(SEED)
    for _ in range(WINDOWS):
        share = (NARROWEST / records) ** dice.random()
        extent = max(1, int(whole.extent * share))
        first = whole.first + dice.randrange(whole.extent - extent + 1)
        yield AxisRange(whole.axis, first, first + extent - 1)


def seconds_of(results: Path, span: AxisRange) -> float:
    """From the question to the bytes that go to the browser."""
    began = time.perf_counter()
    with open_results(results) as tables:
        places = survey(tables)
        replica = places.replicas[0]
        request = TimelineRequest(span, "type", pixels=PIXELS)
        whole = whole_span(places.facts[replica], span.axis) or span
        drawn = draw(PartitionTables(tables, replica, places), read_report(tables.document), request)
        answer = answer_of(drawn.picture, drawn.notes, whole, whole_bars(tables.of(replica), whole))
        figure = chart.figure(drawn.picture, "light").to_plotly_json()
        gzip.compress(
            orjson.dumps({"figure": figure, **answer}, default=str, option=orjson.OPT_SERIALIZE_NUMPY), 1
        )
    return time.perf_counter() - began
