"""The phrases of tables that a share may show: those that the code writes, and nothing with a word of the data."""

from __future__ import annotations

import pytest

from spark.log.cleanings import NOTHING_SHOWN, evidence
from spark.log.gaps import CAUSES
from spark.terms.table_phrases import is_phrase

LOG = dict.fromkeys(
    (
        "checkpoint_offset",
        "horizon_offset",
        "thinned_offset",
        "printed_cleaned",
        "cleanup_policy",
        "policy_said_by",
        "is_numbered",
    )
)


@pytest.mark.parametrize("proof", [proof for _, proof in CAUSES])
def test_the_proofs_of_gaps_are_phrases(proof: str) -> None:
    assert is_phrase(proof.format(log_start=4711))


@pytest.mark.parametrize("name", ["checkpoint_offset", "horizon_offset", "thinned_offset"])
def test_what_shows_that_a_log_is_cleaned_is_a_phrase(name: str) -> None:
    assert is_phrase(evidence(LOG | {name: 12}, {"deleted_at": None})[1])
    assert is_phrase(evidence(LOG, {"deleted_at": 12})[1])
    assert is_phrase(evidence(LOG | {"is_numbered": True}, {"deleted_at": 12})[1])
    assert is_phrase(NOTHING_SHOWN)


@pytest.mark.parametrize("policy", ["compact", "delete", "compact,delete"])
def test_what_kafka_calls_a_policy_is_no_word_of_the_data(policy: str) -> None:
    assert is_phrase(evidence(LOG | {"cleanup_policy": policy}, {"deleted_at": None})[1])


@pytest.mark.parametrize("policy", ["payroll", "compact, by orders.txt"])
def test_any_other_policy_is(policy: str) -> None:
    assert not is_phrase(evidence(LOG | {"cleanup_policy": policy}, {"deleted_at": None})[1])


def test_a_phrase_with_more_around_it_is_none() -> None:
    assert not is_phrase("no cause is left in this input: payroll")
    assert not is_phrase("the cleaner's checkpoint names it, with offset payroll")
