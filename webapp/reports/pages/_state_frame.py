"""Shared by the pages about state: addresses, the slider, the switches of the replay."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spark.terms.wording import some
from webapp.reports.page import Page
from webapp.reports.paging import page_number, whole_number
from webapp.reports.queries.compaction import compaction_of
from webapp.reports.queries.entity import moments_of
from webapp.reports.queries.state import (
    LAYOUTS,
    SHOWN,
    VIEWS,
    ReplayView,
    StateQuery,
    changes_along,
    neighbours,
    profiles_of,
)
from webapp.reports.queries.state_differences import (
    Side,
    count_differences,
    count_disagreements,
    ids_in_karapace,
)
from webapp.reports.results import Rows
from webapp.reports.state_strip import Strip, draw

IDS_NAMED = 5  # of schemas that services read differently
MAX_OPENED = 4000  # characters of an address that say what stands open


def replay_of(page: Page, profiles: Rows) -> ReplayView:
    """The replay that the address names; else that of the journal's own service, of the log as it is."""
    profile_names = [row["profile"] for row in profiles] or [""]
    profile, view = page.request.GET.get("profile", ""), page.request.GET.get("view", "log")
    return ReplayView(
        profile if profile in profile_names else profile_names[0], view if view in views_of(page) else "log"
    )


def read_query(page: Page, profiles: Rows) -> StateQuery:
    """The replay, the offset, the filters and the layout of the address; `problems` says what of it is left out."""
    params = page.request.GET
    return StateQuery(
        replay_of(page, profiles),
        at_of(page),
        params["show"] if params.get("show") in SHOWN else "held",
        params.get("type", ""),
        params.get("under", "").strip("/"),
        params.get("q", ""),
        page_number(page),
        params["as"] if params.get("as") in LAYOUTS else "tree",
        params.get("open", "") if len(params.get("open", "")) <= MAX_OPENED else "",
    )


def at_of(page: Page) -> int:
    """The offset in the address, clamped to the partition; by default its last."""
    first, last = page.bounds
    at = whole_number(page.request.GET.get("at"))
    return last if at is None else max(first, min(at, last))


def problems(page: Page) -> list[str]:
    """Why the offset in the address is not used as it is, as sentences."""
    text = page.request.GET.get("at", "")
    at, (first, last) = whole_number(text), page.bounds
    if text and at is None:
        return ["“Offset” is not a whole number, so the end of the journal is shown."]
    if at is not None and not first <= at <= last:
        return [
            f"Offset {at:,} is not in this dump, which contains {first:,} – {last:,}; the nearest is shown."
        ]
    return []


def state_url(page: Page, query: StateQuery, **changed: Any) -> str:
    """Address of this page with some parameters changed. It starts at the first page of the list."""
    changed_query = replace(query, **{"number": 1, **changed})
    return page.url("report-state", **url_params(page, changed_query))


def url_params(page: Page, query: StateQuery) -> dict[str, Any]:
    """The query as parameters; defaults are left out."""
    return {
        **replay_params(page, query.replay),
        "at": None if query.at == page.bounds[1] else query.at,
        "show": None if query.shown == "held" else query.shown,
        "type": query.entity_type,
        "under": query.under,
        "q": query.contains,
        "page": None if query.number == 1 else query.number,
        "as": None if query.layout == "tree" else query.layout,
        "open": query.opened,
    }


def replay_params(page: Page, replay: ReplayView) -> dict[str, Any]:
    """A replay as query parameters: none for the log as it is by its own service's rules."""
    own = profiles_of(page.partition)[0]["profile"]
    return {
        "view": None if replay.view == "log" else replay.view,
        "profile": None if replay.profile == own else replay.profile,
    }


def entity_url(page: Page, replay: ReplayView, entity_type: str, entity_id: str) -> str:
    """Address of an entity's page. An empty id is left out."""
    return page.url("report-entity", type=entity_type, id=entity_id, **replay_params(page, replay))


def around(page: Page, query: StateQuery, profiles: Rows) -> dict[str, Any]:
    """Context of the slider, the switches and the sentences above a list or a difference."""
    changes = changes_along(page.partition, query.replay, page.bounds)
    strip = draw(page.partition, page.report, page.bounds, changes)
    near = neighbours(page.partition, query)
    hidden = url_params(page, replace(query, number=1, at=page.bounds[1]))
    return {
        **slider(page, query.at, strip, near, hidden, lambda at: state_url(page, query, at=at)),
        "readers": view_switch(page, query),
        "services": service_switch(page, query, profiles),
        "view_words": VIEWS[query.replay.view],
        "profile_words": profile_words(query.replay.profile),
        "compaction": compaction(page, query),
        "disagreements": disagreements(page, query, profiles),
    }


def slider(
    page: Page,
    at: int,
    strip: Strip,
    near: Mapping[str, int | None],
    hidden: Mapping[str, Any],
    url: Callable[[int], str],
) -> dict[str, Any]:
    """Context of the slider at an offset. `near`: the changes before and after it; `hidden`: what else the form asks for;
    `url`: the same page at another offset.
    """
    first, last = page.bounds

    def url_of(offset: int | None) -> str | None:
        return url(offset) if offset is not None and first <= offset <= last else None

    return {
        "problems": problems(page),
        "strip": strip,
        "at": at,
        "diff_from": first,
        "diff_to": at,
        "at_x": strip.x_of(at),
        "is_end": at == last,
        "moment": moments_of(page.partition, [at]).get(at),
        "hidden": {name: value for name, value in hidden.items() if value},
        "before_at": near.get("before"),
        "after_at": near.get("after"),
        "before_url": url_of(near.get("before")),
        "after_url": url_of(near.get("after")),
        "first_url": url(first),
        "end_url": url(last),
        "tick_links": [(tick, url(tick.offset)) for tick in strip.links],
    }


def views_of(page: Page) -> dict[str, str]:
    """The log as it is; of a topic that is compacted, also what compaction leaves."""
    is_compacted = compaction_of(page.partition).is_compacted
    return VIEWS if is_compacted else {name: title for name, title in VIEWS.items() if name == "log"}


def view_switch(page: Page, query: StateQuery) -> list[dict[str, Any]]:
    """The state as the log is, or as compaction leaves it; empty where the topic is not compacted."""
    choices = [
        (
            title,
            state_url(page, query, replay=replace(query.replay, view=view)),
            view == query.replay.view,
        )
        for view, title in views_of(page).items()
    ]
    return [{"label": "State", "term": "", "choices": choices}] if len(choices) > 1 else []


def service_switch(page: Page, query: StateQuery, profiles: Rows) -> list[dict[str, Any]]:
    """The service whose rules the replay follows; empty where one service alone reads the journal."""
    choices = [
        (
            profile_words(row["profile"]) + (" (its own)" if row["is_own"] else ""),
            state_url(page, query, replay=replace(query.replay, profile=row["profile"])),
            row["profile"] == query.replay.profile,
        )
        for row in profiles
    ]
    return [{"label": "Read by", "term": "", "choices": choices}] if len(profiles) > 1 else []


def profile_words(profile: str) -> str:
    """`confluent` as a label."""
    return profile.replace("-", " ").capitalize()


def compaction(page: Page, query: StateQuery) -> list[dict[str, Any]]:
    """What each kind of cleaning does to what is held at the end: counts by difference, and where to see them."""
    last = page.bounds[1]
    before = Side(replace(query.replay, view="log"), last)
    effects = []
    for view in (view for view in views_of(page) if view != "log"):
        rows = count_differences(page.partition, before, Side(replace(query.replay, view=view), last))
        counts = {
            difference: [
                (row["entity_type"], row["entities"]) for row in rows if row["difference"] == difference
            ]
            for difference in ("removed", "added", "changed")
        }
        replay = replay_params(page, before.replay)
        url = page.url("report-state", **replay, against=view)
        effects.append({"title": VIEWS[view], "counts": counts, "is_same": not rows, "url": url})
    return effects


def disagreements(page: Page, query: StateQuery, profiles: Rows) -> dict[str, Any] | None:
    """How many entities differ by the rules of the services, and which IDs of schemas; None where there is one service."""
    if len(profiles) < 2:
        return None
    number = count_disagreements(page.partition, query.replay.view, query.at, len(profiles))
    others = [row["profile"] for row in profiles if row["profile"] != query.replay.profile]
    urls = [
        (
            profile_words(other),
            page.url("report-state", **url_params(page, replace(query, number=1)), against=other),
        )
        for other in others
    ]
    names = [row["profile"] for row in profiles]
    is_redpandas = names[0] == "redpanda" and "karapace" in names and query.replay.view == "log"
    ids = ids_in_karapace(page.partition, query.at) if is_redpandas else []
    return {"entities": number, "others": urls, "readers": len(profiles), "ids": of_ids(ids)}


def of_ids(ids: Sequence[int]) -> str:
    """`ID 1 has another schema in Karapace`; empty for none."""
    if not ids:
        return ""
    has = "ID {} has another schema" if len(ids) == 1 else "IDs {} have other schemas"
    return f"{has.format(some([str(number) for number in ids], IDS_NAMED))} in Karapace"
