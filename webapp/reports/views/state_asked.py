"""What the address of the State page asks for; what it asks wrongly is left out and said by `problems`."""

from __future__ import annotations

from webapp.reports.queries.state import LAYOUTS, SHOWN, ReplayView, StateAsked
from webapp.reports.results import Rows
from webapp.reports.views.page import Page, page_number
from webapp.reports.views.state_frame import at_of, views_of

MAX_OPENED = 4000  # characters of an address that say what stands open


def read_asked(page: Page, profiles: Rows) -> StateAsked:
    """The reading, the offset, the filters and the layout."""
    asked = page.request.GET
    known = [row["profile"] for row in profiles]
    profile, view = asked.get("profile", ""), asked.get("view", "log")
    return StateAsked(
        ReplayView(profile if profile in known else known[0], view if view in views_of(page) else "log"),
        at_of(page),
        asked["show"] if asked.get("show") in SHOWN else "held",
        asked.get("type", ""),
        asked.get("under", "").strip("/"),
        asked.get("q", ""),
        page_number(page),
        asked["as"] if asked.get("as") in LAYOUTS else "tree",
        asked.get("open", "") if len(asked.get("open", "")) <= MAX_OPENED else "",
    )
