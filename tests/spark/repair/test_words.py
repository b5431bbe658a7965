"""The answer of a repair in one sentence."""

from __future__ import annotations

import pytest

from spark.repair import MissingEntity, Plan
from spark.repair.answers import Repaired
from spark.repair.words import sentence


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (["content 23"], "content 23 is still missing."),
        (["content 23", "content 25"], "content 23 and content 25 are still missing."),
    ],
)
def test_what_is_missing_is_named_in_the_right_number(contents: list[str], words: str) -> None:
    plan = Plan(missing=tuple(MissingEntity(name, (), "its text") for name in contents))
    assert sentence(Repaired("kafkasql-journal", 0, plan, [])) == f"Nothing can be repaired yet: {words}"
