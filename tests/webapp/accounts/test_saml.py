"""Signing in through a SAML provider with signed assertions, and every answer of it that must not sign anybody in."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

pytest.importorskip("xmlsec", reason="needs the extra saml")

from allauth.socialaccount.providers import registry

from tests.webapp.accounts.saml_provider import ENTITY, SamlProvider, metadata
from tests.webapp.test_settings import run, told
from webapp.accounts.models import Project
from webapp.accounts.provider import grants, mapping, saml, saml_metadata
from webapp.audit.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.webapp.accounts.saml_urls")]
SITE = "https://journals.example.org"
LOGIN, ANSWER, FINISH = (f"/accounts/saml/{name}/" for name in ("login", "answer", "finish"))
MAIL = "urn:oid:0.9.2342.19200300.100.1.3"


@pytest.fixture
def provider(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SamlProvider:
    file = tmp_path / "idp.xml"
    file.write_text(metadata())
    registry.load()
    monkeypatch.setitem(registry.provider_map, "saml", saml.SignInProvider)
    app = {
        "name": "Acme",
        "client_id": "sso",
        "settings": {"attribute_mapping": saml_metadata.attributes("", "")},
    }
    settings.SOCIALACCOUNT_PROVIDERS = settings.SOCIALACCOUNT_PROVIDERS | {"saml": {"APPS": [app]}}
    settings.PUBLIC_URL, settings.SAML_METADATA_FILE, settings.SAML_NAME = SITE, str(file), "Acme"
    settings.SAML_IDENTITY_PROVIDER = saml_metadata.read("SAML_METADATA_FILE", file)
    return SamlProvider(attributes={MAIL: ["new@example.org"]})


def come_back(client: Client, answer: str) -> Any:
    """As browsers do: the provider's page posts without the cookies of the site, and the redirect has them again."""
    posting = Client()
    sent = posting.post(ANSWER, {"SAMLResponse": answer, "RelayState": "https://evil.example"})
    assert sent["Location"] == FINISH
    for name, morsel in posting.cookies.items():
        client.cookies[name] = morsel.value
    return client.get(FINISH)


def sign_in_through(provider: SamlProvider, client: Client, login: str = LOGIN, **answer: Any) -> Any:
    return come_back(client, provider.answer(client.get(login)["Location"], **answer))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("signs", ["assertion", "response", "assertion response"])
def test_who_comes_for_the_first_time_gets_an_account(
    signs: str, provider: SamlProvider, client: Client
) -> None:
    assert "Sign in with Acme" in client.get("/accounts/login/").content.decode()
    provider.signs = signs
    assert sign_in_through(provider, client)["Location"] == "/"
    made = User.objects.get()
    assert (made.email, made.has_usable_password()) == ("new@example.org", False)
    assert client.session["_auth_user_id"] == str(made.pk)
    assert set(Event.objects.values_list("action", flat=True)) >= {"account.created", "session.signed-in"}


def test_the_second_time_it_is_the_same_account_and_the_page_one_wanted(
    provider: SamlProvider, client: Client
) -> None:
    sign_in_through(provider, Client())
    provider.attributes[MAIL] = ["renamed@example.org"]
    assert sign_in_through(provider, client, f"{LOGIN}?next=/catalogue/")["Location"] == "/catalogue/"
    assert sign_in_through(provider, Client(), f"{LOGIN}?next=https://evil.example/")["Location"] == "/"
    assert User.objects.count() == 1


def test_groups_give_roles(provider: SamlProvider, project: Project, client: Client, settings: Any) -> None:
    settings.GROUP_ROLES = (mapping.GroupRole("line 1", "lead & staff", "default", "admin"),)
    provider.attributes["groups"] = [*(f"group {number}" for number in range(1000)), "lead & staff"]
    sign_in_through(provider, client)
    assert User.objects.get().memberships.get().role == "admin"
    del provider.attributes["groups"]
    sign_in_through(provider, client)
    assert not User.objects.get().memberships.exists()


def test_of_two_providers_the_groups_of_the_last_sign_in_count(
    provider: SamlProvider, elsewhere: Project, owner: User, client: Client, settings: Any
) -> None:
    settings.GROUP_ROLES = (mapping.GroupRole("line 1", "leads", "elsewhere", "admin"),)
    grants.renew(owner, frozenset({"leads"}))  # as the other provider's sign-in does
    assert owner.memberships.filter(project=elsewhere).exists()
    settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]["verified_email"] = True
    provider.attributes[MAIL] = [owner.email]
    sign_in_through(provider, client)
    assert client.session["_auth_user_id"] == str(owner.pk)
    assert not owner.memberships.filter(project=elsewhere).exists()


def test_an_address_opens_an_account_only_if_the_operator_trusts_it(
    provider: SamlProvider, owner: User, client: Client, settings: Any
) -> None:
    provider.attributes[MAIL] = ["owner@example.org"]
    answer = sign_in_through(provider, client)
    assert "An account has this address already" in answer.content.decode()
    assert not is_signed_in(client)
    settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]["verified_email"] = True
    sign_in_through(provider, client)
    assert client.session["_auth_user_id"] == str(owner.pk)


TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"signs": ""}, "No Signature found"),
        ({"signing_key": 2}, "Signature validation failed"),
        ({"issuer": "https://evil.example/metadata"}, "Invalid issuer"),
        ({"audience": "https://another.example/metadata/"}, "not a valid audience"),
        ({"audience": ""}, "does not say for which site"),
        (
            {"recipient": "https://another.example/accounts/saml/answer/"},
            "instead of https://another.example",
        ),
        ({"minutes_ago": 30}, "expired"),
        ({"status": "Requester"}, "was not Success"),
        ({"name_format": TRANSIENT}, "The NameID is transient"),
        ({"name": ""}, "names no user"),
        ({"name": "n" * 192}, "too long a name"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_answer_that_is_not_valid_signs_nobody_in(
    wrong: dict[str, Any],
    reason: str,
    provider: SamlProvider,
    client: Client,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name, value in wrong.items():
        setattr(provider, name, value)
    answer = sign_in_through(provider, client)
    assert answer.status_code == 401
    assert "Nobody was signed in" in answer.content.decode()
    assert "A sign-in through the provider failed (NotOurs: " in caplog.text
    assert reason in caplog.text
    assert not is_signed_in(client)
    assert not User.objects.exists()


def test_a_name_does_not_stand_for_the_attribute_that_names_people(
    provider: SamlProvider, client: Client, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SAML_USER_ATTRIBUTE = "staff-id"
    app = settings.SOCIALACCOUNT_PROVIDERS["saml"]["APPS"][0]["settings"]
    app["attribute_mapping"] = saml_metadata.attributes("staff-id", "")
    provider.attributes["staff-id"] = ["4711"]
    sign_in_through(provider, Client())
    del provider.attributes["staff-id"]
    provider.name = "4711"
    assert sign_in_through(provider, client).status_code == 401
    assert "lacks the attribute that SAML_USER_ATTRIBUTE names" in caplog.text
    assert not is_signed_in(client)


@pytest.mark.parametrize("changed", [("someone-7", "someone-8"), ("new@example.org", "boss@example.org")])
@pytest.mark.parametrize("signs", ["assertion", "response"])
def test_neither_does_one_that_was_changed(
    signs: str, changed: tuple[str, str], provider: SamlProvider, client: Client
) -> None:
    provider.signs = signs
    xml = base64.b64decode(provider.answer(client.get(LOGIN)["Location"])).decode().replace(*changed)
    assert come_back(client, base64.b64encode(xml.encode()).decode()).status_code == 401
    assert not is_signed_in(client)


@pytest.mark.parametrize("where", ["before", "around"])
def test_neither_does_a_second_assertion_next_to_the_signed_one(
    where: str, provider: SamlProvider, client: Client
) -> None:
    """Signature wrapping."""
    xml = base64.b64decode(provider.answer(client.get(LOGIN)["Location"])).decode()
    start, end = xml.index("<a:Assertion"), xml.index("</p:Response>")
    signed = xml[start:end]
    forged = provider._assertion("_x", "2020-01-01T00:00:00Z").replace('ID="_a1"', 'ID="_evil"')
    forged = forged.replace("someone-7", "superuser")
    if where == "around":
        forged, signed = forged.replace("</a:Assertion>", f"<a:Advice>{signed}</a:Advice></a:Assertion>"), ""
    xml = xml[:start] + forged + signed + xml[end:]
    assert come_back(client, base64.b64encode(xml.encode()).decode()).status_code == 401
    assert not is_signed_in(client)


def test_an_answer_counts_in_the_browser_that_asked_and_once(provider: SamlProvider, client: Client) -> None:
    theirs = provider.answer(Client().get(LOGIN)["Location"])
    client.get(LOGIN)
    assert come_back(client, theirs).status_code == 401
    own = provider.answer(client.get(LOGIN)["Location"])
    assert come_back(client, own).status_code == 302
    client.logout()
    assert come_back(client, own).status_code == 401
    assert not is_signed_in(client)


def test_an_answer_that_nobody_asked_for_signs_nobody_in(provider: SamlProvider, client: Client) -> None:
    assert sign_in_through(provider, client, in_response_to="").status_code == 401
    assert not is_signed_in(client)


def test_neither_does_one_that_was_put_into_the_answer_to_a_request(
    provider: SamlProvider, client: Client
) -> None:
    """The response around a signed assertion is not signed: what it says to answer, the assertion must say, too."""
    login = client.get(LOGIN)["Location"]
    xml = base64.b64decode(provider.answer(login, in_response_to="")).decode()
    asked = base64.b64decode(provider.answer(login)).decode()
    (request,) = re.findall(r'<p:Response [^>]*InResponseTo="([^"]+)"', asked)
    xml = xml.replace('Version="2.0" ', f'Version="2.0" InResponseTo="{request}" ', 1)
    assert come_back(client, base64.b64encode(xml.encode()).decode()).status_code == 401
    assert not is_signed_in(client)


def test_the_log_has_the_beginning_of_a_long_reason(
    provider: SamlProvider, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    provider.signs, provider.issuer = "", "https://evil.example/" + "x" * 20_000
    assert sign_in_through(provider, client).status_code == 401
    assert "Invalid issuer" in caplog.text
    assert len(caplog.text) < 1000


ENTITIES = '<!DOCTYPE p [<!ENTITY a SYSTEM "file:///etc/passwd">]><p:Response xmlns:p="x">&a;</p:Response>'
JUNK = ["%%%", "AAAA", base64.b64encode(b"<a>" * 5000).decode(), base64.b64encode(ENTITIES.encode()).decode()]


@pytest.mark.parametrize("junk", JUNK)
def test_junk_is_refused_with_a_page(junk: str, provider: SamlProvider, client: Client) -> None:
    client.get(LOGIN)
    assert come_back(client, junk).status_code == 401


def test_what_is_too_large_is_not_kept(provider: SamlProvider, client: Client) -> None:
    assert saml.MAX_BYTES * 60 * saml.WAITS_SECONDS / 60 <= 16 * 1024**2  # by one address at a time
    sent = client.post(ANSWER, {"SAMLResponse": "A" * (saml.MAX_BYTES + 1)})
    assert saml.COOKIE not in sent.cookies
    assert client.get(FINISH).status_code == 401
    assert client.get(ANSWER).status_code == 405


def test_nobody_connects_a_second_account_to_theirs(
    provider: SamlProvider, owner: User, sign_in: Any
) -> None:
    assert sign_in(owner).get(f"{LOGIN}?process=connect").status_code == 404


def test_the_provider_is_told_who_we_are(provider: SamlProvider, client: Client) -> None:
    xml = client.get("/accounts/saml/metadata/").content.decode()
    assert f'entityID="{SITE}/accounts/saml/metadata/"' in xml
    assert f'Location="{SITE}{ANSWER}"' in xml
    assert "SingleLogoutService" not in xml


class TestSettings:
    def test_from_the_environment(self, tmp_path: Path) -> None:
        file = tmp_path / "idp.xml"
        file.write_text(metadata())
        found = told(
            tmp_path,
            "SAML_IDENTITY_PROVIDER",
            "INSTALLED_APPS",
            PUBLIC_URL=SITE,
            SAML_METADATA_FILE=str(file),
        )
        assert found["SAML_IDENTITY_PROVIDER"]["entityId"] == ENTITY
        assert "allauth.socialaccount.providers.saml" in found["INSTALLED_APPS"]

    def test_it_needs_an_address(self, tmp_path: Path) -> None:
        _, problem = run(
            "import django; django.setup()", tmp_path, SAML_METADATA_FILE="idp.xml"
        ).communicate()
        assert "SAML_METADATA_FILE is set and PUBLIC_URL is not" in problem

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            (None, "cannot be read as metadata"),
            ("no xml", "cannot be read as metadata"),
            ("<a/>", "lacks an entity id and"),
            (metadata(binding="HTTP-POST"), "lacks an address for sign-ins by HTTP-Redirect"),
            (metadata(with_certificate=False), "lacks a certificate for signatures"),
        ],
    )
    def test_a_file_that_is_no_metadata(self, text: str | None, sentence: str, tmp_path: Path) -> None:
        file = tmp_path / "idp.xml"
        if text is not None:
            file.write_text(text)
        with pytest.raises(ImproperlyConfigured, match=sentence):
            saml_metadata.read("SAML_METADATA_FILE", file)

    def test_without_the_packages(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(saml_metadata, "find_spec", lambda _: None)
        with pytest.raises(ImproperlyConfigured, match=r"pip install 'journalscope\[saml\]'"):
            saml_metadata.read("SAML_METADATA_FILE", tmp_path)
