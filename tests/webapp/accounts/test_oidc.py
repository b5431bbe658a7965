"""Signing in through an OpenID provider, a real one on loopback, and every answer of it that must not sign anybody in."""

from __future__ import annotations

import socket
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.webapp.accounts.provider import LOGIN, Provider, come_back, sign_in_through
from webapp.accounts.models import Project
from webapp.audit.models import Event


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_somebody_new_gets_an_account_and_the_page_that_says_whom_to_ask(
    provider: Provider, client: Client
) -> None:
    assert "Sign in with Acme login" in client.get("/accounts/login/").content.decode()
    assert sign_in_through(client)["Location"] == "/"
    page = client.get("/")
    assert page.status_code == 403
    assert "have no role yet" in page.content.decode()
    made = User.objects.get()
    assert (made.email, made.has_usable_password(), made.is_staff) == ("new@example.org", False, False)
    assert set(Event.objects.values_list("action", flat=True)) >= {"account.created", "session.signed-in"}


def test_or_the_role_that_is_configured(
    provider: Provider, project: Project, client: Client, settings: Any
) -> None:
    settings.OIDC_PROJECT, settings.OIDC_ROLE = "default", "support"
    sign_in_through(client)
    assert User.objects.get().memberships.get().role == "support"
    assert client.get("/").status_code == 200


def test_the_second_time_it_is_the_same_account(provider: Provider, client: Client) -> None:
    for _ in range(2):
        sign_in_through(Client())
    provider.person["email"] = "renamed@example.org"
    sign_in_through(client)
    assert is_signed_in(client)
    assert User.objects.count() == 1


def test_one_comes_back_to_the_page_one_wanted(provider: Provider, client: Client) -> None:
    assert sign_in_through(client, f"{LOGIN}?next=/catalogue/")["Location"] == "/catalogue/"
    assert sign_in_through(Client(), f"{LOGIN}?next=https://evil.example/")["Location"] == "/"


def test_a_verified_address_opens_the_account_that_has_it(
    provider: Provider, owner: User, client: Client
) -> None:
    provider.person = {"sub": "7", "email": "owner@example.org", "email_verified": True}
    sign_in_through(client)
    assert client.session["_auth_user_id"] == str(owner.pk)


@pytest.mark.parametrize("said", [False, "false", None, 0])
def test_one_that_is_not_verified_does_not(
    said: Any, provider: Provider, owner: User, client: Client
) -> None:
    provider.person = {"sub": "7", "email": "OWNER@example.org", "email_verified": said}
    answer = sign_in_through(client)
    assert answer.status_code == 403
    assert "An account has this address already" in answer.content.decode()
    assert not is_signed_in(client)
    assert User.objects.count() == 1
    owner.refresh_from_db()
    assert owner.has_usable_password()


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of somebody else"},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"aud": "another-client"},
        {"exp": 1_000_000_000},
        {"sub": None},
        {"sub": "somebody else than the userinfo says"},
    ],
    ids=lambda claims: " ".join(f"{name}={value}" for name, value in claims.items()),
)
def test_an_id_token_that_is_not_ours_signs_nobody_in(
    claims: dict[str, Any], provider: Provider, client: Client
) -> None:
    provider.claims = claims
    if "userinfo" in str(claims):
        provider.userinfo = {"sub": "1"}
    answer = sign_in_through(client)
    assert answer.status_code == 401
    assert "Nobody was signed in" in answer.content.decode()
    assert not is_signed_in(client)
    assert not User.objects.exists()


@pytest.mark.parametrize(
    "broken", [{"signs_with_another_key": True}, {"algorithm": "none"}, {"algorithm": "HS256"}], ids=str
)
def test_a_signature_that_is_not_the_provider_s_signs_nobody_in(
    broken: dict[str, Any], provider: Provider, client: Client
) -> None:
    for name, value in broken.items():
        setattr(provider, name, value)
    assert sign_in_through(client).status_code == 401
    assert not is_signed_in(client)
    assert not User.objects.exists()


@pytest.mark.parametrize("claim", ["email", "name", "given_name", "family_name", "preferred_username"])
@pytest.mark.parametrize("value", [7, ["new@example.org"], {"a": "b"}])
def test_a_name_that_is_not_text_is_ignored(
    claim: str, value: Any, provider: Provider, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    provider.person[claim] = value
    assert sign_in_through(client).status_code == 302
    assert is_signed_in(client)
    assert f"what is not text as {claim}." in caplog.text


@pytest.mark.parametrize(
    ("where", "claims", "reason"),
    [
        ("person", {"sub": "x" * 5000}, "too long a name"),
        ("userinfo", {"name": "\ud800"}, "half a character"),
        ("person", {"of the provider": ["\0"]}, "half a character"),
    ],
)
def test_what_cannot_be_stored_signs_nobody_in(
    where: str,
    claims: dict[str, Any],
    reason: str,
    provider: Provider,
    client: Client,
    caplog: pytest.LogCaptureFixture,
) -> None:
    getattr(provider, where).update(claims)
    assert sign_in_through(client).status_code == 401
    assert not is_signed_in(client)
    assert reason in caplog.text


def test_an_answer_to_another_browser_s_sign_in_is_refused(provider: Provider, client: Client) -> None:
    theirs = come_back(Client())
    client.get(LOGIN)
    assert client.get(theirs).status_code == 401
    assert not is_signed_in(client)


def test_an_answer_works_once(provider: Provider, client: Client) -> None:
    back = come_back(client)
    client.get(back)
    client.logout()
    assert client.get(back).status_code == 401


def test_what_stands_in_the_address_reaches_no_provider(provider: Provider, client: Client) -> None:
    sent = client.get(
        f"{LOGIN}?scope=admin&auth_params=redirect_uri%3Dhttps%3A%2F%2Fevil.example%26nonce%3Dx"
    )
    assert "evil.example" not in sent["Location"]
    assert "admin" not in sent["Location"]
    assert "nonce=x" not in sent["Location"]


def test_nobody_connects_a_second_account_to_theirs(provider: Provider, owner: User, sign_in: Any) -> None:
    assert sign_in(owner).get(f"{LOGIN}?process=connect").status_code == 404


def test_the_way_back_is_built_on_the_public_address(
    provider: Provider, client: Client, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://journals.example.org"
    sent = client.get(LOGIN)["Location"]
    assert (
        "redirect_uri=https%3A%2F%2Fjournals.example.org%2Faccounts%2Foidc%2Fsso%2Flogin%2Fcallback%2F"
        in sent
    )


def test_leaving_half_way_says_so(provider: Provider, client: Client) -> None:
    state = client.get(LOGIN)["Location"].split("state=")[1].split("&")[0]
    answer = client.get(f"{LOGIN}callback/?error=access_denied&state={state}", follow=True)
    assert "The sign-in was cancelled" in answer.content.decode()


def test_a_provider_that_is_away_is_said(provider: Provider, client: Client, settings: Any) -> None:
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"] = {"server_url": "http://127.0.0.1:9"}
    answer = client.get(LOGIN)
    assert answer.status_code == 401
    assert "The sign-in did not work" in answer.content.decode()


INWARD = [
    "http://169.254.169.254/latest/meta-data", "http://[fd00:ec2::254]/", "http://localhost:{port}/keys", "http://0x7f000001:{port}/keys",
    "http://[::ffff:127.0.0.1]:{port}/keys", "http://inward.example:{port}/keys",
]  # fmt: skip


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS of somebody who points a name of theirs at this machine."""
    asked = socket.getaddrinfo

    def answer(host: str, *args: Any, **options: Any) -> Any:
        return asked("127.0.0.1" if host == "inward.example" else host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", answer)


@pytest.mark.parametrize("address", INWARD)
@pytest.mark.parametrize("how", ["token_endpoint", "userinfo_endpoint", "jwks_uri", "redirect"])
def test_what_the_provider_names_leads_to_no_address_off_limits(
    provider: Provider,
    client: Client,
    resolver: None,
    caplog: pytest.LogCaptureFixture,
    address: str,
    how: str,
) -> None:
    inward = address.format(port=urlsplit(provider.url).port)
    if how == "redirect":
        provider.moved = {"/keys": inward}
    else:
        provider.endpoints = {how: inward}
    answer = sign_in_through(client)
    assert answer.status_code == 401
    assert not is_signed_in(client)
    assert "(RequestException)" in caplog.text


def test_a_switched_off_account_stays_out(provider: Provider, client: Client) -> None:
    sign_in_through(Client())
    User.objects.update(is_active=False)
    sign_in_through(client)
    assert not is_signed_in(client)


def test_without_a_provider_there_is_no_button_and_no_page(db: None, client: Client) -> None:
    assert "oidc" not in client.get("/accounts/login/").content.decode()
    assert client.get(LOGIN).status_code == 404
    assert client.get(f"{LOGIN}callback/?code=1").status_code == 404
