"""An entity's page: its versions with their differences, the records that made it, what compaction does to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpResponse

from webapp.reports.incidents.victim_words import fate_of
from webapp.reports.page import Page, report_page
from webapp.reports.pages import DISPLAY, NAME, SEARCH, ReportPage
from webapp.reports.pages._state_frame import entity_url, profile_words, replay_of, replay_params, views_of
from webapp.reports.paging import whole_number
from webapp.reports.queries.entity import (
    REJECTIONS_SHOWN,
    ends_of,
    intervals_of,
    moments_of,
    parts_of,
    rejections_of,
    span_of,
    spans_of,
)
from webapp.reports.queries.keys import attributes_at
from webapp.reports.queries.kinds import kinds_at
from webapp.reports.queries.state import VIEWS, ReplayView, profiles_of
from webapp.reports.queries.timeline.pins import Pin
from webapp.reports.repair.needs import with_needs
from webapp.reports.repair.plan import texts_elsewhere
from webapp.reports.results import Rows
from webapp.reports.state_strip import x_of
from webapp.reports.values.attributes import changes, line, pairs
from webapp.reports.values.committed_offsets import CommittedOffset, with_committed_offsets
from webapp.reports.values.entity_texts import Texts, relatives_of, with_differences

MIN_UNITS = 3.0
FINDINGS_SHOWN = 5


@report_page
def entity(page: Page) -> HttpResponse:
    """The page. `id` may be empty: the address has none then."""
    profiles = profiles_of(page.partition)
    params = page.request.GET
    entity_key = {"entity_type": params.get("type", ""), "entity_id": params.get("id", "")}
    replay = replay_of(page, profiles)
    span = span_of(page.partition, replay, entity_key)
    ends = ends_of(page.partition, entity_key)
    rejections = rejections_of(page.partition, replay, entity_key)
    if not (span["intervals"] or ends or rejections):
        raise Http404("No replay of this partition contains this entity.")
    attributes = attributes_at(page.partition, [row["offset"] for row in rejections])
    start = whole_number(params.get("from"))
    rows, following = intervals_of(
        page.partition, replay, entity_key, page.bounds[0] if start is None else start
    )
    texts = Texts(page.partition, replay, entity_key, rows)
    parts = parts_of(page.partition, replay, entity_key["entity_id"])
    parts = with_differences(page.partition, replay, parts)
    findings = page.report.findings_on(_offsets(rows, rejections), page.replica)
    elsewhere = texts_elsewhere(page, findings) if rejections else {}
    text = elsewhere.get(" ".join(entity_key.values()))
    own = [row | entity_key for row in rejections[:REJECTIONS_SHOWN]]
    here = {**entity_key, **replay_params(page, replay)}
    return page.render(
        "reports/entity.html",
        {
            "type": entity_key["entity_type"],
            "id": entity_key["entity_id"],
            "title": entity_key["entity_id"] or "(all)",
            "span": span,
            "fate": fate_of(page.report.document, **entity_key),
            "changed": span["intervals"] - 1,
            "reading": replay,
            "strip": _strip(page, replay, entity_key),
            "timeline_url": page.url("report-timeline", lanes="entity", pin=Pin(**entity_key).id),
            "intervals": _intervals(page, rows, texts),
            "shown": len(rows),
            "next_url": page.url("report-entity", **_address(here), **{"from": following})
            if following is not None
            else None,
            "start_url": page.url("report-entity", **_address(here)) if start is not None else None,
            "committed": _committed(page, entity_key, ends.get(replay)),
            "findings": findings[:FINDINGS_SHOWN],
            "outcomes": _outcomes(views_of(page), replay, ends),
            "readers_of_it": _readers_of_it(replay, profiles, ends),
            "refusals": [
                row | {"text": text or row["text"]} for row in with_needs(page, own, attributes, elsewhere)
            ],
            "more_refusals": len(rejections) > REJECTIONS_SHOWN,
            "text": texts.last,
            "has_secret": texts.has_secret,
            "text_offset": texts.last_offset,
            "parts": [_part(page, replay, row) for row in parts],
            "parts_in_all": parts[0]["parts"] if parts else 0,
            "relatives": [
                row | {"url": entity_url(page, replay, row["entity_type"], row["entity_id"])}
                for row in relatives_of(page.partition, replay, entity_key, rows)
            ],
            "list_url": page.url(
                "report-state", **replay_params(page, replay), under=entity_key["entity_id"]
            ),
            "view_words": VIEWS[replay.view],
            "profile_words": profile_words(replay.profile),
        },
    )


def _committed(page: Page, entity: dict[str, str], end: dict[str, Any] | None) -> CommittedOffset | None:
    """Of a commit that is held at the end: where a consumer of its group continues."""
    if not end:
        return None
    (row,) = with_committed_offsets(page, [{**end, **entity}])
    committed: CommittedOffset | None = row["committed"]
    return committed


def _offsets(rows: Rows, rejections: Rows) -> set[int]:
    """Records that set it, changed it or ended it, and those that the service rejects."""
    names = ("origin_offset", "valid_from_offset", "valid_to_offset")
    return {row[name] for row in rows for name in names if row[name] is not None} | {
        row["offset"] for row in rejections
    }


def _address(here: dict[str, Any]) -> dict[str, Any]:
    names = {"entity_type": "type", "entity_id": "id"}
    return {names.get(name, name): value for name, value in here.items()}


def _part(page: Page, replay: ReplayView, row: dict[str, Any]) -> dict[str, Any]:
    return row | {
        "url": entity_url(page, replay, row["entity_type"], row["entity_id"]),
        "line": line(row["attributes"], row["entity_id"]),
    }


def _intervals(page: Page, rows: Rows, texts: Texts) -> list[dict[str, Any]]:
    """Intervals with what changed from the one before, and the records that made them."""
    offsets = [row["origin_offset"] for row in rows] + [row["valid_from_offset"] for row in rows]
    moments = moments_of(page.partition, offsets)
    kinds = kinds_at(page.partition, [row["valid_from_offset"] for row in rows])
    return [_interval(row, texts, moments, kinds) for row in rows]


def _interval(
    row: dict[str, Any], texts: Texts, moments: dict[int, dict[str, Any]], kinds: dict[int, str]
) -> dict[str, Any]:
    before = row.get("before")
    is_back = before is not None and before["valid_to_offset"] != row["valid_from_offset"]
    origins = [moments.get(each["origin_offset"], {}).get("entry_type") for each in (row, before or row)]
    return row | {
        "kind": kinds.get(row["valid_from_offset"], ""),
        "is_first": before is None,
        "is_back": is_back,
        "moment": moments.get(row["valid_from_offset"]),
        "origin": moments.get(row["origin_offset"]),
        "changes": changes(before["attributes"], row["attributes"]) if before else [],
        "pairs": pairs(row["attributes"]),
        "difference": texts.difference(row) if origins[0] == origins[1] else None,
        "compared_with": texts.compared_with(row),
    }


def _outcomes(
    views: Iterable[str], replay: ReplayView, ends: dict[ReplayView, dict[str, Any]]
) -> list[dict[str, Any]]:
    """For each kind of cleaning: whether the entity is unchanged, changed, lost, revived or absent after it."""
    now = ends.get(ReplayView(replay.profile, "log"))
    outcomes = []
    for view in (view for view in views if view != "log"):
        then = ends.get(ReplayView(replay.profile, view))
        different = changes(now["attributes"], then["attributes"]) if now and then else []
        outcomes.append(
            {"title": VIEWS[view], "word": _outcome(now, then, bool(different)), "changes": different}
        )
    return outcomes


def _outcome(now: dict[str, Any] | None, then: dict[str, Any] | None, is_changed: bool) -> str:
    if now is None:
        return "absent" if then is None else "revived"
    if then is None:
        return "lost"
    return "changed" if is_changed else "unchanged"


def _readers_of_it(
    replay: ReplayView, profiles: Rows, ends: dict[ReplayView, dict[str, Any]]
) -> list[dict[str, Any]]:
    """What each service that reads the journal holds of it at the end; empty where there is one service."""
    if len(profiles) < 2:
        return []
    own = ends.get(replay)
    readers = []
    for row in profiles:
        theirs = ends.get(ReplayView(row["profile"], replay.view))
        different = changes(own["attributes"], theirs["attributes"]) if own and theirs else []
        readers.append(
            {
                "name": profile_words(row["profile"]),
                "is_own": row["is_own"],
                "end": theirs,
                "line": line(theirs["attributes"]) if theirs else "",
                "differs": bool(different) or (own is None) != (theirs is None),
                "changes": different,
            }
        )
    return readers


def _strip(page: Page, replay: ReplayView, entity: dict[str, str]) -> list[dict[str, Any]]:
    """Stretches of offsets in which it exists, in SVG units."""
    first, last = page.bounds
    drawn: list[dict[str, Any]] = []
    for row in spans_of(page.partition, replay, entity):
        begin, end = row["valid_from_offset"], row["valid_to_offset"]
        x = x_of(begin, first, last)
        x_end = 1000.0 if end is None else x_of(end, first, last)
        drawn.append(
            {
                "x": min(x, 1000 - MIN_UNITS),
                "width": max(MIN_UNITS, round(x_end - x - 1, 2)),
                "title": f"offset {begin} – " + ("the end" if end is None else f"{end}"),
                "shade": len(drawn) % 2,
            }
        )
    return drawn


page = ReportPage(
    name="report-entity",
    path="state/entity/",
    view=entity,
    tab="report-state",
    filters={"type": NAME, "id": SEARCH, "view": DISPLAY, "from": DISPLAY},
    read_as="entity.read",
    shared=True,
)
