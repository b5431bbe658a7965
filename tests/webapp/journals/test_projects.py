"""What is in another project does not exist, and who adds something says where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webapp.accounts.models import Project
from webapp.journals import uploads
from webapp.journals.models import Inspection, Journal


@pytest.fixture
def elsewhere(db: None) -> Project:
    return Project.objects.create(slug="elsewhere", name="Elsewhere")


@pytest.fixture
def outsider(stranger: Any, elsewhere: Project) -> Any:
    """An admin of another project."""
    elsewhere.memberships.create(user=stranger, role="admin")
    return stranger


def announce(client: Any, **members: Any) -> Any:
    body = {"files": [{"name": "a.log", "size": 0}]} | members
    return client.post("/journals/", json.dumps(body), content_type="application/json")


def test_an_admin_of_another_project_sees_nothing_of_it(
    done: Inspection, outsider: Any, sign_in: Any
) -> None:
    client = sign_in(outsider)
    assert done.journal.name not in client.get("/").content.decode()
    for address in (
        f"/journals/{done.journal_id}/",
        f"/inspections/{done.pk}/",
        f"/inspections/{done.pk}/report/",
    ):
        assert client.get(address).status_code == 404
    assert client.post(f"/journals/{done.journal_id}/delete/").status_code == 404


def test_rows_name_their_project_where_they_are_of_several(
    done: Inspection, elsewhere: Project, owner: Any, sign_in: Any
) -> None:
    elsewhere.memberships.create(user=owner, role="viewer")
    badge, client, row = '<span class="badge">', sign_in(owner), f"/journals/{done.journal_id}/row/"
    assert badge not in client.get("/").content.decode()
    Inspection.objects.update(state=Inspection.State.RUNNING)
    Journal.objects.create(project=elsewhere, name="there", created_by=owner)
    page = client.get("/").content.decode()
    assert f"{badge}Elsewhere</span>" in page
    assert f'hx-get="{row}?projects"' in page
    assert badge in client.get(f"{row}?projects").content.decode()
    assert badge not in client.get(row).content.decode()
    assert badge not in client.get("/?project=elsewhere").content.decode()


def test_the_same_bytes_in_another_project_are_not_offered(
    make_journal: Any, outsider: Any, elsewhere: Project, sign_in: Any
) -> None:
    mine = make_journal()
    theirs = uploads.announce(outsider, elsewhere, "", [("00000000000000000000.log", 5)])
    upload = theirs.uploads.get()
    uploads.partial_path(upload).write_bytes(b"bytes")
    uploads.finish(upload)
    theirs.refresh_from_db()
    assert theirs.input_digest == mine.input_digest
    assert theirs.of_same_input is None
    assert theirs.inspections.count() == 1


def test_a_journal_goes_to_the_project_asked_for(
    owner: Any, elsewhere: Project, sign_in: Any, house: Any
) -> None:
    elsewhere.memberships.create(user=owner, role="support")
    answer = announce(sign_in(owner), project="elsewhere")
    assert Journal.objects.get(pk=answer.json()["journal"]).project == elsewhere


@pytest.mark.parametrize(("role", "status"), [(None, 404), ("viewer", 403)])
def test_a_project_one_may_not_add_to_is_refused(
    role: str | None, status: int, owner: Any, elsewhere: Project, sign_in: Any
) -> None:
    if role:
        elsewhere.memberships.create(user=owner, role=role)
    assert announce(sign_in(owner), project="elsewhere").status_code == status
    assert not Journal.objects.exists()


def test_a_newer_dump_shares_lineage_project_and_ticket(journal: Journal, owner: Any, sign_in: Any) -> None:
    Journal.objects.filter(pk=journal.pk).update(ticket="T-1")
    page = sign_in(owner).get(f"/?continues={journal.pk}").content.decode()
    assert f'data-continues="{journal.pk}"' in page
    newer = Journal.objects.get(pk=announce(sign_in(owner), continues=str(journal.pk)).json()["journal"])
    assert (newer.lineage, newer.project_id, newer.ticket) == (journal.lineage, journal.project_id, "T-1")


def test_nobody_continues_a_journal_they_may_not_see(journal: Journal, outsider: Any, sign_in: Any) -> None:
    assert announce(sign_in(outsider), continues=str(journal.pk)).status_code == 404
    assert announce(sign_in(outsider), continues="nonsense").status_code == 400
