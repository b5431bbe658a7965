"""The second factor: codes by RFC 6238, recovery codes, who must have one, and no way around it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command
from django.test import Client

from tests.webapp.accounts.totp import code_of
from webapp.accounts import one_time
from webapp.accounts.management.commands.reset_second_factor import Command
from webapp.audit.models import Event

SIGN_IN = {"login": "owner", "password": "a long pass phrase"}


def turned_on(client: Client) -> str:
    """Turn it on the way a person does; the secret."""
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    page = client.get("/accounts/security/totp/activate/").content.decode()
    found = re.search(r'id="totp-secret" readonly value="([A-Z2-7]+)"', page)
    assert found
    answer = client.post("/accounts/security/totp/activate/", {"code": code_of(found[1])})
    assert answer["Location"] == "/accounts/security/recovery-codes/"
    return found[1]


@pytest.fixture
def secret(owner: Any, sign_in: Any, django_capture_on_commit_callbacks: Any) -> str:
    with django_capture_on_commit_callbacks(execute=True):
        return turned_on(sign_in(owner))


def test_turning_it_on_asks_for_the_password_and_shows_a_picture(owner: Any, client: Client) -> None:
    client.force_login(owner)
    assert "/accounts/reauthenticate/" in client.get("/accounts/security/totp/activate/")["Location"]
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    page = client.get("/accounts/security/totp/activate/").content.decode()
    assert "data:image/svg+xml;base64," in page
    assert "<script>" not in page


def test_a_wrong_code_turns_nothing_on(owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    client.get("/accounts/security/totp/activate/")
    assert (
        "Incorrect code"
        in client.post("/accounts/security/totp/activate/", {"code": "000000"}).content.decode()
    )
    assert not Authenticator.objects.exists()


def test_a_password_alone_opens_nothing_then(secret: str, client: Client) -> None:
    assert client.post("/accounts/login/", SIGN_IN)["Location"] == "/accounts/security/authenticate/"
    assert client.get("/").status_code == 302
    assert (
        "Incorrect code"
        in client.post("/accounts/security/authenticate/", {"code": "000000"}).content.decode()
    )
    assert client.get("/").status_code == 302
    client.post("/accounts/security/authenticate/", {"code": code_of(secret, 1)})
    assert client.get("/").status_code == 200
    told = Event.objects.filter(action__startswith="factor", target_name="owner").order_by("pk")
    assert [(event.action, event.detail.get("kind")) for event in told] == [
        ("factor.added", "totp"),
        ("factor.added", "recovery_codes"),
        ("factor.failed", None),
    ]


def test_a_code_works_once(secret: str) -> None:
    code = code_of(secret, 1)
    for client, status in ((Client(), 200), (Client(), 302)):
        client.post("/accounts/login/", SIGN_IN)
        client.post("/accounts/security/authenticate/", {"code": code})
        assert client.get("/").status_code == status


def test_a_recovery_code_signs_in_once(secret: str, owner: Any) -> None:
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    for client, status in ((Client(), 200), (Client(), 302)):
        client.post("/accounts/login/", SIGN_IN)
        client.post("/accounts/security/authenticate/", {"code": codes[0]})
        assert client.get("/").status_code == status


def test_a_one_time_link_asks_for_it_too(secret: str, owner: Any, client: Client) -> None:
    assert client.post(one_time.create_link(owner))["Location"] == "/accounts/security/authenticate/"
    assert client.get("/").status_code == 302


def test_django_s_own_sign_in_page_is_no_way_around(superuser: Any, client: Client) -> None:
    form = {"username": "superuser", "password": "a long pass phrase"}
    assert "/accounts/login/" in client.post("/admin/login/", form)["Location"]
    assert client.get("/admin/").status_code == 302


def test_the_database_holds_no_secret_in_the_clear(secret: str, settings: Any) -> None:
    kept = Authenticator.objects.get(type="totp")
    assert secret not in str(kept.data)
    assert kept.wrap().validate_code(code_of(secret, 1))
    settings.SECRET_KEY = "another one"
    assert not kept.wrap().validate_code(code_of(secret))


def test_it_is_turned_off_by_its_owner_after_a_code(secret: str, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    assert client.post("/accounts/security/totp/deactivate/").status_code == 302
    assert Authenticator.objects.filter(type="totp").exists()
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    client.post("/accounts/security/totp/deactivate/")
    assert not Authenticator.objects.exists()
    assert Event.objects.filter(action="factor.removed", target_name="owner").exists()


def test_codes_are_limited(secret: str, client: Client) -> None:
    client.post("/accounts/login/", SIGN_IN)
    pages = [
        client.post("/accounts/security/authenticate/", {"code": "000000"}).content.decode() for _ in range(6)
    ]
    assert "Incorrect code" in pages[0]
    assert "Incorrect code" not in pages[-1]
    client.post("/accounts/security/authenticate/", {"code": code_of(secret, 1)})
    assert client.get("/").status_code == 302


def test_who_lost_everything_is_helped_from_the_command_line(secret: str, owner: Any, client: Client) -> None:
    call_command("reset_second_factor", "owner")
    assert client.post("/accounts/login/", SIGN_IN)["Location"] == "/"
    for name in ("owner", "nobody"):
        with pytest.raises(CommandError):
            call_command("reset_second_factor", name)
    assert Command.help.startswith("Takes the second factor off")


class TestRequired:
    """REQUIRE_SECOND_FACTOR."""

    @pytest.mark.django_db
    @pytest.mark.parametrize(
        ("who", "setting", "must"),
        [
            ("owner", "none", False),
            ("owner", "admins", False),
            ("owner", "all", True),
            ("admin", "admins", True),
            ("admin", "superusers", False),
            ("superuser", "superusers", True),
            ("superuser", "admins", True),
        ],
    )
    def test_who_must_have_one(
        self, who: str, setting: str, must: bool, request: Any, sign_in: Any, settings: Any
    ) -> None:
        settings.REQUIRE_SECOND_FACTOR = setting
        client = sign_in(request.getfixturevalue(who))
        answer = client.get("/")
        assert answer.status_code == (302 if must else 200)
        assert answer.get("Location") == ("/accounts/security/" if must else None)

    @pytest.mark.parametrize(
        "path", ["/", "/accounts/projects/", "/accounts/sessions/", "/admin/", "/catalogue/"]
    )
    def test_nothing_else_opens_before(self, path: str, superuser: Any, sign_in: Any, settings: Any) -> None:
        settings.REQUIRE_SECOND_FACTOR = "all"
        client = sign_in(superuser)
        assert client.get(path)["Location"] == "/accounts/security/"
        assert client.post("/journals/", {}).status_code == 403

    def test_a_program_is_told_in_its_own_way(self, owner: Any, sign_in: Any, settings: Any) -> None:
        settings.REQUIRE_SECOND_FACTOR = "all"
        answer = sign_in(owner).get("/api/v1/me/")
        assert answer.status_code == 403
        assert "needs two-factor authentication" in answer.json()["error"]

    def test_after_it_is_on_everything_does(self, owner: Any, sign_in: Any, settings: Any) -> None:
        settings.REQUIRE_SECOND_FACTOR = "all"
        client = sign_in(owner)
        turned_on(client)
        assert client.get("/").status_code == 200

    def test_signing_out_stays_possible(self, owner: Any, sign_in: Any, settings: Any) -> None:
        settings.REQUIRE_SECOND_FACTOR = "all"
        assert sign_in(owner).get("/accounts/logout/").status_code == 200
