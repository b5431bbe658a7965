"""What a share tells of a repair: the result known when it was made, without the dumps that it came from."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from tests.webapp.reports.pages.test_repair import BROKEN, done

pytestmark = pytest.mark.django_db


def test_a_share_says_that_the_trial_passed_and_names_no_other_dump(
    inspected: Any, share: Any, guest: Any
) -> None:
    broken = inspected(BROKEN)
    older = inspected(BROKEN)
    done(broken, older)
    _, token = share(broken)
    text = words_of(guest, token)
    assert "Trial passed: 1 of 1" in text
    assert "Follow the 2 steps of the repair. The person who shared this report has them" in text
    assert "Untested" not in text
    assert "last week" not in text
    assert str(older.pk) not in text


def test_a_share_that_was_made_before_the_trial_stays_untested(
    inspected: Any, share: Any, guest: Any
) -> None:
    broken = inspected(BROKEN)
    _, token = share(broken)
    done(broken, inspected(BROKEN))
    assert "Untested" in words_of(guest, token)


def test_the_text_for_a_ticket_has_the_result_of_the_trial(inspected: Any, get: Any) -> None:
    broken = inspected(BROKEN)
    done(broken, inspected(BROKEN))
    page = get(broken, "report-overview").content.decode()
    assert "Repair: trial passed: 1 of 1 version, 2 steps" in page


def words_of(guest: Any, token: str) -> str:
    """Text of a share's first page."""
    page = guest.get(reverse("shared:report-overview", args=[token])).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
