"""What a token opens, for whom, until when; and that it never gives more than its user has."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from webapp.accounts.models import Membership, Project
from webapp.api import tokens
from webapp.api.models import Token
from webapp.audit.models import Event


def test_only_the_hash_of_a_token_is_kept(owner: Any) -> None:
    end = timezone.now() + timedelta(days=1)
    token, text = tokens.create_token(owner, "nightly", ["read"], end)
    assert text.startswith("jst_")
    assert len(text) == 4 + 43
    assert token.last_four == text[-4:]
    assert all(text not in str(value) for value in Token.objects.values_list().get())


def test_a_guest_is_asked_for_a_token(client: Client, db: None) -> None:
    response = client.get("/api/v1/journals/")
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert "Authorization: Bearer" in response.json()["error"]


def test_a_token_says_who_and_what(owner: Any, program: Any) -> None:
    told = program(owner, "read").get("/me/").json()
    assert told["user"] == "owner"
    assert told["scopes"] == ["read"]
    assert told["roles"] == {"default": "viewer"}  # a token has no higher role than its scopes need


@pytest.mark.parametrize("spoilt", ["revoked_at", "expires_at"])
def test_a_token_that_is_over_opens_nothing(owner: Any, program: Any, spoilt: str) -> None:
    caller = program(owner)
    Token.objects.update(**{spoilt: timezone.now()})
    response = caller.get("/journals/")
    assert response.status_code == 401
    assert "Make a new one" in response.json()["error"]


def test_an_unknown_token_is_refused_even_with_a_session(owner: Any, sign_in: Any) -> None:
    response = sign_in(owner).get("/api/v1/me/", headers={"Authorization": "Bearer jst_nothing"})
    assert response.status_code == 401


def test_a_token_is_over_with_its_users_account(owner: Any, program: Any) -> None:
    caller = program(owner)
    owner.is_active = False
    owner.save()
    assert caller.get("/me/").status_code == 401


def test_a_token_loses_what_its_user_loses(owner: Any, program: Any, inspected: Any) -> None:
    journal = inspected().journal
    caller = program(owner)
    assert caller.patch(f"/journals/{journal.pk}/", {"ticket": "T-2"}).status_code == 200
    Membership.objects.filter(user=owner).update(role="viewer")
    assert caller.patch(f"/journals/{journal.pk}/", {"ticket": "T-3"}).status_code == 403
    Membership.objects.filter(user=owner).delete()
    assert caller.get(f"/journals/{journal.pk}/").status_code == 404


def test_a_token_without_the_scope_says_which_one_it_lacks(owner: Any, program: Any, inspected: Any) -> None:
    journal = inspected().journal
    response = program(owner, "read").patch(f"/journals/{journal.pk}/", {"name": "x"})
    assert response.status_code == 403
    assert "scope upload" in response.json()["error"]


def test_a_token_for_one_project_sees_no_other(owner: Any, program: Any, inspected: Any) -> None:
    other = Project.objects.create(slug="other", name="Other")
    other.memberships.create(user=owner, role="admin")
    journal = inspected().journal
    caller = program(owner, project=other)
    assert caller.get(f"/journals/{journal.pk}/").status_code == 404
    assert caller.get("/journals/").json()["results"] == []
    assert [one["slug"] for one in caller.get("/projects/").json()["results"]] == ["other"]


def test_a_superusers_token_for_one_project_sees_no_other(owner: Any, program: Any, inspected: Any) -> None:
    owner.is_superuser = True
    owner.save()
    other = Project.objects.create(slug="other", name="Other")
    journal = inspected().journal
    assert program(owner).get(f"/journals/{journal.pk}/").status_code == 200
    assert program(owner, project=other).get(f"/journals/{journal.pk}/").status_code == 404
    owner.refresh_from_db()
    assert owner.is_superuser


def test_a_token_opens_no_page(owner: Any, program: Any) -> None:
    response = program(owner).send("GET", "http://testserver/")
    assert response.status_code == 302  # to the sign-in


def test_its_use_is_written_down_at_most_once_a_minute(owner: Any, program: Any) -> None:
    caller = program(owner)
    caller.get("/me/")
    first = Token.objects.get().last_used_at
    caller.get("/me/")
    assert Token.objects.get().last_used_at == first
    Token.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    caller.get("/me/")
    assert Token.objects.get().last_used_at > first


def test_too_many_requests_are_told_when_to_go_on(owner: Any, program: Any, settings: Any) -> None:
    settings.API_REQUESTS_PER_MINUTE = 3
    caller = program(owner)
    codes = [caller.get("/me/").status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    response = caller.get("/me/")
    assert 0 < int(response["Retry-After"]) <= 60
    assert "Retry in" in response.json()["error"]


def test_a_session_needs_the_csrf_token_and_a_program_does_not(
    owner: Any, program: Any, inspected: Any
) -> None:
    journal = inspected().journal
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(owner)
    path = f"/api/v1/journals/{journal.pk}/"
    assert browser.get(path).status_code == 200
    refused = browser.patch(path, {"name": "x"}, content_type="application/json")
    assert refused.status_code == 403
    assert "CSRF" in refused.json()["error"]
    assert program(owner).patch(path, {"name": "x"}).status_code == 200


def test_the_page_shows_a_new_token_once(owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    form = {"name": "nightly", "scopes": ["read", "upload"], "days": 30, "project": ""}
    made = client.post(reverse("tokens"), form)
    token = Token.objects.get()
    text = made.context["text"]
    assert text in made.content.decode()
    assert tokens.find(text) == token
    again = client.get(reverse("tokens")).content.decode()
    assert text not in again
    assert "nightly" in again
    assert Event.objects.filter(action="token.created", target_id=str(token.pk)).exists()


def test_a_year_is_the_longest(owner: Any, sign_in: Any) -> None:
    response = sign_in(owner).post(reverse("tokens"), {"name": "x", "scopes": ["read"], "days": 366})
    assert response.status_code == 400
    assert not Token.objects.exists()


def test_a_viewer_is_offered_no_scope_beyond_their_role(viewer: Any, sign_in: Any) -> None:
    response = sign_in(viewer).post(reverse("tokens"), {"name": "x", "scopes": ["upload"], "days": 1})
    assert response.status_code == 400


def test_a_stranger_has_no_page_of_tokens(stranger: Any, sign_in: Any) -> None:
    assert sign_in(stranger).get(reverse("tokens")).status_code == 404


def test_an_admin_sees_and_revokes_tokens_of_members(
    owner: Any, admin: Any, reviewer: Any, sign_in: Any, program: Any
) -> None:
    caller = program(owner)
    token = Token.objects.get()
    assert sign_in(reviewer).post(reverse("token-revoke", args=[token.pk])).status_code == 404
    assert "a program" in sign_in(admin).get(reverse("tokens")).content.decode()
    assert sign_in(admin).post(reverse("token-revoke", args=[token.pk])).status_code == 302
    assert caller.get("/me/").status_code == 401
    assert Event.objects.filter(action="token.revoked", actor_id=admin.pk).exists()


def test_an_admin_does_not_see_a_members_token_for_another_project(
    owner: Any, admin: Any, program: Any
) -> None:
    from webapp.api.token_pages import tokens_for_user

    other = Project.objects.create(slug="other", name="Other")
    other.memberships.create(user=owner, role="support")
    program(owner, project=other)
    assert not tokens_for_user(admin).exists()
