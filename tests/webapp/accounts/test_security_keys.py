"""Security keys as a second factor: added, renamed, used, removed, and every answer of a key that must not sign anybody in."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import User
from django.test import Client

from tests.webapp.accounts.authenticator import SecurityKey
from webapp.audit.models import Event

SECURITY = "/accounts/security/"
ADD, ANSWER = f"{SECURITY}webauthn/add/", f"{SECURITY}authenticate/"
SIGN_IN = {"login": "owner", "password": "a long pass phrase"}
PUBLIC = "https://journals.example.org"


@pytest.fixture(autouse=True)
def public_address(settings: Any) -> None:
    settings.PUBLIC_URL = PUBLIC
    settings.ALLOWED_HOSTS = ["*"]


@pytest.fixture
def web(owner: User, sign_in: Any) -> Client:
    """The owner's, who has entered the password a moment ago."""
    client: Client = sign_in(owner)
    client.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    return client


def options(client: Client, page: str) -> Any:
    """What the page hands to the browser's own function."""
    found = re.search(
        r'<script id="js_data" type="application/json">(.*?)</script>', client.get(page).content.decode()
    )
    assert found
    (asked,) = json.loads(found[1]).values()
    return asked


def add(
    client: Client, key: SecurityKey, name: str = "blue key", origin: str = PUBLIC, **changed: Any
) -> Any:
    credential = key.create(options(client, ADD), origin, **changed)
    return client.post(ADD, {"name": name, "credential": json.dumps(credential)})


@pytest.fixture
def key(web: Client) -> SecurityKey:
    key = SecurityKey()
    assert add(web, key)["Location"] == f"{SECURITY}recovery-codes/"
    return key


def answer(client: Client, key: SecurityKey, origin: str = PUBLIC, **changed: Any) -> Any:
    return client.post(
        ANSWER, {"credential": json.dumps(key.get(options(client, ANSWER), origin, **changed))}
    )


def keys() -> list[str]:
    return [str(row) for row in Authenticator.objects.filter(type="webauthn").order_by("pk")]


def test_a_password_alone_opens_nothing_and_the_key_does(key: SecurityKey, client: Client) -> None:
    assert client.post("/accounts/login/", SIGN_IN)["Location"] == ANSWER
    assert client.get("/").status_code == 302
    assert "Use a security key" in client.get(ANSWER).content.decode()
    answer(client, key)
    assert client.get("/").status_code == 200
    told = Event.objects.filter(action__startswith="factor").order_by("pk")
    assert [(event.action, event.detail) for event in told] == [("factor.added", {"kind": "webauthn"})]


def test_a_recovery_code_stands_for_a_lost_key(key: SecurityKey, client: Client) -> None:
    codes = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    client.post("/accounts/login/", SIGN_IN)
    client.post(ANSWER, {"code": codes[0]})
    assert client.get("/").status_code == 200


def test_it_is_listed_renamed_and_removed_with_the_codes(key: SecurityKey, web: Client) -> None:
    assert add(web, SecurityKey(), "<b>spare</b>")["Location"] == SECURITY
    page = web.get(SECURITY).content.decode()
    assert "&lt;b&gt;spare&lt;/b&gt;" in page
    first, second = Authenticator.objects.filter(type="webauthn").order_by("pk")
    web.post(f"{SECURITY}webauthn/keys/{first.pk}/edit/", {"name": "green key"})
    assert keys() == ["green key", "<b>spare</b>"]
    assert web.get(f"{SECURITY}webauthn/").url == SECURITY
    for row in (first, second):
        web.post(f"{SECURITY}webauthn/keys/{row.pk}/remove/")
    assert not Authenticator.objects.exists()
    removed = Event.objects.filter(action="factor.removed")
    assert sorted(event.detail["kind"] for event in removed) == ["recovery_codes", "webauthn", "webauthn"]


@pytest.mark.parametrize("method", ["delete", "put", "patch"])
def test_it_is_removed_by_the_form_only(method: str, key: SecurityKey, web: Client) -> None:
    row = Authenticator.objects.get(type="webauthn")
    for page in ("edit", "remove"):
        assert getattr(web, method)(f"{SECURITY}webauthn/keys/{row.pk}/{page}/").status_code == 405
    assert keys() == ["blue key"]


def test_the_key_of_another_is_not_there(key: SecurityKey, viewer: User, sign_in: Any) -> None:
    theirs, row = sign_in(viewer), Authenticator.objects.get(type="webauthn")
    theirs.post("/accounts/reauthenticate/", {"password": "a long pass phrase"})
    for page in ("edit", "remove"):
        assert theirs.get(f"{SECURITY}webauthn/keys/{row.pk}/{page}/").status_code == 404
        assert theirs.post(f"{SECURITY}webauthn/keys/{row.pk}/{page}/", {"name": "x"}).status_code == 404
    assert keys() == ["blue key"]


def test_nobody_adds_a_key_without_the_password(owner: User, client: Client) -> None:
    client.force_login(owner)
    assert "/accounts/reauthenticate/" in client.get(ADD)["Location"]


def test_it_confirms_who_one_is_where_there_is_no_password(
    key: SecurityKey, owner: User, web: Client
) -> None:
    owner.set_unusable_password()
    owner.save()
    client = Client()
    client.force_login(owner)
    page = f"{SECURITY}webauthn/reauthenticate/"
    assert "/reauthenticate/" in client.get(ADD)["Location"]
    credential = key.get(options(client, page), PUBLIC)
    client.post(page, {"credential": json.dumps(credential)})
    assert client.get(ADD).status_code == 200


@pytest.mark.parametrize(
    "changed",
    [
        {"origin": "https://evil.example"},
        {"origin": "https://other.journals.example.org"},
        {"origin": "https://journals.example.org:8443"},
        {"origin": "http://journals.example.org"},
        {"crossOrigin": True},
        {"challenge": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
        {"type": "webauthn.create"},
    ],
    ids=str,
)
def test_what_another_site_asked_for_signs_nobody_in(
    changed: dict[str, Any], key: SecurityKey, client: Client
) -> None:
    client.post("/accounts/login/", SIGN_IN)
    page = answer(client, key, **changed).content.decode()
    assert "This security key was not accepted" in page
    assert client.get("/").status_code == 302
    assert Event.objects.get(action="factor.failed").detail == {"kind": "webauthn"}


def test_neither_does_an_unknown_key_nor_an_answer_twice(key: SecurityKey, client: Client) -> None:
    client.post("/accounts/login/", SIGN_IN)
    assert "was not accepted" in answer(client, SecurityKey()).content.decode()
    sent = {"credential": json.dumps(key.get(options(client, ANSWER), PUBLIC))}
    client.post(ANSWER, sent)
    assert client.get("/").status_code == 200
    again = Client()
    again.post("/accounts/login/", SIGN_IN)
    assert "was not accepted" in again.post(ANSWER, sent).content.decode()


def test_tries_are_limited(key: SecurityKey, client: Client) -> None:
    client.post("/accounts/login/", SIGN_IN)
    for _ in range(6):
        page = answer(client, SecurityKey()).content.decode()
    assert "was not accepted" not in page
    answer(client, key)
    assert client.get("/").status_code == 302


@pytest.mark.parametrize("changed", [{"origin": "https://evil.example"}, {"challenge": "AAAA"}], ids=str)
def test_neither_is_such_a_key_added(changed: dict[str, Any], web: Client) -> None:
    assert "was not accepted" in add(web, SecurityKey(), **changed).content.decode()
    assert keys() == []


JUNK = [
    "", "null", "7", "[]", "{}", '"text"', "[" * 5000, "7" * 5000, '{"type": "public-key", "rawId": 7}', '{"rawId": "AA", "response": null}',
    '{"rawId": "AA", "response": {"clientDataJSON": "e30", "attestationObject": "gA", "signature": "AA", "authenticatorData": "AA"}}',
    '{"rawId": "\\u0000", "response": {"clientDataJSON": "bnVsbA", "attestationObject": "v_8"}}',
]  # fmt: skip


@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_refused_with_a_sentence(junk: str, key: SecurityKey, web: Client, client: Client) -> None:
    web.get(ADD)
    assert web.post(ADD, {"name": "x", "credential": junk}).status_code == 200
    client.post("/accounts/login/", SIGN_IN)
    client.get(ANSWER)
    assert client.post(ANSWER, {"credential": junk}).status_code == 200
    assert client.get("/").status_code == 302
    assert keys() == ["blue key"]


def test_every_changed_byte_of_an_answer_is_refused_with_a_sentence(key: SecurityKey, web: Client) -> None:
    asked = options(web, ADD)
    for name, text in SecurityKey().create(asked, PUBLIC)["response"].items():
        for place in range(0, len(text), 7):
            sent = SecurityKey().create(asked, PUBLIC)
            sent["response"][name] = text[:place] + ("B" if text[place] == "A" else "A") + text[place + 1 :]
            assert web.post(ADD, {"name": "x", "credential": json.dumps(sent)}).status_code in (200, 302)


def test_nothing_is_kept_that_is_not_read(web: Client) -> None:
    sent = SecurityKey().create(options(web, ADD), PUBLIC) | {"more": "\x00" * 1000}
    sent["clientExtensionResults"] = {"credProps": {"rk": True}, "more": "\x00"}
    web.post(ADD, {"name": "", "credential": json.dumps(sent)})
    kept = Authenticator.objects.get(type="webauthn").data
    assert kept["name"] == "Key 1"
    assert "more" not in str(kept)
    assert kept["credential"]["clientExtensionResults"] == {"credProps": {"rk": True}}


def test_a_name_has_an_end(key: SecurityKey, web: Client) -> None:
    row = Authenticator.objects.get(type="webauthn")
    web.post(f"{SECURITY}webauthn/keys/{row.pk}/edit/", {"name": "n" * 101})
    assert keys() == ["blue key"]


def test_it_counts_where_a_second_factor_is_required(key: SecurityKey, web: Client, settings: Any) -> None:
    settings.REQUIRE_SECOND_FACTOR = "all"
    assert web.get("/").status_code == 200
    Authenticator.objects.all().delete()
    assert web.get("/")["Location"] == SECURITY
    assert web.get(ADD).status_code == 200


@pytest.mark.parametrize(
    ("public", "host", "bound_to"),
    [
        (PUBLIC, "10.0.0.7:8000", "journals.example.org"),
        ("https://Journals.example.org:8443/", "inner", "journals.example.org"),
        ("", "localhost:8000", "localhost"),
        ("", "127.0.0.1:8000", "localhost"),
        ("", "[::1]:8000", "localhost"),
    ],
)
def test_the_host_that_keys_are_bound_to(
    public: str, host: str, bound_to: str, web: Client, settings: Any
) -> None:
    settings.PUBLIC_URL = public.rstrip("/")
    web.defaults["HTTP_HOST"] = host
    assert options(web, ADD)["publicKey"]["rp"] == {"id": bound_to, "name": "Journalscope"}


def test_over_http_at_localhost(web: Client, settings: Any) -> None:
    settings.PUBLIC_URL = ""
    web.defaults["HTTP_HOST"] = "localhost:8000"
    assert add(web, SecurityKey(), origin="http://localhost:8000").status_code == 302
    assert "was not accepted" in add(web, SecurityKey(), origin="http://localhost:8001").content.decode()
