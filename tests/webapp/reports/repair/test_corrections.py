"""What a repair corrects is one clause with a verb for each kind of correction."""

from __future__ import annotations

import pytest

from webapp.reports.repair.corrections import in_one_clause

RULE = "global rule COMPATIBILITY from FULL back to BACKWARD"


@pytest.mark.parametrize(
    ("corrected", "words"),
    [
        ([RULE], f"sets {RULE}"),
        (
            [RULE, "artifact short-lived/s1 deleted again", "artifact short-lived/s2 deleted again"],
            f"sets {RULE} and deletes artifacts short-lived/s1 and short-lived/s2 again",
        ),
        (["global rule VALIDITY deleted again"], "deletes global rule VALIDITY again"),
        (["global rule VALIDITY written again, FULL"], "writes global rule VALIDITY again"),
        (["schema a/1 deleted", "schema a/2 deleted"], "deletes schemas a/1 and a/2"),
        (["artifact a/b"], "corrects artifact a/b"),
        ([f"artifact g/{n} deleted again" for n in range(5)], "deletes artifacts g/0, g/1, g/2 and 2 more again"),
    ],
)  # fmt: skip
def test_each_correction_has_its_verb(corrected: list[str], words: str) -> None:
    assert in_one_clause(corrected) == words
