"""What a rejected entry lacks, and that nothing is said of what is not why it is rejected."""

from __future__ import annotations

import pytest

from webapp.reports.values.needed import needed, own_hash

ATTRIBUTES = '{"contentHash": "ab12"}'


@pytest.mark.parametrize(
    ("reason", "needs", "text"),
    [
        ("content-missing", "content:_/#57", "the content item 57"),
        ("repeated-later", "content:_/#57", "the content item 57"),
        ("already-exists", "content:_/#57", ""),
        ("already-exists", None, ""),
    ],
)
def test_a_need_is_named_where_it_is_the_reason(reason: str, needs: str | None, text: str) -> None:
    rejection = {"reason": reason, "needs": needs, "entity_type": "version", "entity_id": "pay/money/1"}
    assert needed(rejection, ATTRIBUTES) == text
    assert own_hash(rejection, ATTRIBUTES) == ""


@pytest.mark.parametrize("needs", ["content:_/#48", "content:48", "content:_/ab12", "content:acme/48"])
def test_of_its_own_content_an_entry_does_not_say_that_it_needs_it(needs: str) -> None:
    entity_id = needs.partition(":")[2] if "acme" in needs else "48"
    rejection = {
        "reason": "content-null",
        "needs": needs,
        "entity_type": "content",
        "entity_id": entity_id,
    }
    assert needed(rejection, ATTRIBUTES) == ""
