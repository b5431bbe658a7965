"""A scanner's baseline, asked of every address as every part: headers, cookies, forms, redirects, reflected input.

The addresses, the parts and the world they meet are those of test_rights.py. `make audit` runs all of it; `make test` asks
as a guest and as a superuser, who see the least and the most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.urls import get_resolver

from tests.webapp.rights_table import ADMINISTRATION, ROUTES, SHARED
from tests.webapp.test_rights import PARTS, browsers, inspected, ours, path_of, people, share, walk, world

__all__ = ["browsers", "inspected", "people", "share", "world"]

pytestmark = pytest.mark.wide

SOME = ("anonymous", "superuser")
AS_PARTS = [part if part in SOME else pytest.param(part, marks=pytest.mark.long) for part in PARTS]
MARK = "\"'><svg/onload=mark{{7*7}}>"
SHOWN_RAW = "<svg/onload=mark"
ELSEWHERE = (
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example/",
    "javascript:alert(1)",
)
# every name that a view or a form of the site reads from an address
NAMES = """
    q page type topic project from to at partitions key offset until since name isolation comment cleaned x view record
    read_as profile open opened only older hide difference continues again after what value under to_offset theme
    text_format start sort skip show replica producer process partition outcome order of node last lanes kind internal
    inspection id first finding files file example end email cursor copy before asked as against state severity detector presence
    assignee whose within ticket verdict actor action target request journal query card role limit back number
"""


def pages(world: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and path of whatever answers to GET, errors included."""
    for name, address, pattern in ours():
        line = ROUTES[name]
        if line.methods["GET"]:
            yield name, path_of(address, pattern, line, world) + line.query
    for name, address, pattern in walk(get_resolver().url_patterns):
        if name.startswith(SHARED) and "<" in address:
            yield name, path_of(address, pattern, ROUTES["journals"], world)
        if name.startswith(ADMINISTRATION) and "<" not in address and "(?P" not in address:
            yield name, "/" + address
    yield "missing", "/nothing/here/"
    yield "missing below the API", "/api/v1/nothing/"
    yield "a link that nobody has", "/s/" + "A" * 43 + "/"


def answers(
    part: str, world: dict[str, Any], browsers: Any, query: dict[str, str] | None = None
) -> Iterator[tuple[str, str, Any, str]]:
    """(name, path, answer, body) of every page; what a page changes is taken back."""
    for name, path in pages(world):
        with transaction.atomic():
            answer = browsers(part).get(path, query or {}) if query else browsers(part).get(path)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            transaction.set_rollback(True)
        yield name, path, answer, body.decode("utf-8", "replace")


class Forms(HTMLParser):
    """Forms that change something, with what they send; scripts, and links that open a window."""

    def __init__(self) -> None:
        super().__init__()
        self.complaints: list[str] = []
        self._form: dict[str, str | None] | None = None
        self._has_token = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Look at one tag."""
        given = dict(attributes)
        if tag == "form":
            self._form, self._has_token = given, False
        if tag == "input" and given.get("name") == "csrfmiddlewaretoken":
            self._has_token = True
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.complaints.append("a script inside the page")
        if any(name.startswith("on") or name == "style" for name in given):
            self.complaints.append(f"<{tag}> with an inline {sorted(given)}")
        if str(given.get("href") or "").strip().lower().startswith(("javascript:", "data:text")):
            self.complaints.append(f"a link to {given['href']}")
        if given.get("target") == "_blank" and "noopener" not in str(given.get("rel")):
            self.complaints.append("a link that opens a window without rel=noopener")

    def handle_endtag(self, tag: str) -> None:
        """A form that posts has a token, or sends it by the header that every page's body carries."""
        if tag != "form" or self._form is None:
            return
        method, by_htmx = str(self._form.get("method") or "get").lower(), "hx-post" in self._form
        if method == "post" and not self._has_token and not by_htmx:
            self.complaints.append(f"a form to {self._form.get('action')} without a CSRF token")
        self._form = None


@pytest.mark.parametrize("part", AS_PARTS)
def test_every_answer_has_its_headers_and_keeps_to_the_policy(
    part: str, world: dict[str, Any], browsers: Any, house: Any
) -> None:
    wrong, count = [], 0
    for name, path, answer, body in answers(part, world, browsers):
        count += 1
        complaints = (*headers_wrong(answer), *body_wrong(answer, body))
        wrong += [f"{name} {path} ({answer.status_code}): {complaint}" for complaint in complaints]
    assert not wrong, "\n" + "\n".join(wrong)
    assert count > 200


def headers_wrong(answer: Any) -> Iterator[str]:
    """What a scanner would say of an answer's headers and cookies."""
    headers = answer.headers
    policy = headers.get("Content-Security-Policy", "")
    if "default-src 'self'" not in policy or "frame-ancestors 'none'" not in policy or "unsafe" in policy:
        yield f"the content security policy is {policy!r}"
    wanted = {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    for name, value in wanted.items():
        if headers.get(name) != value:
            yield f"{name} is {headers.get(name)!r}"
    if headers.get("Referrer-Policy") not in ("same-origin", "no-referrer"):
        yield f"Referrer-Policy is {headers.get('Referrer-Policy')!r}"
    kept = headers.get("Cache-Control", "")
    if "no-store" not in kept or "private" not in kept:
        yield f"a copy may be kept: Cache-Control is {kept!r}"
    for cookie in answer.cookies.values():
        if not cookie["samesite"] or (not cookie["httponly"] and cookie.key != "theme"):
            yield f"the cookie {cookie.key} is not HttpOnly and SameSite"


def body_wrong(answer: Any, body: str) -> Iterator[str]:
    """What a scanner would say of the body."""
    if answer.status_code >= 500 and answer.status_code != 503:
        yield "a defect"
    if "Traceback (most recent" in body or "/site-packages/" in body:
        yield "a stack trace"
    kind = answer.headers.get("Content-Type", "")
    if kind.startswith("application/json") and "<" in body:
        yield "JSON with a raw <"
    if kind.startswith("text/html"):
        reader = Forms()
        reader.feed(body)
        if "/admin/" not in answer.request["PATH_INFO"]:  # Django's own pages style themselves in places
            yield from reader.complaints


@pytest.mark.parametrize("part", AS_PARTS)
def test_no_answer_shows_what_was_typed_unescaped(
    part: str, world: dict[str, Any], browsers: Any, house: Any
) -> None:
    wrong, shown = [], 0
    for name, path, answer, body in answers(part, world, browsers, dict.fromkeys(NAMES.split(), MARK)):
        wrong += [f"{name} {path}: {complaint}" for complaint in reflected(answer, body)]
        shown += "&lt;svg/onload=mark" in body
    assert not wrong, "\n" + "\n".join(wrong)
    assert shown >= (10 if part == "superuser" else 0)  # some pages do show it, as text


@pytest.mark.long
def test_no_answer_shows_any_single_parameter_unescaped(
    world: dict[str, Any], browsers: Any, house: Any
) -> None:
    """One at a time: a page that refuses the first name that it does not understand shows no other."""
    wrong = []
    for each in NAMES.split():
        for name, path, answer, body in answers("superuser", world, browsers, {each: MARK}):
            wrong += [f"{name} {path}?{each}: {complaint}" for complaint in reflected(answer, body)]
    assert not wrong, "\n" + "\n".join(wrong)


def reflected(answer: Any, body: str) -> Iterator[str]:
    """Where the mark came back as it was sent."""
    is_page = answer.headers.get("Content-Type", "text/html").startswith(("text/html", "image/svg"))
    if is_page and (SHOWN_RAW in body or "mark49" in body):
        yield "shows it"
    if any(SHOWN_RAW in value or "\n" in value for value in answer.headers.values()):
        yield "sends it in a header"
    yield from body_wrong(answer, body)


@pytest.mark.parametrize("part", AS_PARTS)
@pytest.mark.parametrize(
    "elsewhere", [ELSEWHERE[0], *(pytest.param(each, marks=pytest.mark.long) for each in ELSEWHERE[1:])]
)
def test_no_address_leads_elsewhere(
    elsewhere: str, part: str, world: dict[str, Any], browsers: Any, house: Any
) -> None:
    names = ("next", "back", "url", "return", "redirect", "to", "from", "referrer")
    wrong = []
    for name, path in pages(world):
        for method in ("GET", "POST"):
            with transaction.atomic():
                answer = browsers(part).generic(
                    method, path + "?" + "&".join(f"{each}={elsewhere}" for each in names),
                    "&".join(f"{each}={elsewhere}" for each in names), "application/x-www-form-urlencoded",
                    headers={"Referer": elsewhere, "HX-Current-URL": elsewhere, "X-Forwarded-Host": "elsewhere.example"},
                )  # fmt: skip
                transaction.set_rollback(True)
            wrong += [
                f"{name} {method}: {header} {answer.headers[header]}"
                for header in ("Location", "HX-Redirect", "HX-Location", "HX-Push-Url", "Refresh")
                if leads_elsewhere(answer.headers.get(header, ""))
            ]
    assert not wrong, "\n" + "\n".join(wrong)


def leads_elsewhere(address: str) -> bool:
    """As a browser reads it: a backslash is a slash."""
    parts = urlsplit(address.replace("\\", "/").strip())
    return parts.netloc not in ("", "testserver") or parts.scheme not in ("", "http", "https")


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT"])
def test_whatever_changes_something_needs_a_csrf_token(
    method: str, world: dict[str, Any], people: dict[str, Any], house: Any
) -> None:
    """A session alone is what another site's page could use. The API says so as JSON, the pages as a page."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(people["superuser"])
    wrong = []
    for name, address, pattern in ours():
        line = ROUTES[name]
        if not line.methods.get(method):
            continue
        with transaction.atomic():
            answer = client.generic(method, path_of(address, pattern, line, world), b"", headers=line.headers)
            transaction.set_rollback(True)
        if answer.status_code not in (401, 403, 404, 405):
            wrong.append(f"{name} {method}: {answer.status_code}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_a_method_that_the_site_does_not_have_is_refused_at_every_address(
    world: dict[str, Any], people: dict[str, Any], house: Any
) -> None:
    """Also where static files, probes and links of shares answer before pages do."""
    client = Client(raise_request_exception=False)
    client.force_login(people["superuser"])
    addresses = [*pages(world), ("static", "/static/css/journalscope.css"), ("not static", "/static/nothing")]
    answers = {
        (method, name): client.generic(method, path).status_code
        for method in ("TRACE", "TRACK", "CONNECT", "DEBUG")
        for name, path in addresses
    }
    assert {asked: status for asked, status in answers.items() if status != 405} == {}


def test_over_https_every_cookie_is_secure_and_the_site_says_to_stay_there(owner: Any) -> None:
    with override_settings(
        SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True, SECURE_HSTS_SECONDS=31536000,
        SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    ):  # fmt: skip
        client = Client()
        form = {"login": "owner", "password": "a long pass phrase"}
        answer = client.post("/accounts/login/", form, secure=True)
        assert answer.status_code == 302
        assert {"sessionid", "csrftoken"} <= set(answer.cookies)
        assert all(cookie["secure"] and cookie["httponly"] for cookie in answer.cookies.values())
        assert "max-age=31536000" in client.get("/accounts/login/", secure=True)["Strict-Transport-Security"]


def test_a_host_that_is_not_ours_is_refused(db: None) -> None:
    assert (
        Client(raise_request_exception=False)
        .get("/accounts/login/", headers={"Host": "elsewhere.example"})
        .status_code
        == 400
    )


def test_static_files_keep_their_caching(client: Client) -> None:
    answer = client.get("/static/favicon.svg")
    assert answer.status_code == 200
    assert re.search(r"max-age=\d+, public", answer["Cache-Control"])
    assert "no-store" not in answer["Cache-Control"]


def test_an_etag_saves_a_program_its_second_download_although_nothing_is_kept(
    inspected: Any, owner: Any, sign_in: Any
) -> None:
    inspection, client = inspected(), sign_in(owner)
    for path in (
        f"/api/v1/inspections/{inspection.pk}/report/",
        f"/api/v1/inspections/{inspection.pk}/records/",
    ):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": first["ETag"]})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
        assert first["Cache-Control"] == again["Cache-Control"] == "private, no-store"
