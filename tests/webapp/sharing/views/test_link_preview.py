"""What chat programs and ticket systems show of a link: what its pages show, or nothing."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from PIL import Image

from tests.webapp.reports.result_folder import finding, report_document, write_results
from tests.webapp.sharing.marked import found_in, marked
from webapp.sharing import link_access, shares
from webapp.sharing.link_card import LinkCard, png_of
from webapp.sharing.models import Share
from webapp.sharing.views import link_picture

pytestmark = pytest.mark.django_db
ROBOT = {"User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"}
TAG = re.compile(r'<meta (?:property|name)="((?:og:|twitter:)[^"]+|description)" content="([^"]*)">')


def tags(response: Any) -> dict[str, str]:
    return {name: unescape(content) for name, content in TAG.findall(response.content.decode())}


def test_a_link_is_shown_with_headline_verdict_and_picture(inspected: Any, share: Any, guest: Client) -> None:
    made, token = share(inspected())
    found = tags(guest.get(f"/s/{token}/"))
    assert found["og:title"].startswith("Critical, proven: Content 2 is lost")
    assert found["og:description"].startswith(
        "1 content is lost, and 1 artifact cannot be read because of it."
    )
    assert (
        f"payloads, raw keys and headers hidden, names shown, until {made.expires_at:%Y-%m-%d}"
        in found["og:description"]
    )
    assert found["og:image"] == f"http://testserver/s/{token}/picture.png"
    picture = guest.get(f"/s/{token}/picture.png")
    assert picture.headers["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(picture.content)).size == (1200, 630)


def test_a_report_that_is_no_link_has_no_preview(inspected: Any, get: Any) -> None:
    assert tags(get(inspected(), "report-overview")) == {}


def test_the_preview_of_a_link_holds_nothing_that_it_hides(
    inspected: Any, share: Any, guest: Client, monkeypatch: Any
) -> None:
    drawn: list[LinkCard] = []
    monkeypatch.setattr(link_picture, "png_of", lambda card: drawn.append(card) or b"")
    _, token = share(inspected(marked), names=False)
    found = tags(guest.get(f"/s/{token}/"))
    guest.get(f"/s/{token}/picture.png")
    assert drawn
    assert found_in(repr((found, drawn)).encode()) == []
    assert "is lost" in found["og:title"]


@pytest.mark.heavy
def test_a_link_that_does_not_open_reveals_nothing(
    inspected: Any, share: Any, owner: Any, guest: Client
) -> None:
    expired, expired_token = share(inspected())
    Share.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    revoked, revoked_token = share(inspected())
    shares.revoke(revoked, owner)
    locked = share(inspected(), password="between us only")[1]
    limited = share(inspected(), max_views=1)[1]
    signed_in = share(inspected(), audience="signed_in")[1]
    for token in (expired_token, revoked_token, locked, limited, signed_in, "x" * 43):
        for path in ("", "picture.png"):
            answer = guest.get(f"/s/{token}/{path}", headers=ROBOT)
            assert answer.headers.get("Content-Type", "").startswith("text/html")
            assert tags(answer) == {}
            assert b"is lost" not in answer.content
            assert owner.username.encode() not in answer.content


def test_a_robot_is_no_reader_but_stands_in_the_log(inspected: Any, share: Any) -> None:
    made, token = share(inspected())
    robot = Client(headers=ROBOT)
    assert tags(robot.get(f"/s/{token}/"))["og:title"]
    assert robot.get(f"/s/{token}/picture.png").status_code == 200
    Client().get(f"/s/{token}/picture.png")  # the picture alone is no visit, whoever fetches it
    made.refresh_from_db()
    assert (made.views, made.last_opened_at) == (0, None)
    assert list(made.opened.values_list("page", "is_first")) == [("overview (link preview)", False)]
    Client(headers={"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}).get(f"/s/{token}/")
    made.refresh_from_db()
    assert made.views == 1


@pytest.mark.parametrize(
    ("agent", "is_robot"),
    [
        ("Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", True),
        ("Slack-ImgProxy (+https://api.slack.com/robots)", True),
        ("Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", True),
        ("Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", True),
        ("facebookexternalhit/1.1", True),
        ("WhatsApp/2.23.20.0", True),
        ("TelegramBot (like TwitterBot)", True),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", False),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", False),
        ("Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 30) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", False),
        ("", False),
    ],
)  # fmt: skip
def test_programs_that_name_themselves_are_told_from_browsers(agent: str, is_robot: bool, rf: Any) -> None:
    assert link_access.is_robot(rf.get("/", headers={"User-Agent": agent})) is is_robot


def test_a_robot_gets_no_more_than_the_page_shows(inspected: Any, share: Any, guest: Client) -> None:
    _, token = share(inspected())
    pages = [
        re.sub(
            r'csrf-token" content="[^"]*|X-CSRFToken[^}]*|term-[0-9]+',
            "",
            client.get(f"/s/{token}/").content.decode(),
        )
        for client in (guest, Client(headers=ROBOT))
    ]
    assert pages[0] == pages[1]


def test_a_name_with_signs_of_html_stays_text(inspected: Any, share: Any, guest: Client) -> None:
    title = 'Journal "><script>alert(1)</script> is lost'
    report = report_document(
        findings=[finding("a", title=title)], verdict={"level": "critical", "sentence": title}
    )
    _, token = share(inspected(lambda folder: write_results(folder, report)), payloads=True, keys=True)
    page = guest.get(f"/s/{token}/").content.decode()
    assert "<script>alert(1)" not in page
    assert tags(guest.get(f"/s/{token}/"))["og:title"] == f"Critical, proven: {title}"


@pytest.mark.parametrize(
    "headline", ["", "Healthy. 3 records.", "Critical: " + "word " * 200, "x" * 500, "High: 日本 \u202e"]
)
def test_any_headline_is_drawn(headline: str) -> None:
    card = LinkCard(
        "critical", "Critical, proven:", headline, "orders-0" * 40, "Shared", None, ((3, "high"),)
    )
    assert png_of(card).startswith(b"\x89PNG")


def test_the_preview_says_how_many_more_incidents_there_are(
    inspected: Any, share: Any, owner: Any, sign_in: Any, guest: Client
) -> None:
    report = report_document(findings=[finding(name) for name in "abc"])
    inspection = inspected(lambda folder: write_results(folder, report))
    _, token = share(inspection)
    assert tags(guest.get(f"/s/{token}/"))["og:title"].endswith("(and 2 more incidents)")
    form = {"names": "on", "days": "30", "audience": "link"}
    preview = sign_in(owner).post(f"/inspections/{inspection.pk}/share/preview/?what=report", form)
    assert "the first incident, and 2 more in the link" in preview.content.decode()
