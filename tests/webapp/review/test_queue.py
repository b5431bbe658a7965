"""The queue's page: who sees it, what filters choose, bulk changes, saved filters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from webapp.review.models import Finding, SavedFilter
from webapp.review.states import FindingState

HTMX = {"HX-Request": "true"}


@pytest.fixture
def client(reviewer: Any, sign_in: Any) -> Any:
    """The reviewer's browser."""
    return sign_in(reviewer)


def titles(response: Any) -> list[str]:
    return [finding.title for finding in response.context["page"]]


def states() -> list[str]:
    return list(Finding.objects.order_by("pk").values_list("state", flat=True))


@pytest.mark.parametrize(
    ("who", "status"),
    [("reviewer", 200), ("admin", 200), ("owner", 403), ("viewer", 403), ("stranger", 404)],
)
def test_the_queue_is_for_reviewers(
    who: str, status: int, make_findings: Any, request: Any, sign_in: Any
) -> None:
    finding = make_findings(1)[0]
    browser = sign_in(request.getfixturevalue(who))
    assert browser.get("/review/").status_code == status
    posted = {200: 302}.get(status, status)
    one = {"finding": finding.pk, "state": "resolved", "assignee": "me"}
    for path in ("decide/", "assign/", "undo/", "filters/"):
        assert browser.post(f"/review/{path}", one | {"name": "n"}).status_code == posted
    assert states() == [FindingState.RESOLVED if status == 200 else FindingState.NEW]


def test_the_way_in_is_in_the_header_with_a_number(
    client: Any, make_findings: Any, reviewer: Any, admin: Any, viewer: Any, sign_in: Any
) -> None:
    make_findings(3)
    make_findings(1, assignee=reviewer)
    make_findings(1, assignee=admin)
    make_findings(1, state=FindingState.RESOLVED)
    make_findings(1, severity="info")
    assert "open incidents: </span>5</span>" in client.get("/").content.decode()
    assert "/review/" not in sign_in(viewer).get("/").content.decode()


def test_what_is_in_another_project_is_not_there(
    client: Any, make_findings: Any, other_project: Any, sign_in: Any
) -> None:
    theirs = make_findings(
        1, of=other_project.journals.get(), title="Their title", detector="their-detector"
    )[0]
    for query in ("", "state=any", "q=Their", "project=other", f"journal={theirs.journal_id}"):
        page = client.get(f"/review/?{query}").content.decode()
        for name in ("Their title", "their-detector", "their-journal", "Another project", "open incidents: "):
            assert name not in page
    assert client.get(f"/review/{theirs.pk}/").status_code == 404
    assert client.post(f"/review/{theirs.pk}/comment/", {"text": "hello"}).status_code == 404
    assert client.post("/review/decide/", {"finding": theirs.pk, "state": "resolved"}).status_code == 404
    client.post("/review/decide/", {"all_matching": 1, "query": "state=any", "state": "resolved"})
    assert states() == [FindingState.NEW]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["worst", "late", "mine", "plain"]),
        ("severity=critical", ["worst"]),
        ("assignee=me", ["mine"]),
        ("assignee=nobody", ["worst", "late", "plain"]),
        ("assignee=reviewer", ["mine"]),
        ("due=overdue", ["late"]),
        ("due=week", ["worst", "late"]),
        ("state=done", ["done"]),
        ("state=suppressed", ["quiet"]),
        ("presence=gone&state=any", ["gone"]),
        ("detector=offset-order", ["plain"]),
        ("q=kafkasql+PLAIN", ["plain"]),
        ("q=kafkasql+nothing", []),
        ("project=default&severity=critical", ["worst"]),
        ("project=nonsense", []),
        ("journal=nonsense", []),
        ("severity=nonsense&due=never&state=strange", ["worst", "late", "mine", "plain"]),
        ("kind=all&q=led-to", ["led-to"]),
        ("sort=due", ["late", "worst", "mine", "plain"]),
    ],
)
def test_filters_stand_in_the_address(
    client: Any, make_findings: Any, reviewer: Any, query: str, found: list[str]
) -> None:
    now, high = timezone.now(), {"severity": "high", "due_at": timezone.now() + timedelta(days=10)}
    make_findings(1, title="worst")
    make_findings(1, title="late", **{**high, "due_at": now - timedelta(days=1)})
    make_findings(1, title="mine", **{**high, "assignee": reviewer})
    make_findings(1, title="plain", **{**high, "severity": "low", "due_at": None, "detector": "offset-order"})
    make_findings(1, title="done", **high, state=FindingState.RESOLVED)
    make_findings(1, title="quiet", **high, state=FindingState.SUPPRESSED)
    make_findings(1, title="gone", **high, presence="gone")
    make_findings(1, title="led-to", **high, is_root=False)
    assert titles(client.get(f"/review/?{query}")) == found


def test_a_page_says_how_much_it_shows(client: Any, make_findings: Any) -> None:
    make_findings(120)
    page = client.get("/review/").content.decode()
    assert "Showing 1 – 50 of 120" in page
    assert "All 120 findings that match" in page
    assert "Showing 101 – 120 of 120" in client.get("/review/?&page=3").content.decode()


def test_a_page_asks_few_questions(
    client: Any, make_findings: Any, django_assert_max_num_queries: Any
) -> None:
    make_findings(60)
    with django_assert_max_num_queries(25):
        client.get("/review/")


def test_an_empty_queue_says_what_next(client: Any, make_findings: Any) -> None:
    page = client.get("/review/").content.decode()
    assert "Nothing to review" in page
    assert "Nothing was inspected in your projects." in page
    assert "No incidents match" not in client.get("/review/?q=nothing").content.decode()
    make_findings(1)
    assert "No incidents match" in client.get("/review/?q=nothing").content.decode()


def test_a_queue_without_hits_says_which_condition_excludes_everything(
    client: Any, make_findings: Any
) -> None:
    make_findings(1, severity="high")
    page = client.get("/review/?severity=critical")
    assert [(row.words, row.address, row.count) for row in page.context["excluded_by"]] == [
        ("“Severity: critical”", "/review/", 1)
    ]
    assert "Without “Severity: critical”: 1 incident<" in page.content.decode()


def test_a_title_is_text_and_never_markup(client: Any, make_findings: Any) -> None:
    make_findings(1, title="<script>alert(1)</script>")
    assert "<script>alert" not in client.get("/review/").content.decode()


def test_a_title_says_what_happens_before_which_copy(client: Any, make_findings: Any) -> None:
    folder = "damage.tgz/damage/hole"
    title = f"Consumers of steady-0 (replica {folder}) stop at offset 182"
    [row] = make_findings(1, title=title, topic="steady", partition=0, replica=folder)
    page = client.get("/review/").content.decode()
    assert '>Consumers of <span class="unbroken">steady-0</span> stop at offset 182</a>' in page
    assert f"steady-0 ({folder})" in page
    preview = client.get(reverse("review-preview", args=[row.pk])).content.decode()
    assert '>Consumers of <span class="unbroken">steady-0</span> stop at offset 182</a></h2>' in preview
    assert f"steady-0 ({folder})" in preview


def test_all_that_match_means_more_than_the_page(client: Any, make_findings: Any) -> None:
    make_findings(120, severity="high")
    make_findings(3)
    seen_at = client.get("/review/?severity=high").context["seen_at"]
    make_findings(5, severity="high")  # nobody has looked at these
    page = client.post(
        "/review/decide/",
        {"all_matching": 1, "query": "severity=high", "state": "acknowledged", "seen_at": seen_at},
        follow=True,
    )
    assert "120 findings are now acknowledged." in page.content.decode()
    assert states().count(FindingState.ACKNOWLEDGED) == 120


def test_without_scripts_the_form_comes_back_to_the_same_filter(client: Any, make_findings: Any) -> None:
    chosen = [finding.pk for finding in make_findings(3)][:2]
    answer = client.post(
        "/review/decide/", {"finding": chosen, "state": "false_positive", "query": "severity=critical"}
    )
    assert answer["Location"] == "/review/?severity=critical"
    assert states() == [FindingState.FALSE_POSITIVE, FindingState.FALSE_POSITIVE, FindingState.NEW]


def test_with_htmx_the_list_comes_back_with_an_undo(client: Any, make_findings: Any) -> None:
    first, second = make_findings(2)
    answer = client.post("/review/decide/", {"finding": first.pk, "state": "resolved"}, headers=HTMX)
    assert answer.content.decode().lstrip().startswith('<section id="review-list"')
    assert "1 finding is now resolved." in answer.content.decode()
    assert '<span id="review-count" hx-swap-oob="true"><span class="badge' in answer.content.decode()
    assert titles(answer) == [second.title]
    undone = client.post("/review/undo/", {"changes": answer.context["undo"]}, headers=HTMX)
    assert "Undone for 1 finding." in undone.content.decode()
    assert states() == [FindingState.NEW, FindingState.NEW]


def test_two_reviewers_at_once_and_the_last_one_is_told(
    client: Any, make_findings: Any, admin: Any, sign_in: Any
) -> None:
    finding = make_findings(1)[0]
    other = sign_in(admin)
    seen_at = [browser.get("/review/").context["seen_at"] for browser in (client, other)]
    form = {"finding": finding.pk, "state": "confirmed"}
    client.post("/review/decide/", form | {"seen_at": seen_at[0]})
    answer = other.post(
        "/review/decide/", form | {"seen_at": seen_at[1], "state": "false_positive"}, headers=HTMX
    )
    assert "reviewer had meanwhile made it: confirmed." in answer.content.decode()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"state": "suppressed", "until": "2020-01-01"}, "must be in the future"),
        ({"state": "suppressed", "until": "some day"}, "is not a date"),
        ({"state": "nonsense"}, "is not a state of a finding"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    client: Any, make_findings: Any, form: dict[str, str], words: str
) -> None:
    finding = make_findings(1)[0]
    answer = client.post("/review/decide/", form | {"finding": finding.pk}, headers=HTMX)
    assert words in answer.content.decode()
    assert states() == [FindingState.NEW]


def test_a_suppression_has_a_day_or_none(client: Any, make_findings: Any) -> None:
    first, second = make_findings(2)
    day = f"{timezone.now() + timedelta(days=9):%Y-%m-%d}"
    client.post("/review/decide/", {"finding": first.pk, "state": "suppressed", "until": day})
    client.post("/review/decide/", {"finding": second.pk, "state": "suppressed", "until": ""})
    page = client.get("/review/?state=suppressed").content.decode()
    assert f"suppressed until {day}" in page
    assert "suppressed until it changes" in page


def test_work_is_given_from_the_queue(client: Any, make_findings: Any, reviewer: Any, admin: Any) -> None:
    finding = make_findings(1)[0]
    for name, person in (("me", reviewer), ("admin", admin), ("nobody", None)):
        client.post("/review/assign/", {"finding": finding.pk, "assignee": name})
        finding.refresh_from_db()
        assert finding.assignee == person
    answer = client.post("/review/assign/", {"finding": finding.pk, "assignee": "stranger"}, headers=HTMX)
    assert "does not review findings" in answer.content.decode()


def test_a_filter_is_kept_for_oneself(client: Any, reviewer: Any, admin: Any, sign_in: Any) -> None:
    client.post("/review/filters/", {"name": "Late", "query": "due=overdue&csrfmiddlewaretoken=x"})
    kept = SavedFilter.objects.get()
    assert (kept.owner, kept.query, kept.project) == (reviewer, "due=overdue", None)
    assert "Late</a>" in client.get("/review/").content.decode()
    other = sign_in(admin)
    assert "Late</a>" not in other.get("/review/").content.decode()
    assert other.post(f"/review/filters/{kept.pk}/delete/").status_code == 404
    client.post(f"/review/filters/{kept.pk}/delete/")
    assert not SavedFilter.objects.exists()


def test_a_filter_is_shared_with_the_reviewers_of_a_project(
    client: Any, admin: Any, stranger: Any, sign_in: Any, other_project: Any, reviewer: Any
) -> None:
    client.post("/review/filters/", {"name": "Team", "query": "severity=high", "share_with": "default"})
    kept = SavedFilter.objects.get()
    assert "Team</a>" in sign_in(admin).get("/review/").content.decode()
    colleague = User.objects.create_user("colleague")
    kept.project.memberships.create(user=colleague, role="reviewer")
    page = sign_in(colleague).get("/review/").content.decode()
    assert "Team</a>" in page
    assert "Delete the filter" not in page
    assert sign_in(colleague).post(f"/review/filters/{kept.pk}/delete/").status_code == 403
    assert client.post("/review/filters/", {"name": "x", "share_with": "other"}).status_code == 404
    other_project.memberships.create(user=stranger, role="admin")
    assert "Team</a>" not in sign_in(stranger).get("/review/").content.decode()
    assert sign_in(stranger).post(f"/review/filters/{kept.pk}/delete/").status_code == 404
    assert sign_in(admin).post(f"/review/filters/{kept.pk}/delete/").status_code == 302


def test_the_journals_list_counts_what_is_open(inspect: Any, client: Any, reviewer: Any) -> None:
    from webapp.review.decisions import decide

    inspect("a", "b", {"identity": "c", "severity": "info"}, {"identity": "d", "consequence_of": "a"})
    assert ">2</a></td>" in client.get("/").content.decode()
    decide(Finding.objects.filter(fingerprint="a"), reviewer, FindingState.FALSE_POSITIVE)
    assert ">1</a></td>" in client.get("/").content.decode()
    inspect()
    assert '<td class="number">0</td>' in client.get("/").content.decode()


def test_what_was_resolved_and_is_there_in_a_later_dump_is_said(
    inspect: Any, newer_dump: Any, client: Any, reviewer: Any
) -> None:
    from webapp.review.decisions import decide

    inspect("a", "b", "c")
    decide(Finding.objects.filter(fingerprint__in=["a", "b"]), reviewer, FindingState.RESOLVED)
    inspect("a", "b", "c")
    address = "/review/?state=any&presence=not_mended"
    assert titles(client.get(address)) == []  # the same dump again says nothing about the repair
    inspect("a", "c", of=newer_dump())
    page = client.get(address)
    assert [finding.fingerprint for finding in page.context["page"]] == ["a"]
    assert "still present in a later dump" in page.content.decode()
    a, b = (Finding.objects.get(fingerprint=name) for name in "ab")
    assert "a later dump still contains it" in client.get(a.get_absolute_url()).content.decode()
    assert "No longer present in the newest inspection" in client.get(b.get_absolute_url()).content.decode()


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["htmx", "plain"])
@pytest.mark.parametrize(
    "form",
    [
        {"card": "nonsense"},
        {"finding": "9" * 30, "card": "00000000-0000-0000-0000-000000000000"},
        {"finding": ["", "x", "-1"], "back": "9" * 40},
        {"all_matching": "1", "query": "q=%00&journal=%00&sort=x", "seen_at": "never"},
        {"changes": "1,x," + "9" * 30, "assignee": "\0", "comment": "\0", "until": "2026-99-99"},
    ],
    ids=["card", "ids", "words", "filter", "others"],
)
def test_nonsense_has_an_answer(client: Any, headers: dict[str, str], form: dict[str, Any]) -> None:
    for path in ("decide", "assign", "undo"):
        for state in ({"state": "suppressed"}, {}):
            answer = client.post(f"/review/{path}/", form | state, headers=headers)
            assert answer.status_code in {200, 302, 404}
    assert client.get("/review/?q=%00&page=x&journal=%00").status_code == 200
