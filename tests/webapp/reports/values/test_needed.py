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
