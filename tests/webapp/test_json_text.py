"""JSON that nests deeply is refused in a sentence, wherever somebody may send or show some."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.test import Client

from spark.codecs import json_text
from tests.builders import records_table
from tests.webapp.reports.conftest import inspected
from tests.webapp.reports.result_folder import write_results
from webapp.api.tokens import create_token

__all__ = ["inspected"]

DEPTHS = [json_text.MAX_DEPTH + 1, 500, 5_000, 100_000]


def nested(depth: int, opens: str = "[", closes: str = "]") -> str:
    return opens * depth + closes * depth


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(("opens", "closes"), [("[", "]"), ('{"a":[', "]}")], ids=["arrays", "objects"])
def test_what_nests_too_deeply_is_a_value_error(depth: int, opens: str, closes: str) -> None:
    with pytest.raises(json_text.TooDeep, match="nests deeper than 100 levels"):
        json_text.read(f"{opens * depth}1{closes * depth}")


def test_what_journals_and_requests_hold_is_read() -> None:
    text = nested(json_text.MAX_DEPTH)
    assert json_text.read(text) == json.loads(text)
    assert json_text.read('{"a": [1, {"b": null}], "c": "[[["}') == {"a": [1, {"b": None}], "c": "[[["}


API = [
    ("POST", "journals/"), ("PATCH", "journals/{journal}/"), ("POST", "journals/{journal}/inspections/"),
    ("POST", "inspections/{inspection}/read-as/"), ("POST", "inspections/{inspection}/shares/"),
    ("POST", "inspections/{inspection}/repairs/"), ("POST", "findings/decide/"), ("POST", "filters/"),
    ("POST", "projects/"), ("PATCH", "projects/default/settings/"), ("POST", "projects/default/channels/"),
    ("POST", "projects/default/members/"), ("POST", "projects/default/rules/"), ("POST", "clusters/"),
    ("PATCH", "me/notifications/"), ("POST", "comparisons/"), ("POST", "projects/default/try-rule/"),
]  # fmt: skip


@pytest.mark.parametrize("depth", DEPTHS[1:])
def test_the_api_answers_400_wherever_it_takes_a_body(depth: int, inspected: Any, admin: Any) -> None:
    inspection = inspected()
    admin.is_superuser = True
    admin.save()
    client = Client(raise_request_exception=False)
    client.force_login(admin)
    told = {}
    for method, path in API:
        address = "/api/v1/" + path.format(journal=inspection.journal_id, inspection=inspection.pk)
        for text in (nested(depth), f'{{"name": {nested(depth)}}}'):
            answer = client.generic(method, address, text, content_type="application/json")
            if answer.status_code not in (404, 405):  # not where this installation has it
                told[method, path] = (answer.status_code, json.loads(answer.content)["error"])
    assert set(told.values()) == {(400, json_text.TOO_DEEP)}
    assert len(told) >= 12


def test_the_pages_announcement_of_files_says_what_is_wrong(owner: Any, sign_in: Any) -> None:
    answer = sign_in(owner).post("/journals/", nested(5_000), content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (400, json_text.TOO_DEEP)


def test_a_cursor_that_nests_is_none_of_ours(owner: Any) -> None:
    from datetime import timedelta

    from django.utils import timezone

    token = create_token(owner, "deep", ["read"], timezone.now() + timedelta(days=1))[1]
    cursor = base64.urlsafe_b64encode(nested(5_000).encode()).decode().rstrip("=")
    answer = Client().get(
        "/api/v1/journals/", {"cursor": cursor}, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 400


def test_branches_to_open_that_nest_open_none(inspected: Any, owner: Any, sign_in: Any) -> None:
    address = f"/inspections/{inspected().pk}/report/state/"
    assert sign_in(owner).get(address, {"opened": nested(3_000)}).status_code == 200


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("what", ["key", "value", "header"])
def test_a_record_that_nests_is_shown_as_text(
    depth: int, what: str, owner: Any, sign_in: Any, inspected: Any
) -> None:
    content = f'{{"schema": {nested(depth)}, "text": "{nested(depth)}"}}'.encode()
    row = {"offset": 7, "key": b"k", "value": b"v"}
    row |= {"headers": [{"key": b"h", "value": content}]} if what == "header" else {what: content}
    made = inspected(lambda folder: write_results(folder, records=records_table(row)))
    client = sign_in(owner)
    for path in ("report/records/7/", "report/records/", "report/keys/"):
        answer = client.get(f"/inspections/{made.pk}/{path}")
        assert answer.status_code == 200, path
        assert len(answer.content) < 20 * len(content) + 200_000
    assert client.get(f"/api/v1/inspections/{made.pk}/records/").status_code == 200
