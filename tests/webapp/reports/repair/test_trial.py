"""The trial as tables: cells by steps and release, counts beside the expected ones, reasons as sentences."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.reports.repair.trial import (
    NAMES_IN_SENTENCE,
    Cell,
    Count,
    Problem,
    elsewhere,
    entities,
    in_words,
    of_outcome,
    trial,
    why_not,
)


def outcome(release: str = "2.6.13", steps: tuple[str, ...] = ("start",), **members: Any) -> dict[str, Any]:
    told = {
        "release": release,
        "steps": list(steps),
        "lacks": [],
        "returns": [],
        "differs": [],
        "why_not": "",
        **members,
    }
    return told | {"holds": not any(told[name] for name in ("lacks", "returns", "differs", "why_not"))}


def way(*outcomes: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"trial": list(outcomes), "lacks": [], "findings": [], "state": {}, **members}


def test_each_way_has_its_own_releases_and_a_start_that_was_not_tried_is_empty() -> None:
    twice = ("start", "compaction", "start")
    found = trial([way(outcome("2.5.9"), outcome("2.6.13"), outcome("2.5.9", twice)), way(outcome("2.6.13"))])
    assert found.releases == [["2.5.9", "2.6.13"], ["2.6.13"]]
    assert found.rows == [
        ("start", [[Cell(True), Cell(True)], [Cell(True)]]),
        ("start, compaction, start", [[Cell(True), Cell()], [Cell()]]),
    ]


@pytest.mark.parametrize(
    ("member", "word"), [("lacks", "Missing"), ("returns", "Reappears"), ("differs", "Changed")]
)
def test_a_cell_names_the_first_of_what_is_wrong_and_counts_the_others(member: str, word: str) -> None:
    cell = of_outcome(outcome(**{member: ["a", "b", "c", "d", "e"]}))
    assert cell == Cell(problems=(Problem(word, ("a", "b", "c"), 2),))


def test_counts_say_how_many_are_missing_or_too_many() -> None:
    state = {
        "wanted": {"artifact": 2},
        "after_start": {"artifact": 1},
        "after_compaction": {"artifact": 2, "group": 1},
    }
    assert entities([way(state=state)]) == [
        ("artifact", 2, [Count(1, "1 missing"), Count(2, "")]),
        ("group", 0, [Count(0, ""), Count(1, "1 too many")]),
    ]


def test_a_way_that_never_started_has_no_counts() -> None:
    assert entities([way(state={"wanted": {"artifact": 2}})]) == [("artifact", 2, [None, None])]


def test_the_reason_names_each_entity_once_over_all_starts() -> None:
    bad = way(
        outcome(lacks=["version a"]),
        outcome(lacks=["version a", "version b"]),
        lacks=["version a", "version b"],
    )
    assert why_not(bad) == ["Missing: version a, version b."]


def test_a_long_reason_is_cut() -> None:
    names = [f"version {number}" for number in range(NAMES_IN_SENTENCE + 3)]
    (sentence,) = why_not(way(outcome(lacks=names), lacks=names))
    assert sentence.endswith(f"version {NAMES_IN_SENTENCE - 1} and 3 more.")


def test_without_anything_missing_the_inspection_is_the_reason() -> None:
    findings = [{"severity": "low", "title": "Small"}, {"severity": "high", "title": "Grave"}]
    assert why_not(way(outcome(), findings=findings)) == ["The inspection after the first start found: Grave"]


def test_other_services_are_named_with_what_they_make_of_a_way() -> None:
    good = {"release": "Karapace", "holds": True, "lacks": [], "returns": [], "differs": [], "why_not": ""}
    bad = good | {"release": "Redpanda", "holds": False, "lacks": ["schema a/1"]}
    stopped = good | {"release": "Other", "holds": False, "why_not": "It does not start."}
    assert elsewhere({"elsewhere": [good, bad, stopped]}) == [
        "It is also valid by the rules of Karapace.",
        "It is not valid by the rules of Redpanda. Missing: schema a/1.",
        "It is not valid by the rules of Other. It does not start.",
    ]
    assert elsewhere({}) == []


def test_the_trial_in_a_fold_says_how_many_starts_were_complete() -> None:
    starts = [outcome() | {"holds": True}, outcome() | {"holds": False}]
    ways = [
        {"id": "append", "trial": starts[:1]},
        {"id": "copy", "trial": starts},
        {"id": "copy", "trial": []},
    ]
    assert in_words(ways) == "Append: 1 of 1 sequence complete. Copy: 1 of 2 sequences complete"
