"""Members of a project, invitations to it and its settings by API."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client

from webapp.accounts.models import Invitation, Membership, Project
from webapp.audit.models import Event

MEMBERS = "/projects/default/members/"
INVITATIONS = "/projects/default/invitations/"
TICKETS = "https://tickets.example.org/new?title={summary}"
SETTINGS = "/projects/default/settings/"


def test_a_member_comes_gets_another_role_and_goes(
    admin: Any, viewer: Any, stranger: Any, program: Any
) -> None:
    caller = program(admin, "admin")
    made = caller.post(MEMBERS, {"who": "stranger@example.org", "role": "viewer"})
    assert (made.status_code, made.json()["user"]) == (201, "stranger")
    one = f"{MEMBERS}{made.json()['id']}/"
    assert program(viewer).get(one).json() == made.json()
    assert caller.patch(one, {"role": "reviewer"}).json()["role"] == "reviewer"
    assert Membership.objects.get(user=stranger).role == "reviewer"
    assert caller.delete(one).status_code == 204
    assert not stranger.memberships.exists()
    events = Event.objects.filter(action__startswith="member.").order_by("pk")
    assert [(event.action, event.actor_name) for event in events] == [
        ("member.added", "admin"),
        ("member.changed", "admin"),
        ("member.removed", "admin"),
    ]
    assert events[1].detail["before"] == "viewer"
    assert events[1].detail["token"]


def test_who_cannot_become_a_member_is_said(admin: Any, viewer: Any, program: Any) -> None:
    caller = program(admin)
    unknown = caller.post(MEMBERS, {"who": "nobody", "role": "viewer"})
    assert (unknown.status_code, unknown.json()["field"]) == (400, "who")
    assert "Invite the person" in unknown.json()["error"]
    again = caller.post(MEMBERS, {"who": "viewer", "role": "admin"})
    assert (again.status_code, viewer.memberships.get().role) == (409, "viewer")
    assert caller.post(MEMBERS, {"who": "viewer", "role": "king"}).json()["field"] == "role"


def test_the_last_admin_stays(admin: Any, program: Any) -> None:
    caller, one = program(admin), f"{MEMBERS}{admin.memberships.get().pk}/"
    for answer in (caller.delete(one), caller.patch(one, {"role": "viewer"})):
        assert answer.status_code == 409
        assert "the last admin" in answer.json()["error"]
    assert admin.memberships.get().role == "admin"


def test_a_superusers_token_does_not_take_the_last_admin_either(admin: Any, program: Any) -> None:
    boss = User.objects.create_superuser("boss")
    one = f"{MEMBERS}{admin.memberships.get().pk}/"
    assert program(boss).delete(one).status_code == 409


def test_an_invitation_is_made_listed_used_and_taken_back(
    admin: Any, stranger: Any, program: Any, settings: Any, sign_in: Any
) -> None:
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", ""
    settings.PUBLIC_URL = "https://journals.example.org"
    caller = program(admin, "admin")
    made = caller.post(INVITATIONS, {"role": "support"})
    assert made.status_code == 201, made.content
    told = made.json()
    assert told["url"].startswith("https://journals.example.org/")
    (listed,) = caller.get(INVITATIONS).json()["results"]
    assert listed["id"] == told["id"]
    assert "url" not in listed
    path = told["url"].removeprefix("https://journals.example.org")
    sign_in(stranger).post(path)
    assert stranger.memberships.get().role == "support"
    assert caller.get(INVITATIONS).json()["results"] == []
    other = caller.post(INVITATIONS, {"role": "viewer"}).json()
    assert caller.delete(f"{INVITATIONS}{other['id']}/").status_code == 204
    assert Client().get(other["url"].removeprefix("https://journals.example.org")).status_code == 410
    assert Event.objects.filter(action="invitation.withdrawn", actor_name="admin").exists()


def test_a_mailed_invitation_shows_its_link_to_nobody_else(admin: Any, program: Any) -> None:
    made = program(admin).post(INVITATIONS, {"role": "viewer", "email": "new@example.org"}).json()
    assert (made["url"], made["is_mailed"]) == (None, True)
    assert mail.outbox[0].to == ["new@example.org"]


def test_a_mail_server_that_fails_leaves_the_link_to_hand_over(
    admin: Any, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)
    made = program(admin).post(INVITATIONS, {"role": "viewer", "email": "new@example.org"}).json()
    assert made["url"].startswith("http://testserver/")
    assert made["is_mailed"] is False


def test_settings_are_changed_one_by_one_and_written_down(admin: Any, program: Any, project: Any) -> None:
    caller = program(admin, "admin")
    before = caller.get(SETTINGS).json()
    changed = caller.patch(SETTINGS, {
        "name": "Registry", "due_days": {"critical": 2}, "retention_days": 90, "is_on_hold": True,
        "masks": {"fields": ["config.secret"], "patterns": ["CUST-[0-9]+"]}, "ticket_template": TICKETS,
    })  # fmt: skip
    assert changed.status_code == 200, changed.content
    assert changed.json() == before | {
        "name": "Registry", "due_days": {"critical": 2}, "retention_days": 90, "is_on_hold": True,
        "masks": {"fields": ["config.secret"], "patterns": ["CUST-[0-9]+"]}, "ticket_template": TICKETS,
    }  # fmt: skip
    assert caller.get(SETTINGS).json() == changed.json()
    assert caller.patch(SETTINGS, {"retention_days": None}).json()["name"] == "Registry"
    events = Event.objects.filter(project_id=project.pk, actor_name="admin").exclude(
        action__startswith="token."
    )
    told = {event.action: event.detail for event in events.order_by("-pk")}
    assert set(told) == {
        "project.renamed", "project.due-days-changed", "project.masks-changed", "project.ticket-address-changed",
        "retention.changed",
    }  # fmt: skip
    assert told["retention.changed"]["is_on_hold"] is True
    assert told["project.masks-changed"]["patterns"] == 1
    assert "CUST" not in str(told)
    assert "tickets.example.org" not in str(told)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"name": "Taken"}, "name"),
        ({"due_days": {"critical": 0}}, "due_days.critical"),
        ({"masks": {"patterns": ["("]}}, "masks.patterns"),
        ({"ticket_template": "https://a.example/{b}"}, "ticket_template"),
        ({"masks": {"fields": ["a b"]}}, "masks.fields"),
        ({"retention_days": 0}, "retention_days"),
    ],
)
def test_a_setting_that_cannot_be_changes_nothing(
    admin: Any, program: Any, asked: dict[str, Any], field: str
) -> None:
    Project.objects.create(slug="taken", name="Taken")
    caller = program(admin)
    before = caller.get(SETTINGS).json()
    answer = caller.patch(SETTINGS, {"is_on_hold": True, "due_days": {"low": 5}} | asked)
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert caller.get(SETTINGS).json() == before


def test_quotas_are_set_by_a_superuser_who_is_signed_in(
    admin: Any, program: Any, sign_in: Any, project: Any
) -> None:
    asked = {"is_on_hold": True, "quota_bytes": 10**12, "quota_inspections": 0}
    refused = program(admin).patch(SETTINGS, asked)
    assert (refused.status_code, "superuser" in refused.json()["error"]) == (403, True)
    boss = User.objects.create_superuser("boss")
    assert program(boss).patch(SETTINGS, asked).status_code == 403
    project.refresh_from_db()
    assert (project.is_on_hold, project.quota_bytes) == (False, None)
    browser = sign_in(boss)
    answer = browser.patch(f"/api/v1{SETTINGS}", asked, content_type="application/json")
    assert answer.status_code == 200, answer.content
    project.refresh_from_db()
    assert (project.quota_bytes, project.quota_inspections) == (10**12, 0)
    assert Event.objects.get(action="quota.changed").detail == {"quota_bytes": 10**12, "quota_inspections": 0}


def test_only_admins_with_a_token_for_it_run_a_project(
    admin: Any, reviewer: Any, stranger: Any, program: Any
) -> None:
    membership = f"{MEMBERS}{reviewer.memberships.get().pk}/"
    calls = [
        ("POST", MEMBERS, {"who": "stranger", "role": "admin"}),
        ("PATCH", membership, {"role": "admin"}),
        ("DELETE", membership, None),
        ("GET", INVITATIONS, None),
        ("POST", INVITATIONS, {"role": "admin"}),
        ("GET", SETTINGS, None),
        ("PATCH", SETTINGS, {"name": "Mine"}),
    ]
    for method, path, asked in calls:
        assert program(reviewer).send(method, path, asked).status_code == 403, (method, path)
        narrow = program(admin, "read", "upload", "inspect", "review", "share").send(method, path, asked)
        assert (narrow.status_code, "scope admin" in narrow.json()["error"]) == (403, True), (method, path)
        assert program(stranger).send(method, path, asked).status_code == 404, (method, path)
    assert reviewer.memberships.get().role == "reviewer"
    assert not Invitation.objects.exists()


def test_nothing_of_another_project_is_there(
    admin: Any, program: Any, theirs: Any, viewer: Any, stranger: Any
) -> None:
    other = theirs.project
    membership = other.memberships.create(user=stranger, role="admin")
    invitation = other.invitations.create(
        role="viewer", token_sha256="x", expires_at="2100-01-01T00:00:00Z", created_by=stranger
    )
    caller, mine = program(admin), viewer.memberships.get()
    for method, path in (
        ("GET", f"/projects/{other.slug}/members/"),
        ("POST", f"/projects/{other.slug}/members/"),
        ("PATCH", f"/projects/{other.slug}/members/{membership.pk}/"),
        ("DELETE", f"{MEMBERS}{membership.pk}/"),
        ("DELETE", f"/projects/{other.slug}/members/{mine.pk}/"),
        ("GET", f"/projects/{other.slug}/invitations/"),
        ("POST", f"/projects/{other.slug}/invitations/"),
        ("DELETE", f"{INVITATIONS}{invitation.pk}/"),
        ("GET", f"/projects/{other.slug}/settings/"),
        ("PATCH", f"/projects/{other.slug}/settings/"),
    ):
        answer = caller.send(method, path, {} if method in ("POST", "PATCH") else None)
        assert answer.status_code == 404, (method, path)
        assert b"HIDDENMARK" not in answer.content
    narrow = program(admin, "admin", project=other)
    assert narrow.get(SETTINGS).status_code == 404
