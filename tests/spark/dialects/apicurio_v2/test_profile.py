"""Version families from the forms of records."""

from __future__ import annotations

import pytest

from spark.dialects.apicurio_v2 import family
from spark.dialects.apicurio_v2.interpret import interpret
from tests.spark.apicurio_journals import json_record, records_of

GROUP = json_record(6, {"groupId": "g"})


@pytest.mark.parametrize(
    ("action", "words"),
    [("Create", "2.0.x"), ("CREATE", "2.1.0 to 2.1.3"), (1, "2.1.4 or later")],
    ids=["words", "capitals", "numbers"],
)
def test_the_form_of_actions_tells_old_versions_apart(action: object, words: str) -> None:
    entries = interpret(records_of([(0, GROUP, json_record(6, {"action": action}))]))
    assert family(entries) == f"Apicurio Registry {words}"


def test_an_upgraded_journal_shows_both_ages() -> None:
    old = (0, json_record(0, {"bootstrapId": "x"}), None)
    new = (1, json_record(18, {"uuid": "compact"}), json_record(18, {"action": 9}))
    assert (
        family(interpret(records_of([old, new])))
        == "Apicurio Registry 2.5.9 or later (begun by an older one)"
    )


def test_tombstones_alone_tell_nothing() -> None:
    assert family(interpret(records_of([(0, GROUP, None)]))) is None
