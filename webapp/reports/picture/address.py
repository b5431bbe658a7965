"""The address of a timeline: which axis, window, lanes and kinds it asks for, and the switches that change it.

    ?x=time&lanes=partition&height=records&from=0&to=99&hide=create&pin=type:Rule&fold=group:rest&open=type:Content&zone=Europe/Berlin

`pin`, `fold` and `open` may come several times (`webapp.reports.queries.timeline.by_hand`). `entity=content 48` finds an entity and pins it.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from webapp.reports.charts.bars import Height
from webapp.reports.charts.look import MARKS
from webapp.reports.figures import plot_pixels
from webapp.reports.page import Page
from webapp.reports.paging import whole_number
from webapp.reports.picture.partitions import span_of_all
from webapp.reports.picture.request import TimelineRequest
from webapp.reports.queries.isolation import restrictions, view_options
from webapp.reports.queries.kinds import FORMER_KINDS
from webapp.reports.queries.partitions import PartitionTables, on_whole_axis, survey_of
from webapp.reports.queries.timeline.axis import Axis, AxisRange, whole_span
from webapp.reports.queries.timeline.by_hand import LanesByHand
from webapp.reports.queries.timeline.lanes import LaneBy
from webapp.reports.queries.timeline.pins import entities_called, pins_of

LANES: dict[str, LaneBy] = {
    "entity": "entity", "type": "type", "key": "key", "partition": "partition", "producer": "producer",
    "transaction": "transaction",
}  # fmt: skip
HEIGHTS: dict[str, Height] = {"bytes": "bytes", "records": "records"}
PARTITIONS_DRAWN = 16
REPLICA_DIVERGENCE = "replica-divergence"
ONE_VALUE = ("x", "lanes", "height", "hide", "from", "to", "zone", "filter")
MANY_VALUES = ("pin", "fold", "open")
ANY_PRODUCER = "SELECT 1 AS is_there FROM records WHERE producer_id >= 0 LIMIT 1"


def read_request(page: Page) -> TimelineRequest | None:
    """What the address asks for; None when the partition has nothing on this axis."""
    query = page.request.GET
    axis: Axis = "time" if query.get("x") == "time" else "offset"
    whole = whole_of(page, axis)
    if whole is None:
        return None
    first, last = whole_number(query.get("from")), whole_number(query.get("to"))
    hidden = {FORMER_KINDS.get(kind, kind) for kind in query.get("hide", "").split(",")} & set(MARKS)
    height = HEIGHTS.get(query.get("height", ""), "records" if axis == "time" else "bytes")
    return TimelineRequest(
        clip(whole, first, last),
        lanes_of_address(page),
        frozenset(hidden),
        height=height,
        pixels=plot_pixels(page.request),
        zone=query.get("zone", "")[:60],
        by_hand=by_hand_of(page),
        names_above=query.get("names") == "above",
        record=whole_number(query.get("record")),
        is_partial=bool(page.reader.query or query.get("filter", "").strip() or page.source.is_narrowed),
    )


def by_hand_of(page: Page) -> LanesByHand:
    query = page.request.GET
    return LanesByHand.of(*(query.getlist(name) for name in MANY_VALUES))


def lanes_of_address(page: Page) -> LaneBy:
    """By default partitions if replicas differ, entities if incidents have victims, else entry types."""
    by = LANES.get(page.request.GET.get("lanes", "")) or default_lanes(page)
    if by == "partition" and len(page.survey.facts) < 2:
        return "type"
    return "type" if by == "entity" and not has_pins(page) else by


def default_lanes(page: Page) -> LaneBy:
    """One replica alone cannot show how it differs. A link to a record selects it among its entities."""
    differ = any(
        cause.detector == REPLICA_DIVERGENCE and cause.is_about(page.replica) for cause in page.report.causes
    )
    return "partition" if differ and not page.request.GET.get("record") else "entity"


def has_pins(page: Page) -> bool:
    """Whether an incident or the address names entities of this partition."""
    return bool(pins_of(page.partition, page.report, by_hand_of(page).entities).pins)


def whole_of(page: Page, axis: Axis) -> AxisRange | None:
    """All that the timeline could show: of one partition, or of those that have lanes."""
    if lanes_of_address(page) == "partition":
        return span_of_all(partitions_of(page)[0], axis)
    return whole_span(page.facts, axis)


def clip(whole: AxisRange, first: int | None, last: int | None) -> AxisRange:
    """The requested part of the axis; all of it if the request is outside."""
    low = max(whole.first, first if first is not None else whole.first)
    high = min(whole.last, last if last is not None else whole.last)
    return AxisRange(whole.axis, low, high) if low <= high else whole


def partitions_of(page: Page) -> tuple[list[PartitionTables], int]:
    """The partitions to draw, and how many are left out. Pinned ones, the page's own and its replicas come first."""
    pinned = by_hand_of(page).pinned_as("partition")
    with_lanes = [replica for replica in page.survey.replicas if page.survey.facts[replica].marks]
    own = page.replica
    with_lanes.sort(key=lambda replica: (replica.name not in pinned, replica != own, replica[:2] != own[:2]))
    drawn = sorted(with_lanes[:PARTITIONS_DRAWN])
    return [_tables(page, replica) for replica in drawn], len(with_lanes) - len(drawn)


def _tables(page: Page, replica: Any) -> PartitionTables:
    """Tables of a partition for the page's isolation level."""
    whole = page.results.restricted({})
    parts = restrictions(page.reader, view_options(whole.of(replica)))
    seen = whole.restricted(parts)
    is_narrowed = parts and page.reader.query
    return PartitionTables(
        seen,
        replica,
        on_whole_axis(survey_of(seen.of(replica), page.survey), page.survey) if is_narrowed else page.survey,
    )


def address_of(page: Page, **changes: Any) -> str:
    """Address of this timeline with some parameters changed; None removes one."""
    query = page.request.GET
    values: dict[str, Any] = {name: query.get(name) for name in ONE_VALUE}
    values |= {name: query.getlist(name) for name in MANY_VALUES} | changes
    many = {name: values.pop(name) for name in MANY_VALUES}
    address = page.url("report-timeline", **values)
    repeated = urlencode([(name, value) for name in MANY_VALUES for value in many[name] or []])
    return address + ("&" if "?" in address else "?") + repeated if repeated else address


def kept_fields(page: Page) -> list[tuple[str, str]]:
    """What a form of this page sends along: everything but the filter and the window."""
    names = [*(name for name in ONE_VALUE if name not in ("filter", "zone", "from", "to")), *MANY_VALUES]
    return [(name, value) for name in names for value in page.request.GET.getlist(name)]


def address_with_entity(page: Page, text: str) -> str | None:
    """This timeline with the entities of that name pinned; None where there are none."""
    pins = [pin.id for pin in entities_called(page.partition, text)]
    return address_of(page, lanes="entity", pin=[*by_hand_of(page).pinned, *pins]) if pins else None


def switches(page: Page, request: TimelineRequest | None) -> list[dict[str, Any]]:
    """Switches for x axis, lanes and height."""
    axis: Axis = "time" if page.request.GET.get("x") == "time" else "offset"
    by = request.by if request else "type"
    height = request.height if request else "bytes"
    axes = (("Offset", None, "offset"), ("Time", "time", "time"))
    return [
        {
            "label": "X axis",
            "choices": [
                (label, address_of(page, x=x, height=None, **{"from": None, "to": None}), axis == value)
                for label, x, value in axes
            ],
        },
        {
            "label": "Lanes",
            "choices": [
                (label, address_of(page, lanes=lane_by, **_window_of(lane_by, by)), by == lane_by)
                for label, lane_by in lane_choices(page)
            ],
        },
        {
            "label": "Height",
            "choices": [
                (measure.capitalize(), address_of(page, height=measure), height == measure)
                for measure in HEIGHTS
            ],
        },
    ]


def _window_of(lane_by: str, by: str) -> dict[str, None]:
    """Parameters that reset the window when the lanes change to or from partitions."""
    return {"from": None, "to": None} if (lane_by == "partition") != (by == "partition") else {}


def lane_choices(page: Page) -> list[tuple[str, LaneBy]]:
    """(label, value) of the kinds of lanes that this report has."""
    choices: list[tuple[str, LaneBy]] = [("Victims and types", "entity")] if has_pins(page) else []
    choices += [("Entry type", "type"), ("Key", "key")]
    if len(page.survey.facts) > 1:
        choices.append(("Partition", "partition"))
    if page.results.restricted({}).row(ANY_PRODUCER):
        choices.append(("Producer", "producer"))
    if page.options.transactions:
        choices.append(("Transaction", "transaction"))
    return choices
