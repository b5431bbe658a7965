"""Who gets in, how, and what a role allows."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from tests.webapp.rights_table import ROUTES
from webapp.accounts import one_time
from webapp.accounts.models import ROLES, OneTimeSignIn, Project
from webapp.accounts.roles import has_role, projects_for_user

OPEN = {name for name, line in ROUTES.items() if "anyone" in line.methods.values()}


@pytest.mark.parametrize("login", ["owner", "owner@example.org", "OWNER@example.org"])
def test_user_name_or_e_mail_and_password_sign_in(owner: User, client: Client, login: str) -> None:
    response = client.post("/accounts/login/", {"login": login, "password": "a long pass phrase"})
    assert response["Location"] == "/"
    assert client.get("/").status_code == 200


def test_a_wrong_password_does_not(owner: User, client: Client) -> None:
    page = client.post("/accounts/login/", {"login": "owner", "password": "wrong"})
    assert page.status_code == 200
    assert "not correct" in page.content.decode()
    assert client.get("/").status_code == 302


def test_nobody_signs_themselves_up(db: None, client: Client) -> None:
    form = {"username": "eve", "email": "eve@example.org", "password1": "a long pass phrase"}
    for page in (client.get("/accounts/signup/"), client.post("/accounts/signup/", form)):
        assert "Accounts are made by an admin" in page.content.decode()
    assert not User.objects.exists()


def test_signing_out_asks_first_and_then_does(owner: User, client: Client) -> None:
    client.force_login(owner)
    assert "Sign out" in client.get("/accounts/logout/").content.decode()
    assert client.get("/").status_code == 200
    client.post("/accounts/logout/")
    assert client.get("/").status_code == 302


def test_a_password_can_be_changed(owner: User, client: Client) -> None:
    client.force_login(owner)
    new = "another long phrase"
    form = {"oldpassword": "a long pass phrase", "password1": new, "password2": new}
    page = client.post("/accounts/password/change/", form, follow=True)
    assert page.request["PATH_INFO"] == "/"
    owner.refresh_from_db()
    assert owner.check_password(new)


def test_every_page_but_the_doors_asks_to_sign_in(db: None, client: Client) -> None:
    for path in ("/", "/search/", "/catalogue/", "/journals/", "/accounts/password/change/", "/admin/"):
        response = client.get(path)
        assert response.status_code == 302, path
        assert "login" in response["Location"], path


def test_only_the_doors_are_open() -> None:
    """A view that forgets nothing: open ones are named here. tus and the API answer 401 by themselves."""
    ours = [
        p for p in _patterns(get_resolver()) if not p.callback.__module__.startswith("django.contrib.admin")
    ]
    opened = {p.name for p in ours if not getattr(p.callback, "login_required", True)}
    answer_themselves = {name for name in opened if name and name.startswith("api-")}
    assert opened - answer_themselves <= OPEN | {"tus", "tus-upload", "account_reauthenticate"}


def _patterns(resolver: Any) -> list[Any]:
    found = []
    for pattern in resolver.url_patterns:
        if getattr(pattern, "namespace", "") == "shared":
            continue  # behind a link's token, tested where links are
        found += _patterns(pattern) if hasattr(pattern, "url_patterns") else [pattern]
    return found


class TestRoles:
    """viewer < support < reviewer < admin."""

    @pytest.mark.parametrize("role", ROLES)
    def test_a_role_has_the_rights_of_those_below(self, project: Project, role: str) -> None:
        user = User.objects.create_user("somebody")
        project.memberships.create(user=user, role=role)
        allowed = [name for name in ROLES if has_role(user, name)]
        assert allowed == list(ROLES[: ROLES.index(role) + 1])

    def test_a_superuser_has_them_all_and_nobody_has_none(self, stranger: User) -> None:
        assert has_role(User(is_superuser=True), "admin")
        assert not has_role(stranger, "viewer")
        assert not has_role(None, "viewer")

    def test_a_switched_off_account_has_none(self, admin: User) -> None:
        admin.is_active = False
        assert not has_role(admin, "viewer")

    def test_a_role_in_one_project_is_none_in_another(self, reviewer: User, project: Project) -> None:
        other = Project.objects.create(slug="other", name="Other")
        assert has_role(reviewer, "reviewer", project.pk)
        assert not has_role(reviewer, "viewer", other.pk)
        assert list(projects_for_user(reviewer)) == [project]
        assert not projects_for_user(reviewer, "admin").exists()


class TestOneTimeLink:
    """The link that the first start prints."""

    @pytest.fixture
    def path(self, owner: User) -> str:
        return one_time.create_link(owner)

    def test_a_preview_does_not_use_it_up(self, path: str, client: Client) -> None:
        for _ in range(3):
            assert "You will be signed in as" in client.get(path).content.decode()
            client.head(path)
        assert client.get("/").status_code == 302
        assert client.post(path)["Location"] == "/"
        assert client.get("/").status_code == 200

    def test_it_works_once(self, path: str) -> None:
        assert Client().post(path).status_code == 302
        second = Client()
        assert second.post(path).status_code == 410
        assert second.get(path).status_code == 410
        assert second.get("/").status_code == 302

    def test_without_a_password_the_first_page_says_so(self, owner: User, path: str) -> None:
        assert "No password is set" not in Client().post(path, follow=True).content.decode()
        owner.set_unusable_password()
        owner.save()
        page = Client().post(one_time.create_link(owner), follow=True).content.decode()
        assert (
            'No password is set. This link cannot be used again. <a href="/accounts/password/set/">' in page
        )

    def test_it_ends_after_an_hour(self, path: str, client: Client) -> None:
        OneTimeSignIn.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        assert client.post(path).status_code == 410

    def test_it_does_not_revive_a_switched_off_account(self, path: str, client: Client) -> None:
        User.objects.update(is_active=False)
        assert client.post(path).status_code == 410

    def test_only_a_hash_is_kept(self, path: str) -> None:
        token = path.rstrip("/").rsplit("/", 1)[-1]
        kept = OneTimeSignIn.objects.get()
        assert token not in str(vars(kept))
        assert len(kept.token_sha256) == 64

    def test_it_expires_an_hour_from_now(self, path: str) -> None:
        left = OneTimeSignIn.objects.get().expires_at - timezone.now()
        assert timedelta(minutes=59) < left <= timedelta(hours=1)

    def test_an_invented_one_is_gone(self, db: None, client: Client) -> None:
        assert client.get("/accounts/once/invented/").status_code == 410

    def test_it_is_not_posted_from_elsewhere(self, path: str) -> None:
        assert Client(enforce_csrf_checks=True).post(path).status_code == 403

    def test_a_new_one_ends_the_others_of_that_user_alone(
        self, path: str, owner: User, reviewer: User
    ) -> None:
        elsewhere, newer = one_time.create_link(reviewer), one_time.create_link(owner)
        assert Client().post(path).status_code == 410
        assert Client().post(elsewhere).status_code == 302
        assert Client().post(newer).status_code == 302


class TestLinkOfTheStart:
    """Printed while nobody could sign in without it."""

    def test_each_start_prints_one_while_the_first_admin_has_no_password(self, db: None) -> None:
        first, second = one_time.link_for_the_start(), one_time.link_for_the_start()
        assert Client().post(first).status_code == 410
        assert Client().post(second).status_code == 302

    def test_none_is_printed_when_a_superuser_has_a_password_and_earlier_ones_end(self, db: None) -> None:
        printed = one_time.link_for_the_start()
        admin = User.objects.get(username="admin")
        admin.set_password("a long pass phrase")
        admin.save()
        assert one_time.link_for_the_start() == ""
        assert Client().post(printed).status_code == 410

    @pytest.mark.parametrize("lacks", ["active", "superuser"])
    def test_a_password_of_somebody_who_may_not_administer_does_not_count(self, db: None, lacks: str) -> None:
        boss = User.objects.create_superuser("boss", password="a long pass phrase")
        User.objects.filter(pk=boss.pk).update(**{f"is_{lacks}": False})
        assert one_time.link_for_the_start().startswith("/accounts/once/")

    def test_an_account_at_the_provider_counts_while_it_is_configured(self, db: None, settings: Any) -> None:
        boss = one_time.ensure_first_admin()
        SocialAccount.objects.create(user=boss, provider="sso", uid="1")
        assert one_time.link_for_the_start()
        settings.OIDC_SERVER_URL = "https://id.example.org"
        assert one_time.link_for_the_start() == ""


class TestFirstAdmin:
    """Made once, without a password."""

    def test_it_is_made_once(self, db: None) -> None:
        first, second = one_time.ensure_first_admin(), one_time.ensure_first_admin()
        assert first == second
        assert (first.username, first.is_superuser, first.has_usable_password()) == ("admin", True, False)

    def test_somebody_who_administers_already_is_taken(self, db: None) -> None:
        boss = User.objects.create_superuser("boss", password="a long pass phrase")
        assert one_time.ensure_first_admin() == boss
        assert User.objects.count() == 1

    def test_django_admin_opens_for_it_and_makes_links(self, owner: User, client: Client) -> None:
        client.force_login(one_time.ensure_first_admin())
        for page in (
            "",
            "auth/user/",
            "journals/journal/",
            "journals/inspection/",
            "journals/blob/",
            "journals/upload/",
        ):
            assert client.get(f"/admin/{page}").status_code == 200
        form = {"action": "make_one_time_link", "_selected_action": [owner.pk]}
        page = client.post("/admin/auth/user/", form, follow=True)
        assert "http://testserver/accounts/once/" in page.content.decode()

    @pytest.mark.django_db
    @pytest.mark.parametrize("who", ["owner", "admin", "stranger"])
    def test_django_admin_is_closed_for_others(self, who: str, request: Any, client: Client) -> None:
        client.force_login(request.getfixturevalue(who))
        assert client.get("/admin/").status_code in {302, 404}
