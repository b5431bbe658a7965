"""JSON answers hold no `<`, whatever a record holds, and say the same as without the escapes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from tests.builders import records_table
from tests.webapp.reports.comparison.results import difference, noted, page_of, state, with_state
from tests.webapp.reports.conftest import get, inspected
from tests.webapp.reports.result_folder import add_marks, finding, report_document, write_results
from webapp.middleware import inert

__all__ = ["get", "inspected"]
pytestmark = pytest.mark.django_db
TAG = "</script><img src=x onerror=alert(1)>\\<"


def hostile(folder: Path) -> Path:
    """One record whose key, value and header are a tag, and a finding about it."""
    rows = [
        {"offset": number, "key": TAG.encode(), "value": TAG.encode(), "headers": [(TAG.encode(), b"<")]}
        for number in (0, 1)
    ]
    report = report_document(findings=[finding("a", title=TAG, explanation=TAG, evidence=[0])])
    add_marks(write_results(folder, report, records=records_table(*rows)))
    return folder


@pytest.mark.parametrize("text", [TAG, "\\<", "\\\\<", '"<', "<" * 9, "\u2028<é", "a\\u003c<"])
def test_what_is_escaped_reads_as_the_same_document(text: str) -> None:
    for ensure_ascii in (True, False):
        body = json.dumps({text: [text]}, ensure_ascii=ensure_ascii).encode()
        assert b"<" not in inert(body)
        assert json.loads(inert(body)) == {text: [text]}


def test_answers_of_the_api_say_the_same_without_a_tag(inspected: Any, owner: Any, sign_in: Any) -> None:
    inspection, client = inspected(hostile), sign_in(owner)
    for path, holds in (("records/0/", True), ("records/", False), ("report/", True), ("keys/", True)):
        answer = client.get(f"/api/v1/inspections/{inspection.pk}/{path}")
        assert (answer.status_code, b"<" in answer.content) == (200, False), path
        assert "Content-Length" not in answer or int(answer["Content-Length"]) == len(answer.content)
        assert TAG in strings(answer.json()) or not holds, path


def strings(document: Any) -> list[str]:
    """Every string of a document."""
    if isinstance(document, dict):
        return [text for pair in document.items() for each in pair for text in strings(each)]
    if isinstance(document, list):
        return [text for each in document for text in strings(each)]
    return [document] if isinstance(document, str) else []


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_figures_say_the_same_without_a_tag(inspected: Any, get: Any, encoding: str) -> None:
    answer = get(inspected(hostile), "report-timeline-figure", headers={"Accept-Encoding": encoding})
    body = gzip.decompress(answer.content) if answer.get("Content-Encoding") == "gzip" else answer.content
    assert b"<" not in body
    assert any("</script>" in text for text in strings(json.loads(body)))


def test_the_document_of_a_comparison_says_the_same_without_a_tag(inspected: Any, get: Any) -> None:
    left = inspected(with_state(state("content", TAG, 3, None, size=12)))
    right = inspected(with_state(state("content", "5", 4)))
    page_of(left, right, noted([difference("lost", TAG, 3, None)], lost=1), get)
    answer = get(left, "report-comparison-export", right.pk, "comparison.json")
    assert b"<" not in answer.content
    assert TAG in strings(json.loads(answer.content))


def test_refusals_say_the_same_without_a_tag(owner: Any, sign_in: Any) -> None:
    answer = sign_in(owner).post(reverse("journal-create"), json.dumps({"name": TAG}), "application/json")
    assert answer["Content-Type"] == "application/json"
    assert b"<" not in answer.content
