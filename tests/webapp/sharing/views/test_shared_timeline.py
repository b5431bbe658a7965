"""The timeline of a link that holds a part of the report."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from webapp.sharing.scopes import Scope


@pytest.mark.parametrize(
    ("scope", "name", "is_part"),
    [(Scope("finding", "cause"), "This link", True), (Scope(), "Whole journal", False)],
    ids=["finding", "report"],
)
def test_a_part_is_not_called_the_whole_journal(
    inspected: Any, share: Any, guest: Any, scope: Scope, name: str, is_part: bool
) -> None:
    token = share(inspected(), scope, names=True)[1]
    page = guest.get(f"/s/{token}/timeline/", follow=True).content.decode()
    answer = json.loads(guest.get(f"/s/{token}/timeline/figure.json").content)
    assert f"{name} {answer['wholeRecords']}" in " ".join(re.sub(r"<[^>]+>", " ", page).split())
    assert answer["wholeRecords"] == ("3 records" if is_part else "11 records")
    assert any("may leave out records" in note for note in answer["notes"]) == is_part
