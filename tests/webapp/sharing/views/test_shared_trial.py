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


def test_the_steps_of_a_ticket_are_those_of_a_tested_repair(
    inspected: Any, share: Any, guest: Any, get: Any
) -> None:
    broken = inspected(BROKEN)
    done(broken, inspected(BROKEN))
    step = "Follow the 2 steps of the repair (trial passed: 1 of 1 version)."
    _, token = share(broken)
    link = guest.get(reverse("shared:report-overview", args=[token])).content.decode()
    for page, who in (
        (
            get(broken, "report-overview").content.decode(),
            f"The steps: http://testserver{reverse('report-repair', args=[broken.pk])}",
        ),
        (link, "The person who shared this report has them, with the repair records."),
    ):
        text = page.split('id="ticket-plain"')[1].split("</textarea>")[0].split(">", 1)[1]
        steps = [line for line in text.splitlines() if line[:1].isdigit()]
        assert step in steps[0]
        assert who in steps[0]
        assert steps[-1].endswith("Inspect a new dump.")
        assert "more step" not in text


def words_of(guest: Any, token: str) -> str:
    """Text of a share's first page."""
    page = guest.get(reverse("shared:report-overview", args=[token])).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
