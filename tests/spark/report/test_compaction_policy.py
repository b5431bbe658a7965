"""Whether a topic is compacted: proven, likely, assumed or not."""

from __future__ import annotations

from typing import Any

import pytest

from spark.log.cleanings import NOTHING_SHOWN
from spark.report.compaction_policy import compaction
from spark.terms.marked import pieces, plain

APICURIO = {"topic": "journal", "dialect": "apicurio-v2"}
PLAIN = {"topic": "journal", "dialect": "plain"}


def shown(compacted: str, why: str, topic: str = "journal") -> dict[str, Any]:
    return {"topic": topic, "compacted": compacted, "why": why}


@pytest.mark.parametrize(
    ("journal", "rows", "certainty", "sentence"),
    [
        (APICURIO, [shown("no", NOTHING_SHOWN)], "assumed", "Assumed to be compacted: journals of Apicurio"),
        (APICURIO, [shown("likely", "a null value deletes a key"), shown("proven", "its checkpoint")], "proven",
         "Proven to be compacted: its checkpoint."),
        (APICURIO, [shown("likely", "a null value deletes a key")], "likely", "Likely to be compacted: a null value"),
        (APICURIO, [shown("no", "the topic's cleanup.policy was delete")], "no", "Not compacted: the topic's cleanup"),
        (APICURIO, [shown("proven", "its checkpoint", topic="other")], "assumed", "Assumed"),
        (PLAIN, [shown("no", NOTHING_SHOWN)], "no", "The input does not show that this topic is compacted."),
        ({**APICURIO, "dialect": "apicurio-v3"}, [], "no", "The input does not show"),
        ({**APICURIO, "dialect": "share-group-state"}, [shown("likely", "a null value")], "no", "The input does not show"),
        ({**APICURIO, "dialect": "share-group-state"}, [shown("proven", "its checkpoint")], "proven", "Proven"),
    ],
    ids=["nothing shown", "one copy proves it", "a tombstone", "another policy", "another topic", "no service known",
         "a service that never compacts", "tombstones of such a service", "compacted all the same"],
)  # fmt: skip
def test_the_input_decides_and_else_the_service(
    journal: dict[str, Any], rows: list[dict[str, Any]], certainty: str, sentence: str
) -> None:
    answer = compaction(journal, rows)
    assert answer["certainty"] == certainty
    assert plain(answer["sentence"]).startswith(sentence)


def test_words_of_the_data_are_marked_and_our_own_are_not() -> None:
    policy = shown("proven", "the topic's cleanup.policy was compact, by payroll.txt")
    kinds = [piece.kind for piece in pieces(compaction(APICURIO, [policy])["sentence"])]
    assert kinds == ["", "quote", ""]
    checkpoint = shown("proven", "the checkpoint of the log cleaner names it, with offset 12")
    assert [piece.kind for piece in pieces(compaction(APICURIO, [checkpoint])["sentence"])] == [""]
