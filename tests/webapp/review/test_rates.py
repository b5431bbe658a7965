"""What is remembered of false positives: rates by detector and project, and findings like one that was judged."""

from __future__ import annotations

from typing import Any

from webapp.review import decisions
from webapp.review.models import Finding
from webapp.review.rates import earlier_false_positives, rates
from webapp.review.states import FindingState


def test_rates_count_what_was_judged_and_nothing_open(make_findings: Any, viewer: Any) -> None:
    make_findings(2, state=FindingState.FALSE_POSITIVE)
    make_findings(7, state=FindingState.CONFIRMED)
    make_findings(5, state=FindingState.RESOLVED)
    make_findings(4)
    make_findings(3, detector="another", state=FindingState.FALSE_POSITIVE)
    whole = rates(viewer, "content-null-update").whole
    assert (whole.false_positives, whole.judged, whole.percent) == (2, 14, 14)


def test_the_catalogue_shows_the_rate_of_ones_own_projects(
    make_findings: Any, other_project: Any, viewer: Any, stranger: Any, sign_in: Any
) -> None:
    make_findings(1, state=FindingState.FALSE_POSITIVE)
    make_findings(1, state=FindingState.CONFIRMED)
    make_findings(5, of=other_project.journals.get(), state=FindingState.FALSE_POSITIVE)
    page = "/catalogue/detectors/content-null-update/"
    assert "1 of 2 reviewed findings" in sign_in(viewer).get(page).content.decode()
    other_project.memberships.create(user=stranger, role="viewer")
    assert "5 of 5 reviewed findings" in sign_in(stranger).get(page).content.decode()
    nobody = sign_in(viewer).get("/catalogue/detectors/crc-mismatch/").content.decode()
    assert "No finding of it has a review result in your projects yet" in nobody


def test_the_same_key_judged_before_is_said(
    make_findings: Any, other_project: Any, viewer: Any, sign_in: Any
) -> None:
    (finding,) = make_findings(1, key="k", title="The one")
    make_findings(1, key="k", state=FindingState.FALSE_POSITIVE, title="Judged before")
    make_findings(1, key="other", state=FindingState.FALSE_POSITIVE, title="Another key")
    make_findings(1, key="k", detector="another", state=FindingState.FALSE_POSITIVE, title="Another detector")
    make_findings(
        1, of=other_project.journals.get(), key="k", state=FindingState.FALSE_POSITIVE, title="Their secret"
    )
    assert [one.title for one in earlier_false_positives(viewer, finding).alike] == ["Judged before"]
    page = sign_in(viewer).get(finding.get_absolute_url()).content.decode()
    assert "Judged before" in page
    assert "Their secret" not in page


def test_the_same_fingerprint_in_another_journal_of_the_project_is_said(
    make_findings: Any, journal: Any, viewer: Any
) -> None:
    from webapp.journals.models import Journal

    (finding,) = make_findings(1)
    elsewhere = Journal.objects.create(project=journal.project, name="elsewhere")
    (twin,) = make_findings(1, of=elsewhere, state=FindingState.FALSE_POSITIVE)
    Finding.objects.filter(pk=twin.pk).update(fingerprint=finding.fingerprint)
    assert earlier_false_positives(viewer, finding).alike == [twin]


def test_a_finding_that_was_one_itself_and_is_open_again_says_so(
    make_findings: Any, reviewer: Any, sign_in: Any
) -> None:
    (finding,) = make_findings(1)
    decisions.decide([finding.pk], reviewer, FindingState.FALSE_POSITIVE)
    assert not earlier_false_positives(reviewer, Finding.objects.get(pk=finding.pk))
    decisions.decide([finding.pk], reviewer, FindingState.NEW)
    page = sign_in(reviewer).get(finding.get_absolute_url()).content.decode()
    assert "This finding was marked as a false positive on" in page
