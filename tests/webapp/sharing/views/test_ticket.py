"""The text for a ticket with a link: made in one request, from what the link shows, and taken back with it."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from tests.webapp.reports.registry import registry
from tests.webapp.sharing.marked import found_in, marked
from webapp.audit.models import Event
from webapp.sharing.models import Share
from workers.jobs.runner import perform
from workers.kinds.share import KIND

pytestmark = pytest.mark.django_db


def made(client: Any, inspection: Any) -> tuple[Share, str]:
    """The share of one click, and its token."""
    waiting = client.post(reverse("share-ticket", args=[inspection.pk]))
    assert waiting.status_code == 200
    assert "<textarea" not in waiting.content.decode()
    token = re.search(r'"token": "([^"]{43})"', waiting.content.decode())
    assert token
    return Share.objects.get(), token[1]


def texts(client: Any, share: Share, token: str) -> dict[str, str]:
    """By markup."""
    perform(KIND, str(share.pk))
    page = client.post(reverse("share-ticket-state", args=[share.pk]), {"token": token}).content.decode()
    return {
        name: html.unescape(text)
        for name, text in re.findall(
            r'<textarea[^>]* id="linked-(\w+)"[^>]*>(.*?)</textarea>', page, re.DOTALL
        )
    }


def test_one_click_makes_a_link_with_the_safe_defaults_and_a_text_of_eight_lines_and_the_link(
    inspected: Any, owner: Any, sign_in: Any, guest: Any, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://journals.example.org"
    client = sign_in(owner)
    share, token = made(client, inspected())
    assert {name: share.options[name] for name in ("payloads", "keys", "headers", "names")} == {
        "payloads": False, "keys": "names", "headers": False, "names": True,
    }  # fmt: skip
    assert share.options["fields"]
    assert (share.audience, share.scope["what"]) == ("link", "report")
    by_markup = texts(client, share, token)
    assert set(by_markup) == {"markdown", "jira", "plain"}
    for text in by_markup.values():
        assert len(text.splitlines()) <= 9
        assert f"https://journals.example.org/s/{token}/" in text.splitlines()[-1]
        assert (
            f"(no account needed, until {share.expires_at:%Y-%m-%d}, payloads, raw keys and headers hidden, names shown)"
            in text
        )
    assert guest.get(f"/s/{token}/").status_code == 200
    assert Event.objects.get(action="share.created").detail["shown"]["payloads"] is False


def test_the_text_holds_nothing_that_the_link_hides(inspected: Any, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    share, token = made(client, inspected(marked))
    Share.objects.filter(pk=share.pk).update(options=share.options | {"names": False, "keys": False})
    by_markup = texts(client, share, token)
    assert by_markup
    assert found_in("".join(by_markup.values()).encode()) == []


def test_a_secret_of_a_payload_is_not_in_the_text(inspected: Any, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    by_markup = texts(client, *made(client, inspected(registry)))
    assert by_markup
    assert "hunter2" not in "".join(by_markup.values())


def test_another_token_gets_no_text(
    inspected: Any, owner: Any, sign_in: Any, stranger: Any, share: Any
) -> None:
    existing, token = share(inspected())
    address = reverse("share-ticket-state", args=[existing.pk])
    for wrong in ({"token": "x" * 43}, {"token": ""}, {}):
        assert sign_in(owner).post(address, wrong).status_code == 404
    assert sign_in(stranger).post(address, {"token": token}).status_code == 404


def test_who_may_not_share_makes_no_link(inspected: Any, viewer: Any, stranger: Any, sign_in: Any) -> None:
    inspection = inspected()
    address = reverse("share-ticket", args=[inspection.pk])
    assert sign_in(viewer).post(address).status_code == 403
    assert sign_in(stranger).post(address).status_code == 404
    assert not Share.objects.exists()
    page = sign_in(viewer).get(reverse("report-overview", args=[inspection.pk])).content.decode()
    assert "data-ticket=" not in page
    assert ">Copy for ticket</button>" in page
    assert 'id="ticket-markdown"' in page


def test_the_click_is_undone_where_it_was_made(inspected: Any, owner: Any, sign_in: Any, guest: Any) -> None:
    client = sign_in(owner)
    share, token = made(client, inspected())
    texts(client, share, token)
    revoked = client.post(reverse("share-revoke", args=[share.pk]), headers={"HX-Request": "true"})
    assert "The link is revoked." in revoked.content.decode()
    assert guest.get(f"/s/{token}/").status_code == 410
    late = client.post(reverse("share-ticket-state", args=[share.pk]), {"token": token}).content.decode()
    assert "The link is closed." in late
    assert "<textarea" not in late


def test_a_link_that_failed_says_why(inspected: Any, owner: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    share, token = made(client, inspected())
    Share.objects.filter(pk=share.pk).update(state="failed", error="The disk is full.")
    page = client.post(reverse("share-ticket-state", args=[share.pk]), {"token": token}).content.decode()
    assert "The disk is full." in page
    assert "data-ticket-failed" in page


def test_a_shared_report_copies_the_text_with_its_own_link(inspected: Any, share: Any, guest: Any) -> None:
    _, token = share(inspected())
    page = html.unescape(guest.get(f"/s/{token}/").content.decode())
    text = re.search(r'id="ticket-markdown"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert text
    assert text[1].strip().endswith(f"): http://testserver/s/{token}/")
    assert "no account needed" in text[1]


def test_a_ticket_is_created_from_the_same_text_by_members_and_not_from_a_share(
    inspected: Any, viewer: Any, sign_in: Any, share: Any, guest: Any, project: Any
) -> None:
    inspection = inspected()
    report = reverse("report-overview", args=[inspection.pk])
    assert "Create ticket" not in sign_in(viewer).get(report).content.decode()
    project.ticket_template = "https://tickets.example.org/new?title={summary}&body={description}"
    project.save()
    page = sign_in(viewer).get(report).content.decode()
    (link,) = re.findall(r'<a class="btn" href="([^"]*)" ([^>]*)>Create ticket', page)
    assert link[1] == 'target="_blank" rel="noopener noreferrer"'
    sent = {name: value for name, (value,) in parse_qs(urlsplit(html.unescape(link[0])).query).items()}
    copied = re.search(r'id="ticket-markdown"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert copied
    assert sent["body"] == html.unescape(copied[1]).strip()
    assert sent["title"].startswith("Critical, ")
    _, token = share(inspection)
    shared = guest.get(f"/s/{token}/").content.decode()
    assert "Copy for ticket" in shared
    assert "Create ticket" not in shared
    assert "tickets.example.org" not in shared
