"""The word of a verdict and the rest of its sentence."""

from __future__ import annotations

import pytest

from spark.terms.verdict_word import verdict_tone, verdict_word, without_word


@pytest.mark.parametrize(
    ("level", "sentence", "word", "rest"),
    [
        ("healthy", "Healthy. 3 records, no missing offsets.", "Healthy", "3 records, no missing offsets."),
        (
            "healthy",
            "No fault found. 3 records, 1 absent offset.",
            "No fault found",
            "3 records, 1 absent offset.",
        ),
        ("healthy", "2 records of an older version.", "Healthy", "2 records of an older version."),
        ("critical", "1 content is lost.", "Critical", "1 content is lost."),
    ],
    ids=["all checked", "not all checked", "another sentence", "an alarm"],
)
def test_the_word_of_a_healthy_verdict_is_what_its_sentence_claims(
    level: str, sentence: str, word: str, rest: str
) -> None:
    assert verdict_word(level, sentence) == word
    assert without_word(level, sentence) == rest


def test_only_a_verdict_that_claims_everything_is_shown_as_healthy() -> None:
    assert verdict_tone("healthy", "Healthy. 3 records, no missing offsets.") == "healthy"
    assert verdict_tone("healthy", "No fault found. 3 records; the end of the log is unknown.") == "info"
    assert verdict_tone("critical", "1 content is lost.") == "critical"
