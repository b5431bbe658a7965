"""What rejected entries lack, with its page and where its text can be taken from, where the journal names the content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.reports.page import Page
from webapp.reports.queries.entity import lacking_contents
from webapp.reports.repair.origins import TextOrigin
from webapp.reports.results import Rows
from webapp.reports.values.needed import lacked, needed, own_hash

CONTENT = "content"


def with_needs(
    page: Page, rejections: Rows, attributes: Mapping[int, str | None], texts: Mapping[str, TextOrigin]
) -> Rows:
    """Each with `why`, its own `hash`, `needs` (`content 48`, or by its hash), `needs_url` and `text`.

    `attributes`: by offset, those of the entry. `texts`: where lost texts can be taken from, by entity.
    """
    contents = lacking_contents(page.partition, sorted({name for row in rejections if (name := lacked(row))}))
    rows = []
    for row in rejections:
        of_entry = attributes.get(row["offset"])
        needs = needed(row, of_entry)
        named: dict[str, Any] = {"needs": needs, "needs_url": "", "text": None}
        if needs and (content := contents.get(lacked(row))):
            name = f"{CONTENT} {content}"
            url = page.url("report-entity", type=CONTENT, id=content)
            named = {"needs": name, "needs_url": url, "text": texts.get(name)}
        rows.append(row | {"why": page.why_rejected(row["reason"]), "hash": own_hash(row, of_entry)} | named)
    return rows
