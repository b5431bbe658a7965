"""Making a link: who may, what the dialogue offers, what is shown once, what the preview hides."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from tests.builders import records_table
from tests.generator.segment import Record, segment, segment_name
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.registry import registry
from tests.webapp.reports.result_folder import write_results
from tests.webapp.sharing.marked import EVERY_MARK, found_in, marked
from webapp.accounts.models import Project
from webapp.audit.models import Event
from webapp.sharing.models import Share
from workers.jobs.runner import perform
from workers.kinds.share import KIND

pytestmark = pytest.mark.django_db
CHOSEN = {
    "names": "on", "days": "30", "audience": "link", "fields_masked": "**.password", "patterns": "[0-9]{16}",
}  # fmt: skip


def address(inspection: Any, name: str = "share", **query: Any) -> str:
    from urllib.parse import urlencode

    return f"{reverse(name, args=[inspection.pk])}?{urlencode(query)}"


def test_the_link_is_shown_once_and_only_its_hash_is_kept(
    inspected: Any, owner: Any, sign_in: Any, guest: Any
) -> None:
    made = sign_in(owner).post(address(inspected(), what="report"), CHOSEN)
    page = made.content.decode()
    link = re.search(r'id="share-link" value="([^"]+)"', page)[1]  # type: ignore[index]
    share = Share.objects.get()
    token = link.rstrip("/").rsplit("/", 1)[-1]
    assert len(token) == 43
    assert share.token_sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert token not in repr(Share.objects.values())
    assert made.headers["Cache-Control"] == "private, no-store"
    assert abs(share.expires_at - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)
    event = Event.objects.get(action="share.created")
    assert event.detail["shown"] == {"payloads": False, "keys": False, "headers": False, "names": True}
    assert token not in repr(event.detail)
    perform(KIND, str(share.pk))
    assert guest.get(f"/s/{token}/").status_code == 200


def test_links_are_built_on_the_public_address(
    inspected: Any, owner: Any, sign_in: Any, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://journals.example.org"
    page = sign_in(owner).post(address(inspected(), what="report"), CHOSEN).content.decode()
    assert 'value="https://journals.example.org/s/' in page


def test_who_may_only_read_does_not_share_and_strangers_see_nothing(
    inspected: Any, viewer: Any, stranger: Any, sign_in: Any, share: Any
) -> None:
    inspection = inspected()
    made = share(inspection)[0]
    pages = [
        address(inspection, what="report"),
        reverse("shares-of-journal", args=[inspection.journal_id]),
    ]
    assert [sign_in(viewer).get(page).status_code for page in pages] == [403, 403]
    assert sign_in(viewer).get(reverse("share-log", args=[made.pk])).status_code == 404
    for page in [
        *pages,
        reverse("shares"),
        reverse("share-log", args=[made.pk]),
        reverse("share-state", args=[made.pk]),
    ]:
        assert sign_in(stranger).get(page).status_code == 404
    for page in [address(inspection, "share-preview"), reverse("share-revoke", args=[made.pk])]:
        assert sign_in(stranger).post(page, CHOSEN).status_code == 404
    assert sign_in(viewer).post(address(inspection, "share-preview"), CHOSEN).status_code == 403


@pytest.mark.parametrize(
    "query",
    [
        {"what": "tab", "of": "report-repair"},
        {"what": "tab", "of": "nonsense"},
        {"what": "finding", "of": "unheard"},
        {"what": "key", "of": "short"},
        {"what": "record", "of": "x"},
        {"what": "everything"},
    ],
    ids=lambda query: " ".join(query.values()),
)
def test_a_part_that_the_report_does_not_have_cannot_be_shared(
    inspected: Any, owner: Any, sign_in: Any, query: Any
) -> None:
    assert sign_in(owner).get(address(inspected(), **query)).status_code == 404


def test_the_dialogue_offers_the_projects_masks_beside_the_built_in_ones(
    inspected: Any, owner: Any, sign_in: Any
) -> None:
    Project.objects.update(masks={"fields": ["customer.iban"], "patterns": ["[A-Z]{2}[0-9]{20}"]})
    page = sign_in(owner).get(address(inspected(), what="report")).content.decode()
    assert "customer.iban" in page
    assert "[A-Z]{2}[0-9]{20}" in page
    assert "**.password" in page


def test_a_mask_that_cannot_be_read_makes_no_link(inspected: Any, owner: Any, sign_in: Any) -> None:
    client, inspection = sign_in(owner), inspected()
    for wrong in (
        {"patterns": "("},
        {"patterns": ".*"},
        {"fields_masked": "a b"},
        {"days": "0"},
        {"days": ""},
    ):
        answer = client.post(address(inspection, what="report"), CHOSEN | wrong)
        assert answer.status_code == 400
    assert not Share.objects.exists()


def test_the_preview_is_redacted_like_the_share(
    inspected: Any, owner: Any, sign_in: Any, settings: Any
) -> None:
    inspection = inspected(registry)
    client = sign_in(owner)
    hidden = client.post(address(inspection, "share-preview", what="record", of=12), CHOSEN).content.decode()
    assert "hunter2" not in hidden
    assert "FULL" not in hidden
    assert "[hidden, fingerprint" in hidden
    shown = client.post(
        address(inspection, "share-preview", what="record", of=12), CHOSEN | {"payloads": "on", "keys": "on"}
    ).content.decode()
    assert "FULL" in shown
    assert "hunter2" not in shown
    assert not list(settings.SCRATCH_DIR.glob("preview-*"))


def test_the_preview_holds_no_mark_of_the_journal(inspected: Any, owner: Any, sign_in: Any) -> None:
    chosen = {name: value for name, value in CHOSEN.items() if name != "names"}
    page = sign_in(owner).post(address(inspected(marked), "share-preview", what="report"), chosen)
    assert page.status_code == 200
    assert "offset 4 replaces it" in re.sub(r"<[^>]+>", "", page.content.decode())
    assert found_in(page.content, EVERY_MARK) == []


def test_report_pages_lead_to_the_dialogue_for_what_they_show(inspected: Any, owner: Any, get: Any) -> None:
    inspection = inspected()

    def links(name: str, *args: Any, **query: Any) -> list[str]:
        page = get(inspection, name, *args, **query).content.decode()
        return re.findall(r'href="[^"]+/share/\?([^"]+)"', page)

    assert links("report-overview")[0] == "what=report"
    assert "what=finding&amp;of=cause" in links("report-overview")
    assert links("report-records", first=3, after=5) == ["what=tab&amp;of=report-records&amp;first=3"]
    assert "what=record&amp;of=3" in links("report-record", 3)


def test_a_viewer_is_offered_no_link_to_it(inspected: Any, viewer: Any, sign_in: Any) -> None:
    page = sign_in(viewer).get(reverse("report-overview", args=[inspected().pk])).content.decode()
    assert "/share/" not in page


def test_the_lists_show_state_and_visits_and_who_made_it_takes_it_back(
    inspected: Any, share: Any, owner: Any, reviewer: Any, admin: Any, sign_in: Any, guest: Any
) -> None:
    inspection = inspected()
    made, token = share(inspection)
    guest.get(f"/s/{token}/")
    mine = sign_in(owner).get(reverse("shares")).content.decode()
    assert "kafkasql-journal" in mine
    words = " ".join(re.sub(r"<[^>]+>", " ", mine).split())
    assert "the whole report" in words
    assert "payloads, raw keys and headers hidden, names shown anyone with the link until" in words
    assert "open" in mine
    assert f'action="{reverse("share-revoke", args=[made.pk])}"' in mine
    assert "No shared links yet" in sign_in(reviewer).get(reverse("shares")).content.decode()
    of_journal = sign_in(reviewer).get(reverse("shares-of-journal", args=[inspection.journal_id]))
    assert [one.pk for one in of_journal.context["shares"]] == [made.pk]
    assert "Revoke this link?" not in of_journal.content.decode()
    log = sign_in(owner).get(reverse("share-log", args=[made.pk])).content.decode()
    assert "127.0.0.1" in log
    assert "not signed in" in log
    assert sign_in(reviewer).post(reverse("share-revoke", args=[made.pk])).status_code == 403
    assert sign_in(admin).post(reverse("share-revoke", args=[made.pk])).status_code == 302
    assert guest.get(f"/s/{token}/").status_code == 410


def test_choices_look_like_choices(inspected: Any, owner: Any, sign_in: Any) -> None:
    page = sign_in(owner).get(address(inspected(), what="report")).content.decode()
    selects = re.findall(r"<select[^>]*>", page)
    assert [name for name in ("keys", "audience") if any(f'name="{name}"' in one for one in selects)] == [
        "keys",
        "audience",
    ]
    assert [one for one in selects if 'class="form-select' not in one] == []


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("names", "names of topics and entities are shown"),
        ("hidden", "names of topics are shown, names in keys are hashed"),
    ],
)
def test_the_dialogue_says_which_names_are_hashed(
    inspected: Any, owner: Any, sign_in: Any, keys: str, words: str
) -> None:
    browser, inspection = sign_in(owner), inspected()
    chosen = CHOSEN | {"keys": keys}
    for page in (
        browser.post(address(inspection, "share-preview", what="report"), chosen),
        browser.post(address(inspection, what="report"), chosen),
    ):
        assert words in page.content.decode()
    form = browser.get(address(inspection, what="report")).content.decode()
    assert "If Keys is “Hidden, names too”, names in keys are hashes." in form
    assert "Otherwise" not in form


def test_the_preview_is_the_card_that_the_link_begins_with(
    inspected: Any, share: Any, owner: Any, sign_in: Any, guest: Any
) -> None:
    inspection = inspected(registry)
    chosen = CHOSEN | {"keys": "names"}
    page = sign_in(owner).post(address(inspection, "share-preview", what="report"), chosen).content.decode()
    link = guest.get(f"/s/{share(inspection)[1]}/").content.decode()

    def card(html: str) -> list[str]:
        story = html.split('class="incident-story"')[1].split("<details")[0]
        return re.sub(r"<[^>]+>", " ", story).split()

    assert card(page) == card(link)
    assert "A record of the link" in page


def corrupt(folder: Path) -> Path:
    """Results of a partition with two batches, the first of them with a changed bit."""
    first, second = (
        segment([Record(b"k%d" % number, b"hunter2") for number in range(9)], base_offset=base)
        for base in (0, 9)
    )
    bit = len(first) - 3
    partition = folder / "upload" / "payroll-0"
    partition.mkdir(parents=True)
    (partition / segment_name(0)).write_bytes(
        first[:bit] + bytes([first[bit] ^ 1]) + first[bit + 1 :] + second
    )
    report_of(folder / "upload", folder / "results")
    return folder / "results"


def test_the_preview_says_where_the_inspection_can_be_read_again(
    inspected: Any, owner: Any, sign_in: Any
) -> None:
    inspection = inspected(corrupt)
    client = sign_in(owner)
    whole = client.post(address(inspection, "share-preview", what="report"), CHOSEN).content.decode()
    assert "offsets 0-8 cannot be read; records again from offset 9" in whole
    (incident,) = json.loads((inspection.results / "report.json").read_text())["incidents"]
    scope = {"what": "incident", "of": incident["id"]}
    part = client.post(address(inspection, "share-preview", **scope), CHOSEN).content.decode()
    assert "offsets 0-8 cannot be read" in part
    assert "readable again" not in part


def test_the_sender_sees_which_folder_has_which_name_in_the_link(
    inspected: Any, owner: Any, sign_in: Any
) -> None:
    rows = [{"offset": 0, "replica": folder} for folder in ("acme-prod", "acme-test")]
    inspection = inspected(lambda folder: write_results(folder, records=records_table(*rows)))
    page = sign_in(owner).post(address(inspection, what="report"), CHOSEN).content.decode()
    assert "Names of the replicas in the link" in page
    assert sorted(re.findall(r'<li>(?:replica|copy) (\d of 2): <span class="mono">acme-(?:prod|test)<', page)) == [
        "1 of 2", "2 of 2",
    ]  # fmt: skip
    one = sign_in(owner).post(address(inspected(), what="report"), CHOSEN).content.decode()
    assert "Names of the replicas" not in one
