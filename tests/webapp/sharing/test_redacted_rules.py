"""A finding of a rule in a share: what its author wrote, and the values in it, are hidden as one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.redaction.typed_texts import HIDDEN
from tests.webapp.reports.result_folder import finding, report_document, write_results
from webapp.journals.models import Inspection, Journal

HOUSE_WORDS = "The value of content is record"  # each of them a word that the house uses, too


@pytest.fixture
def ruled(project: Any, owner: Any) -> Inspection:
    """An inspection in which a rule found something."""
    journal = Journal.objects.create(project=project, name="orders", created_by=owner)
    made = Inspection.objects.create(journal=journal, state=Inspection.State.DONE)
    found = finding("one") | {
        "detector": "rule:default/content",
        "detector_version": "2",
        "title": HOUSE_WORDS,
        "explanation": HOUSE_WORDS,
        "remedy": HOUSE_WORDS,
    }
    rules = [{"id": "rule:default/content", "version": 2, "name": "content"}]
    write_results(made.results, report_document(findings=[found], rules=rules))
    return made


def test_nothing_of_a_rule_is_told_where_names_are_hidden(ruled: Inspection, share: Any) -> None:
    made, _ = share(ruled)
    document = json.loads((made.results / "report.json").read_text())
    (told,) = document["findings"]
    assert [told[name] for name in ("detector", "title", "explanation", "remedy")] == [HIDDEN] * 4
    assert "rules" not in document


def test_where_everything_is_shown_its_words_are_too(ruled: Inspection, share: Any) -> None:
    made, _ = share(ruled, payloads=True, keys=True, headers=True, names=True)
    (told,) = json.loads((made.results / "report.json").read_text())["findings"]
    assert (told["detector"], told["title"]) == ("rule:default/content", HOUSE_WORDS)


def test_the_shared_page_opens(ruled: Inspection, share: Any, guest: Any) -> None:
    _, token = share(ruled, payloads=True, keys=True, headers=True, names=True)
    page = guest.get(f"/s/{token}/", follow=True)
    assert page.status_code == 200
    assert HOUSE_WORDS in page.content.decode()
