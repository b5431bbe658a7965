"""A header or a field that names another method gives nobody more than the method itself, also with a valid token.

The protocol for uploads has one such header, for PATCH and DELETE on a POST; elsewhere such words count for nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.utils import timezone

from tests.webapp.rights_table import ROUTES
from tests.webapp.test_rights import browsers, inspected, ours, path_of, people, share, world
from webapp.api.tokens import create_token
from webapp.journals.models import Upload

__all__ = ["browsers", "inspected", "people", "share", "world"]

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
CSRF = "a" * 32
HEADERS = ("X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method")
MEANT = ("DELETE", "PATCH", "PUT", "POST")
READING_WRITES = {
    "Event",
    "UserSession",
    "Session",
    "ShareAccess",
    "Share",
    "LogEntry",
}  # what a GET may leave


def with_token(user: Any) -> Client:
    """A browser whose every request carries a valid CSRF token."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False, headers={"X-CSRFToken": CSRF})
    client.force_login(user)
    client.cookies["csrftoken"] = CSRF
    return client


def with_api_token(user: Any, *scopes: str) -> Client:
    _, secret = create_token(user, "program", scopes, timezone.now() + timedelta(days=1))
    return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})


def rows() -> dict[str, list[dict[str, Any]]]:
    """Everything that is not written by reading."""
    kept = [model for model in apps.get_models() if model.__name__ not in READING_WRITES]
    return {
        model.__name__: sorted(
            (
                {name: value for name, value in row.items() if name != "last_used_at"}
                for row in model._default_manager.values()
            ),
            key=str,
        )
        for model in kept
    }


@pytest.mark.parametrize(
    ("meant", "holder"),
    [
        ("DELETE", "session"),
        *(
            pytest.param(meant, holder, marks=pytest.mark.long)
            for meant in MEANT
            for holder in ("session", "program")
            if (meant, holder) != ("DELETE", "session")
        ),
    ],
)
def test_a_get_that_names_another_method_changes_nothing(
    meant: str, holder: str, world: dict[str, Any], people: dict[str, Any], house: Any
) -> None:
    scopes = ("read", "upload", "review", "admin")
    user = people["superuser"]
    client = with_token(user) if holder == "session" else with_api_token(user, *scopes)
    client.get("/")
    before, answered = rows(), 0
    headers = dict.fromkeys(HEADERS, meant)
    for name, address, pattern in ours():
        path = path_of(address, pattern, ROUTES[name], world)
        answered += client.get(f"{path}?_method={meant}", headers=headers).status_code == 200
    assert {model: now for model, now in rows().items() if now != before[model]} == {}
    assert answered > (100 if holder == "session" else 20)


def test_a_post_that_names_another_method_is_a_post(
    world: dict[str, Any], people: dict[str, Any], house: Any
) -> None:
    """Where a page takes no POST the header opens none, and no DELETE or PATCH either."""
    client, wrong, count = with_token(people["superuser"]), [], 0
    headers = dict.fromkeys(HEADERS, "DELETE")
    for name, address, pattern in ours():
        line = ROUTES[name]
        if line.methods["POST"] or name.startswith("tus-"):
            continue
        path = path_of(address, pattern, line, world) + "?_method=DELETE"
        with transaction.atomic():
            status = client.post(path, {"_method": "DELETE"}, headers=headers).status_code
            transaction.set_rollback(True)
        count += 1
        if status not in (403, 404, 405, 415):
            wrong.append(f"{name}: {status}")
    assert not wrong, "\n" + "\n".join(wrong)
    assert count > 100


@pytest.mark.parametrize("method", ["DELETE", "PATCH"])
def test_an_upload_takes_the_override_from_those_who_may_and_nobody_else(
    method: str, world: dict[str, Any], people: dict[str, Any], house: Any
) -> None:
    path = f"/uploads/{world['upload_id']}/"
    tus = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0"}
    override = {**tus, "X-HTTP-Method-Override": method}
    body = {"data": b"a", "content_type": "application/offset+octet-stream"}
    for part in ("viewer", "reviewer", "stranger", "other_admin"):
        direct = with_token(people[part]).generic(method, path, headers=tus, **body).status_code
        assert direct in (403, 404)
        assert with_token(people[part]).post(path, headers=override, **body).status_code == direct, part
    for scopes in (("read",), ("read", "review")):
        assert (
            with_api_token(people["support"], *scopes).post(path, headers=override, **body).status_code == 403
        )
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["support"])
    assert client.post(path, headers=override, **body).status_code == 403  # without a CSRF token
    assert Upload.objects.filter(pk=world["upload_id"]).exists()
    assert with_token(people["support"]).post(path, headers=override, **body).status_code == 204
    assert Upload.objects.filter(pk=world["upload_id"]).exists() is (method == "PATCH")
