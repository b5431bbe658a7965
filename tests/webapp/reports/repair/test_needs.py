"""What a rejected entry lacks: the content by its number where the journal names it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from webapp.reports.page import Page
from webapp.reports.repair.needs import with_needs

HASH = "ab" * 32
LACKS = f"content:_/{HASH}"


def page_with(*contents: str) -> Page:
    rows = [{"needs": LACKS, "entity_id": content} for content in contents]
    partition = SimpleNamespace(rows=lambda sql, values: rows)
    stub = {"partition": partition, "why_rejected": str, "url": lambda name, **params: params["id"]}
    return cast(Page, SimpleNamespace(**stub))


def rejection(entity_type: str, entity_id: str) -> dict[str, Any]:
    return {
        "offset": 7, "reason": "content-null", "needs": LACKS, "entity_type": entity_type, "entity_id": entity_id,
    }  # fmt: skip


def test_a_content_has_its_number_and_page_where_the_journal_names_it() -> None:
    (row,) = with_needs(page_with("48"), [rejection("version", "pay/money/1")], {}, {})
    assert (row["needs"], row["needs_url"]) == ("content 48", "48")
    (unnamed,) = with_needs(page_with(), [rejection("version", "pay/money/1")], {}, {})
    assert unnamed["needs"] == f"the content item with hash {HASH[:12]}…"


def test_a_content_that_is_itself_what_lacks_needs_nothing_and_has_its_hash() -> None:
    attributes = {7: f'{{"contentHash": "{HASH}"}}'}
    (row,) = with_needs(page_with("48"), [rejection("content", "48")], attributes, {})
    assert (row["needs"], row["needs_url"], row["hash"]) == ("", "", HASH)
