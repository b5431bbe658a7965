"""Who a link opens for, when it does not, what is said then, and what it still shows when the report is gone."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from spark.tables.replica import PartitionReplica
from spark.terms import marked
from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, incident, report_document, write_results
from webapp.audit.models import Event
from webapp.journals.deletion import delete_inspection
from webapp.sharing import shares
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
PLACE = PartitionReplica("journal", 0)
UNKNOWN = "x" * 43
SHARED = {
    "report-overview",
    "report-strip-figure",
    "report-timeline",
    "report-timeline-figure",
    "report-keys",
    "report-key",
    "report-records",
    "report-record",
    "report-record-bytes",
    "report-filter-language",
    "report-filter-completion",
    "report-profile",
    "report-profile-figure",
    "report-state",
    "report-state-branch",
    "report-entity",
    "report-transactions",
    "report-transactions-figure",
    "report-log",
    "report-log-figure",
    "report-formats",
    "report-files",
}


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_a_link_opens_without_an_account_and_says_what_it_is(
    inspected: Any, share: Any, guest: Client
) -> None:
    made, token = share(inspected())
    page = guest.get(f"/s/{token}/")
    said = text_of(page)
    assert page.status_code == 200
    assert "Shared report, read-only." in said
    assert "keys are hashed" in said
    assert f"{made.expires_at:%Y-%m-%d}" in said
    assert f"Shared by {made.created_by.username}" in said
    assert "· payloads, raw keys and headers hidden, names shown" in said
    assert made.pinned["files"][0][:12] not in said
    assert "<title>Content 2 is lost" in page.content.decode()
    assert "kafkasql-journal" not in page.content.decode()
    assert "TICKET-1" not in page.content.decode()


@pytest.mark.parametrize(
    "path", ["", "records/", f"keys/{'a' * 32}/", "log/figure.json", "nothing/", "repair/"]
)
def test_every_answer_below_a_link_keeps_it_secret(
    inspected: Any, share: Any, guest: Client, path: str
) -> None:
    for token in (share(inspected())[1], UNKNOWN):
        headers = guest.get(f"/s/{token}/{path}").headers
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Robots-Tag"] == "noindex, nofollow, noarchive"
        assert headers["Cache-Control"] == "private, no-store"
        refused = guest.put(f"/s/{token}/{path}")
        assert (refused.status_code in (404, 405), refused.headers["Referrer-Policy"]) == (
            True,
            "no-referrer",
        )


def test_a_share_offers_nothing_that_changes_or_judges(inspected: Any, share: Any, guest: Client) -> None:
    token = share(inspected())[1]
    page = guest.get(f"/s/{token}/").content.decode()
    assert "Compare" not in page
    assert "Build the repair records" not in page
    assert "<form" not in page
    assert f"/s/{token}/records/" in page
    assert "/inspections/" not in page
    assert "/journals/" not in page
    for path in ("repair/", "compare/", "repair/start/"):
        assert guest.get(f"/s/{token}/{path}").status_code == 404
    assert guest.post(f"/s/{token}/").status_code == 405


def test_what_could_be_mended_is_told_without_an_offer_to_mend_it(
    inspected: Any, share: Any, guest: Client
) -> None:
    from tests.webapp.reports.registry import registry

    page = guest.get(f"/s/{share(inspected(registry))[1]}/").content.decode()
    assert "Content 1 will be lost" in re.sub(r"<[^>]+>", "", page)
    assert "Build the repair records" not in page
    assert 'href=""' not in page


def test_only_listed_pages_of_a_report_are_shared() -> None:
    """The list is a second statement, by hand, beside the `shared=True` of each page."""
    from webapp.reports.urls import urlpatterns
    from webapp.sharing.urls import shared_pages

    of_reports = {page.name for page in urlpatterns}
    assert {page.name for page in shared_pages} & of_reports == SHARED


def test_an_expired_a_revoked_and_an_unknown_link_say_so(
    inspected: Any, share: Any, guest: Client, owner: Any
) -> None:
    expired, expired_token = share(inspected())
    Share.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    revoked, revoked_token = share(inspected())
    shares.revoke(revoked, owner)
    answers = {token: guest.get(f"/s/{token}/") for token in (expired_token, revoked_token, UNKNOWN)}
    assert [answer.status_code for answer in answers.values()] == [410, 410, 404]
    assert "This link has expired" in text_of(answers[expired_token])
    assert "This link was revoked" in text_of(answers[revoked_token])
    assert "This link does not work It expired, was revoked or is incomplete." in text_of(answers[UNKNOWN])
    assert "ask the sender for a new link" in text_of(answers[UNKNOWN])
    for token, answer in answers.items():
        assert token not in answer.content.decode()
        assert "content is lost" not in answer.content.decode()


def test_revoking_deletes_what_the_share_held(
    inspected: Any, share: Any, owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    made, _ = share(inspected())
    assert (made.results / "report.json").exists()
    with django_capture_on_commit_callbacks(execute=True):
        shares.revoke(made, owner)
        shares.revoke(made, owner)
    assert not made.results.exists()
    assert Event.objects.filter(action="share.revoked", target_id=str(made.pk)).count() == 1


def test_visits_are_counted_once_for_each_browser(inspected: Any, share: Any) -> None:
    made, token = share(inspected(), max_views=2)
    first, second, third = Client(), Client(), Client()
    assert first.post(f"/s/{token}/visit/").headers["Location"] == f"/s/{token}/"
    for _ in range(2):
        assert "Content 2 is lost" in text_of(first.get(f"/s/{token}/"))
    first.post(f"/s/{token}/visit/")
    assert first.get(f"/s/{token}/strip.json").status_code == 200
    second.post(f"/s/{token}/visit/")
    assert second.get(f"/s/{token}/records/").status_code == 200
    for refused in (third.get(f"/s/{token}/"), third.post(f"/s/{token}/visit/")):
        assert refused.status_code == 410
        assert "This link has been used up" in text_of(refused)
    assert first.get(f"/s/{token}/keys/").status_code == 200
    made.refresh_from_db()
    assert made.views == 2
    assert Event.objects.filter(action="share.opened").count() == 2
    assert list(made.opened.order_by("pk").values_list("page", "is_first")) == [
        ("visit", True), ("overview", False), ("overview", False), ("visit", True), ("records", False), ("keys", False),
    ]  # fmt: skip


def test_a_robot_that_fetches_a_limited_link_uses_nothing_up_and_reads_nothing(
    inspected: Any, share: Any
) -> None:
    made, token = share(inspected(), max_views=1, payloads=True, keys=True)
    robot = Client()
    for path in ("", "records/", "records/3/", "timeline/figure.json", "records/export/csv/"):
        for again in (robot, Client()):
            seen = again.get(f"/s/{token}/{path}")
            assert seen.status_code == 200
            assert "opens a limited number of times 1 visit is left" in text_of(seen).replace(".", "")
            assert "<title>Shared report" in seen.content.decode()
            assert "content is lost" not in seen.content.decode()
    made.refresh_from_db()
    assert (made.views, made.opened.count()) == (0, 0)
    reader = Client(enforce_csrf_checks=True, headers={"Origin": "null"})
    assert reader.post(f"/s/{token}/visit/").status_code == 302
    assert "Content 2 is lost" in text_of(reader.get(f"/s/{token}/"))
    assert robot.get(f"/s/{token}/").status_code == 410


def test_who_is_signed_in_or_gave_the_password_needs_no_button(
    inspected: Any, share: Any, sign_in: Any, stranger: Any, guest: Client
) -> None:
    known, known_token = share(inspected(), max_views=1)
    locked, locked_token = share(inspected(), max_views=1, password="between us only")
    assert "Content 2 is lost" in text_of(sign_in(stranger).get(f"/s/{known_token}/"))
    assert "asks for a password" in text_of(guest.get(f"/s/{locked_token}/"))
    assert "asks for a password" in text_of(guest.post(f"/s/{locked_token}/visit/"))
    guest.post(f"/s/{locked_token}/password/", {"password": "between us only"})
    assert "Content 2 is lost" in text_of(guest.get(f"/s/{locked_token}/"))
    assert list(Share.objects.filter(pk__in=(known.pk, locked.pk)).values_list("views", flat=True)) == [1, 1]


def test_its_sender_hears_of_the_first_visit_and_no_other(inspected: Any, share: Any, owner: Any) -> None:
    from webapp.notifications.models import Delivery, Preferences

    Preferences.objects.create(user=owner, kinds=["share_opened"])
    token = share(inspected())[1]
    for _ in range(2):
        Client().get(f"/s/{token}/")
    told = Delivery.objects.select_related("message").get()
    assert (told.user, told.message.subject) == (owner, "The link to kafkasql-journal was opened")
    assert token not in told.message.text + told.message.path


def test_a_password_is_asked_for_before_anything_is_told(inspected: Any, share: Any, guest: Client) -> None:
    made, token = share(inspected(), password="between us only")
    asked = guest.get(f"/s/{token}/keys/")
    assert "<title>Shared report · Journalscope</title>" in asked.content.decode()
    assert "content is lost" not in asked.content.decode()
    assert made.password not in asked.content.decode()
    wrong = guest.post(f"/s/{token}/password/", {"password": "something else"})
    assert wrong.status_code == 403
    assert "That is not the password" in text_of(wrong)
    guest.post(f"/s/{token}/password/", {"password": "between us only"})
    assert "Content 2 is lost" in text_of(guest.get(f"/s/{token}/"))
    assert "asks for a password" in text_of(Client().get(f"/s/{token}/"))
    made.refresh_from_db()
    assert made.views == 1


def test_after_five_wrong_passwords_one_has_to_wait(inspected: Any, share: Any, guest: Client) -> None:
    token = share(inspected(), password="between us only")[1]
    for _ in range(5):
        assert guest.post(f"/s/{token}/password/", {"password": "wrong"}).status_code == 403
    late = guest.post(f"/s/{token}/password/", {"password": "between us only"})
    assert late.status_code == 429
    assert "Wait five minutes" in text_of(late)


def test_the_form_of_the_password_works_in_a_browser_that_sends_no_referrer(
    inspected: Any, share: Any
) -> None:
    token = share(inspected(), password="between us only")[1]
    browser = Client(enforce_csrf_checks=True, headers={"Origin": "null"})
    assert browser.post(f"/s/{token}/password/", {"password": "between us only"}).status_code == 302
    assert browser.get(f"/s/{token}/").status_code == 200


def test_an_audience_keeps_others_out(
    inspected: Any, share: Any, guest: Client, sign_in: Any, viewer: Any, stranger: Any
) -> None:
    signed_in = share(inspected(), audience="signed_in")[1]
    project = share(inspected(), audience="project")[1]
    for token in (signed_in, project):
        asked = guest.get(f"/s/{token}/")
        assert asked.status_code == 302
        assert asked.headers["Location"].startswith("/accounts/login/")
        assert asked.headers["Cache-Control"] == "private, no-store"
    assert sign_in(stranger).get(f"/s/{signed_in}/").status_code == 200
    hidden = sign_in(stranger).get(f"/s/{project}/")
    assert hidden.status_code == 404
    unknown = sign_in(stranger).get(f"/s/{UNKNOWN}/")
    assert text_of(hidden) == text_of(unknown)
    assert sign_in(viewer).get(f"/s/{project}/").status_code == 200


def test_a_share_needs_nothing_of_the_inspection_but_its_permission(
    inspected: Any, share: Any, guest: Client
) -> None:
    import shutil

    inspection = inspected()
    token = share(inspection)[1]
    shutil.rmtree(inspection.results)
    assert guest.get(f"/s/{token}/").status_code == 200
    assert guest.get(f"/s/{token}/records/10/").status_code == 200


def test_what_was_deleted_with_its_inspection_says_so(
    inspected: Any, share: Any, guest: Client, django_capture_on_commit_callbacks: Any
) -> None:
    inspection = inspected()
    made, token = share(inspection)
    with django_capture_on_commit_callbacks(execute=True):
        delete_inspection(inspection)
    assert not made.results.exists()
    gone = guest.get(f"/s/{token}/")
    assert gone.status_code == 410
    assert "The inspection was deleted on" in text_of(gone)


def test_a_link_that_is_still_being_made_says_so(inspected: Any, share: Any, guest: Client) -> None:
    made, token = share(inspected(), is_made=False)
    waiting = guest.get(f"/s/{token}/")
    assert (waiting.status_code, "This link is being created" in text_of(waiting)) == (202, True)
    assert waiting["Refresh"] == "3"
    Share.objects.filter(pk=made.pk).update(state="failed")
    failed = guest.get(f"/s/{token}/")
    assert (failed.status_code, "This link could not be created" in text_of(failed)) == (410, True)


def test_equal_keys_match_within_a_share_and_differ_between_shares(
    inspected: Any, share: Any, guest: Client
) -> None:
    inspection = inspected()
    told = []
    for _ in range(2):
        token = share(inspection)[1]
        rows = guest.get(f"/s/{token}/records/").context["rows"]
        told.append({row.offset: cell for row in rows for column, cell in row.cells if column.name == "key"})
    first, second = told
    assert first[3] == first[7] == first[10]
    assert first[3] != first[4]
    assert not set(first.values()) & set(second.values())


def test_a_keys_life_is_told_without_its_values(inspected: Any, share: Any, guest: Client) -> None:
    token = share(inspected())[1]
    found = guest.get(f"/s/{token}/records/3/").context["key_url"]
    page = guest.get(found)
    said = text_of(page)
    assert page.status_code == 200
    assert "3 versions" in said
    assert "Other bytes; this link hides them." in said
    assert "The value is deleted." in said


def test_a_record_alone_is_all_that_its_link_holds(inspected: Any, share: Any, guest: Client) -> None:
    made, token = share(inspected(), Scope("record", "7", PLACE))
    start = guest.get(f"/s/{token}/", follow=True)
    assert start.redirect_chain[-1][0] == f"/s/{token}/records/7/"
    listed = guest.get(f"/s/{token}/records/").context["found"].offsets
    assert listed == [7]
    assert "This link contains no record at this offset" in text_of(guest.get(f"/s/{token}/records/3/"))
    assert "content is lost" not in text_of(start)
    assert made.pinned["start"]["name"] == "report-record"


def test_a_key_alone_brings_its_records(inspected: Any, share: Any, guest: Client, get: Any) -> None:
    inspection = inspected()
    key = get(inspection, "report-record", 3).context["key_url"].rstrip("/").rsplit("/", 1)[-1]
    token = share(inspection, Scope("key", key, PLACE), keys=True)[1]
    page = guest.get(f"/s/{token}/", follow=True)
    assert "3 versions" in text_of(page)
    assert guest.get(f"/s/{token}/records/").context["found"].offsets == [3, 7, 10]
    assert key not in page.content.decode()


def test_a_finding_brings_its_proof_and_what_it_led_to(inspected: Any, share: Any, guest: Client) -> None:
    token = share(inspected(), Scope("finding", "cause"))[1]
    page = guest.get(f"/s/{token}/")
    said = text_of(page)
    assert "This link contains one finding and the 3 records that it names." in said
    assert "offset 10 replaces it with nothing" in said
    assert "1 consequence" in said
    assert "Offsets begin at 0" not in said
    rows = guest.get(f"/s/{token}/records/").context["found"].offsets
    assert rows == [8, 9, 10]


def test_an_incident_brings_all_its_findings_their_proof_and_its_plan(
    inspected: Any, share: Any, guest: Client
) -> None:
    restart = {
        "id": "restart",
        "severity": "critical",
        "title": f"A restart at offset {marked.offset(2)} emptied 2 content items",
        "findings": ["a", "b"],
        "victims": [{"finding": "a", "kind": "lost", "entity_type": "version", "entity_id": "pay/money/1", "when": "already"}],
        "victim_count": 1,
        "plan": [{"finding": None, "step": "Take a dump."}],
    }  # fmt: skip
    emptied = [
        finding(name, title=f"Content {name}", evidence=[at], incident="restart")
        for at, name in enumerate("ab")
    ]
    other = finding("c", detector="crc-mismatch", title="A batch is corrupt", evidence=[2])
    report = report_document(findings=[*emptied, other], incidents=[restart])
    folder = inspected(
        lambda folder: write_results(
            folder, report, records=records_table(*({"offset": n} for n in range(4)))
        )
    )
    token = share(folder, Scope("incident", "restart"), names=True)[1]
    said = text_of(guest.get(f"/s/{token}/"))
    assert re.findall("This link contains[^.]*[.]", said) == [
        "This link contains one incident and the 3 records that it names."
    ]
    assert "A restart at offset 2 emptied 2 content items" in said
    assert "checks-line" not in guest.get(f"/s/{token}/").content.decode(), (
        "a part has nothing to say of checks"
    )
    assert "Take a dump." in said
    assert "A batch is corrupt" not in said
    rows = guest.get(f"/s/{token}/records/").context["found"].offsets
    assert rows == [0, 1, 2], "the proof, and what the headline links to"
    assert "In this link before: 1 · the last" in text_of(guest.get(f"/s/{token}/records/2/")), (
        "3 is not in it"
    )


def test_a_tab_brings_what_fits_its_filter(inspected: Any, share: Any, guest: Client) -> None:
    scope = Scope("tab", "report-records", PLACE, {"first": "3", "last": "8", "kind": "create"})
    token = share(inspected(), scope)[1]
    start = guest.get(f"/s/{token}/", follow=True)
    assert start.redirect_chain[-1][0] == f"/s/{token}/records/?first=3&last=8&kind=create"
    assert start.context["found"].offsets == [3, 4, 8]
    everything = guest.get(f"/s/{token}/records/").context["found"].offsets
    assert everything == [3, 4, 8]
    assert "This link contains the 3 records that its sender selected." in text_of(start)


def test_what_was_searched_for_does_not_travel_with_a_link_that_hides_it(
    inspected: Any, share: Any, guest: Client
) -> None:
    scope = Scope("tab", "report-keys", PLACE, {"q": "artifactId", "only": "live"})
    made, token = share(inspected(), scope)
    assert made.pinned["start"]["query"] == {"only": "live"}
    start = guest.get(f"/s/{token}/", follow=True)
    assert "artifactId" not in start.content.decode()
    assert start.context["total"] == 2


def test_a_link_to_rejected_entries_begins_with_them(inspected: Any, share: Any) -> None:
    made, _ = share(inspected(), Scope("tab", "report-state", PLACE, {"show": "refused"}))
    assert made.pinned["start"]["query"] == {"show": "refused"}


def test_shown_payloads_are_masked_and_what_is_no_text_is_hidden(
    inspected: Any, share: Any, guest: Client
) -> None:
    from tests.webapp.reports.registry import registry

    token = share(inspected(registry), payloads=True, keys=True)[1]
    shown = text_of(guest.get(f"/s/{token}/records/12/"))
    assert "FULL" in shown
    assert "hunter2" not in shown
    assert "[masked]" in shown
    assert b"hunter2" not in guest.get(f"/s/{token}/records/12/value.bin").content
    binary = share(inspected(incident), payloads=True, keys=True)[1]
    assert "hidden: no text" in text_of(guest.get(f"/s/{binary}/records/8/"))


def test_a_right_password_is_no_try(inspected: Any, share: Any) -> None:
    token = share(inspected(), password="between us only")[1]
    for _ in range(12):
        assert Client().post(f"/s/{token}/password/", {"password": "between us only"}).status_code == 302
    for _ in range(5):
        assert Client().post(f"/s/{token}/password/", {"password": "wrong"}).status_code == 403
    assert Client().post(f"/s/{token}/password/", {"password": "wrong"}).status_code == 429


def test_records_leave_out_the_columns_that_the_link_hides(inspected: Any, share: Any, guest: Client) -> None:
    from tests.webapp.reports.registry import registry

    hiding, showing = (
        set(
            re.findall(
                r'<th scope="col" class="c-([a-z]+)', guest.get(f"/s/{token}/records/").content.decode()
            )
        )
        for _, token in (share(inspected(registry)), share(inspected(registry), payloads=True, keys=True))
    )
    assert showing - hiding == {"key", "value"}
    assert "entity" in hiding
