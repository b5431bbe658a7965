"""The picture of a window of one partition."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.reports.charts.background import RESTARTS_DRAWN
from webapp.reports.charts.clock import Clock, clock_of
from webapp.reports.charts.timeline import TimelineData
from webapp.reports.picture.flags import flags_of, selected_record
from webapp.reports.picture.gaps import bands_of, missing_of
from webapp.reports.picture.notes import notes_of
from webapp.reports.picture.request import TimelineRequest
from webapp.reports.queries.file_order import file_order_lines
from webapp.reports.queries.gaps import gaps_between
from webapp.reports.queries.isolation import stable_place
from webapp.reports.queries.marks import read_window
from webapp.reports.queries.partitions import PartitionTables
from webapp.reports.queries.timeline.axis import whole_span
from webapp.reports.queries.timeline.clock_jumps import ClockJumps, clock_jumps
from webapp.reports.queries.timeline.folds import Scale, folds_of
from webapp.reports.queries.timeline.other_dumps import only_in_other_dumps
from webapp.reports.queries.timeline.pins import Pins, pins_of
from webapp.reports.queries.timeline.restarts import restarts_between
from webapp.reports.queries.timeline.window import Window
from webapp.reports.report import Report

REMEMBERED_FROM = 50_000  # records: a smaller window is read anew


@dataclass(frozen=True)
class TimelineAnswer:
    """A picture, and sentences about what it leaves out."""

    picture: TimelineData
    notes: list[str]


def draw(partition: PartitionTables, report: Report, request: TimelineRequest) -> TimelineAnswer:
    """The picture of a window of one partition."""
    has_pins = request.by in ("entity", "victims")
    pins = pins_of(partition, report, request.by_hand.entities) if has_pins else Pins()
    if request.folds is None:
        request = replace(request, folds=folds_of([partition], request.span, request.pixels))
    window = _window(partition, request, pins)
    first, last = _offsets(window)
    gaps = gaps_between(partition, first, last)
    has_restarts = partition.facts.restarts > 0
    restarts = restarts_between(partition, request.span) if has_restarts else []
    bands = bands_of(window, gaps)
    is_time = request.span.axis == "time" and not request.compact
    jumps = clock_jumps(partition) if is_time else ClockJumps()
    end_ms = request.span.last if request.span.axis == "time" else partition.facts.last_timestamp_ms or 0
    picture = TimelineData(
        window,
        bands,
        [float(x) for x in restarts[:RESTARTS_DRAWN]],
        flags_of(partition, window, report, request, pins),
        request.hidden,
        request.compact,
        missing_of(partition, window, bands),
        only_in_other_dumps(partition, pins, first, last) if request.span.axis == "offset" else [],
        request.height,
        request.pixels,
        clock_of(request.zone, end_ms) if request.zone else Clock(),
        jumps.in_window(window.span, request.pixels),
        request.folds or (),
        request.names_above,
        pins.more_victims,
        stable_place(partition.results.restricted({}).of(partition.replica)),
        selected_record(partition, window, request, pins),
        request.is_partial,
    )
    lines = file_order_lines(partition) if request.span.axis == "offset" else []
    order = [line for line in lines if first <= line.offset <= last]
    return TimelineAnswer(picture, notes_of(picture, gaps, len(restarts), partition.facts, jumps, order))


def _window(partition: PartitionTables, request: TimelineRequest, pins: Pins) -> Window:
    """The whole of a large partition is what everybody sees first, and few bytes once it is counted."""
    by, by_hand, span = request.by, request.by_hand, request.span
    scale = Scale(span.first, span.last, request.pixels, request.folds or ())
    drawn_extent = round(scale.extent) + 1

    def read() -> Window:
        return read_window(partition, span, by, pins, request.pixels, by_hand, drawn_extent)

    is_whole = span == whole_span(partition.facts, span.axis)
    if not is_whole or partition.facts.marks <= REMEMBERED_FROM:
        return read()
    question = ("window", span, by, request.pixels, by_hand, request.folds)
    return partition.remembered(question, read)


def _offsets(window: Window) -> tuple[int, int]:
    if window.span.axis == "offset":
        return window.span.first, window.span.last
    return window.offsets or (0, -1)
