"""Reasons of refusals in the words of the dialect's page."""

from __future__ import annotations

from webapp.reports.values.rejection_reasons import refusal_words


def test_a_reason_is_said_in_the_words_of_the_dialects_page() -> None:
    assert refusal_words("apicurio-v2", "content-missing") == "no record of the journal holds the content"


def test_reasons_that_share_a_row_share_its_words() -> None:
    assert refusal_words("apicurio-v2", "version-missing") == refusal_words("apicurio-v2", "artifact-missing")


def test_a_reason_or_dialect_without_words_is_said_as_it_is_written() -> None:
    assert refusal_words("apicurio-v2", "no-such-reason") == "no such reason"
    assert refusal_words("no-such-dialect", "content-missing") == "content missing"
