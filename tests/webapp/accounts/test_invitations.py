"""An invitation: one role in one project, once, within a week."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from webapp.accounts import invitations
from webapp.accounts.models import Invitation, Project
from webapp.audit.models import Event

PAGE = "/accounts/projects/default/invitations/"
ACCOUNT = {"username": "newcomer", "email": "new@example.org", "password": "a long pass phrase"}


@pytest.fixture
def path(admin: Any, project: Project) -> str:
    return invitations.create(project, "support", admin, "new@example.org")[1]


def test_an_account_is_made_and_signed_in_with_the_role_and_nothing_else(path: str, client: Client) -> None:
    assert "You are invited to Default" in client.get(path).content.decode()
    assert client.post(path, ACCOUNT)["Location"] == "/"
    newcomer = User.objects.get(username="newcomer")
    assert [(m.project.slug, m.role) for m in newcomer.memberships.all()] == [("default", "support")]
    assert not newcomer.is_staff
    assert client.get("/").status_code == 200
    assert set(Event.objects.values_list("action", flat=True)) >= {"invitation.accepted", "account.created"}


def test_somebody_with_an_account_accepts(path: str, stranger: Any, sign_in: Any) -> None:
    client = sign_in(stranger)
    assert "Accept as stranger" in client.get(path).content.decode()
    assert client.post(path)["Location"] == "/"
    assert stranger.memberships.get().role == "support"


def test_looking_does_not_use_it_up_and_accepting_does(
    path: str, stranger: Any, viewer: Any, sign_in: Any
) -> None:
    for _ in range(3):
        assert Client().get(path).status_code == 200
    assert sign_in(stranger).post(path).status_code == 302
    for late in (Client().get(path), Client().post(path, ACCOUNT), sign_in(viewer).post(path)):
        assert late.status_code == 410
        assert "This invitation is no longer valid" in late.content.decode()
    assert viewer.memberships.get().role == "viewer"
    assert not User.objects.filter(username="newcomer").exists()


def test_it_ends_after_a_week(path: str, client: Client) -> None:
    left = Invitation.objects.get().expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.post(path, ACCOUNT).status_code == 410
    assert not User.objects.filter(username="newcomer").exists()


def test_it_never_takes_a_higher_role(path: str, reviewer: Any, sign_in: Any) -> None:
    sign_in(reviewer).post(path)
    assert reviewer.memberships.get().role == "reviewer"


def test_only_a_hash_of_256_bits_is_kept(path: str) -> None:
    token = path.rstrip("/").rsplit("/", 1)[-1]
    assert len(token) == 43
    assert token not in str(vars(Invitation.objects.get()))


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"username": "admin"}, "This user name is taken"),
        ({"username": "Admin"}, "This user name is taken"),
        ({"username": "a b"}, "Enter a valid username"),
        ({"email": "ADMIN@example.org"}, "An account has this address already"),
        ({"password": "short"}, "too short"),
        ({"password": "newcomer"}, "too similar"),
    ],
)
def test_an_account_that_cannot_be_made_leaves_the_invitation_open(
    members: dict[str, str], sentence: str, path: str, client: Client
) -> None:
    answer = client.post(path, ACCOUNT | members)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert invitations.find(path.rstrip("/").rsplit("/", 1)[-1])


class TestMaking:
    def test_without_an_address_the_link_is_shown_once(
        self, admin: Any, sign_in: Any, client: Client
    ) -> None:
        browser = sign_in(admin)
        page = browser.post(PAGE, {"role": "viewer"}).content.decode()
        link = re.search(r'value="http://testserver(/accounts/invitations/[^"]+)"', page)
        assert link
        assert client.get(link[1]).status_code == 200
        assert link[1] not in browser.get("/accounts/projects/default/").content.decode()
        assert not mail.outbox

    def test_with_an_address_it_is_mailed_and_not_shown(
        self, admin: Any, sign_in: Any, client: Client, settings: Any
    ) -> None:
        settings.PUBLIC_URL = "https://journals.example.org"
        answer = sign_in(admin).post(PAGE, {"role": "viewer", "email": "new@example.org"}, follow=True)
        assert "/accounts/invitations/" not in re.sub(r'action="[^"]*"', "", answer.content.decode())
        (sent,) = mail.outbox
        assert sent.to == ["new@example.org"]
        link = re.search(r"https://journals\.example\.org(/accounts/invitations/\S+)", sent.body)
        assert link
        client.post(link[1], ACCOUNT)
        assert EmailAddress.objects.get().verified

    def test_a_link_that_was_handed_over_proves_no_address(self, path: str, client: Client) -> None:
        client.post(path, ACCOUNT)
        assert not EmailAddress.objects.filter(verified=True).exists()

    def test_where_no_mail_is_sent_the_link_is_shown(self, admin: Any, sign_in: Any, settings: Any) -> None:
        settings.EMAIL_BACKEND, settings.EMAIL_HOST = (
            "django.core.mail.backends.smtp.EmailBackend",
            "localhost",
        )
        page = sign_in(admin).post(PAGE, {"role": "viewer", "email": "new@example.org"}).content.decode()
        assert "http://testserver/accounts/invitations/" in page

    def test_a_mail_server_that_is_away_leaves_the_link_to_hand_over(
        self, admin: Any, sign_in: Any, settings: Any
    ) -> None:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_CONFIGURED = "127.0.0.1", 9, True
        page = sign_in(admin).post(PAGE, {"role": "viewer", "email": "new@example.org"}).content.decode()
        assert "The mail server rejected the message" in page
        assert "http://testserver/accounts/invitations/" in page
        assert not Invitation.objects.get().is_mailed

    def test_a_withdrawn_one_is_over(self, path: str, admin: Any, sign_in: Any, client: Client) -> None:
        sign_in(admin).post(f"{PAGE}{Invitation.objects.get().pk}/withdraw/")
        assert client.get(path).status_code == 410
        assert Event.objects.filter(action="invitation.withdrawn").exists()

    @pytest.mark.parametrize(("who", "status"), [("reviewer", 403), ("stranger", 404)])
    def test_others_invite_nobody(
        self, who: str, status: int, request: Any, project: Any, sign_in: Any
    ) -> None:
        assert sign_in(request.getfixturevalue(who)).post(PAGE, {"role": "admin"}).status_code == status
        assert not Invitation.objects.exists()

    def test_an_invitation_of_another_project_is_not_withdrawn_through_this_one(
        self, admin: Any, elsewhere: Project, sign_in: Any
    ) -> None:
        theirs = invitations.create(elsewhere, "viewer", None)[0]
        assert sign_in(admin).post(f"{PAGE}{theirs.pk}/withdraw/").status_code == 404
        assert Invitation.objects.exists()
