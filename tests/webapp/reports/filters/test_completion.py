"""What is offered while somebody types a filter: names and values of this journal, operators, usual filters with their hits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from tests.webapp.reports.result_folder import incident, write_results
from webapp.reports.filters.completion import FilterCompletion
from webapp.reports.filters.parser import parse_filter
from webapp.reports.queries.partitions import survey
from webapp.reports.results import open_results

JOURNAL = PartitionReplica("journal", 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Fifty payments."""
    rows = [
        {
            "key": b"acc-%d" % (n % 5),
            "value": b'{"amount": %d, "amountBefore": %s, "to": {"name": "a b"}}'
            % (n * 10, b"1" if n % 10 == 0 else b"null"),
            "headers": [{"key": b"trace-id", "value": b"t-%d" % (n % 2)}],
        }
        for n in range(50)
    ]
    return write_results(tmp_path_factory.mktemp("payments"), records=records_table(*rows))


def asked(folder: Path, text: str, **options: Any) -> dict[str, Any]:
    with open_results(folder) as results:
        facts = survey(results).facts[JOURNAL]
        cursor = text.index("|") if "|" in text else len(text)
        text = text.replace("|", "")
        return FilterCompletion(results.of(JOURNAL), facts, text, cursor, **options).answer()


def offered(answer: dict[str, Any]) -> dict[str, list[str]]:
    return {group["title"]: [choice["text"] for choice in group["choices"]] for group in answer["groups"]}


def test_names_come_first_then_operators_then_usual_filters(folder: Path) -> None:
    answer = asked(folder, "key:acc-* value.amo")
    groups = offered(answer)
    assert list(groups) == ["Members of the value", "After value.amount", "Usual here"]
    assert groups["Members of the value"] == ["value.amount", "value.amountBefore"]
    assert groups["After value.amount"][:2] == [">", "<"]
    about = [choice["about"] for choice in answer["groups"][0]["choices"]]
    assert about == ["number, in 50 records", "number, in 5 records"]
    usual = answer["groups"][2]["choices"][0]
    assert (usual["text"], usual["about"]) == ("value.amount > 450", "4 records match")


def test_a_choice_takes_the_place_of_what_was_typed(folder: Path) -> None:
    text = "value.amo kind:update"
    choice = asked(folder, "value.amo| kind:update")["groups"][0]["choices"][0]
    assert text[: choice["start"]] + choice["insert"] + text[choice["end"] :] == "value.amount  kind:update"


@pytest.mark.parametrize(
    ("typed", "title", "first"),
    [
        ("ki", "Fields", ["kind"]),
        ("-(ki", "Fields", ["kind"]),
        ("kind:", "Values of kind", ["update", "create"]),
        ("kind:update,c", "Values of kind", ["create"]),
        ("key:acc-3", "Values of key", ["acc-3"]),
        ("outcome:ab", "Values of outcome", ["aborted"]),
        ("header.tr", "Headers", ["header.trace-id"]),
        ("header.trace-id:", "Values of header.trace-id", ["t-0", "t-1"]),
        ("value.to.name:", "Values of value.to.name", ["a b"]),
        ("value.to.name ", "After value.to.name", ["=", ":"]),
        ("offset:", "Values of offset", ["0..49"]),
        ("", "Usual here", ["kind:create"]),
    ],
)
def test_the_place_of_the_cursor_decides(folder: Path, typed: str, title: str, first: list[str]) -> None:
    assert offered(asked(folder, typed))[title][: len(first)] == first


@pytest.mark.parametrize(
    "typed", ["", "v", "value.amo", "value.to.name:", "key:", "kind:", "offset:", "time:", "header.", "a b "]
)
def test_every_whole_choice_is_a_filter(folder: Path, typed: str) -> None:
    answer = asked(folder, typed)
    for group in answer["groups"]:
        if group["title"].startswith(("Values", "Usual")):
            for choice in group["choices"]:
                parse_filter(typed[: choice["start"]] + choice["insert"] + typed[choice["end"] :])


def test_a_mistake_comes_with_its_place_and_what_was_read(folder: Path) -> None:
    answer = asked(folder, "key:a kind:updat")
    assert answer["mistake"] == {
        "start": 11, "end": 16, "instead": "update", "sentence": answer["mistake"]["sentence"],
    }  # fmt: skip
    assert [kind for kind, *_ in answer["tokens"]] == ["name", "operator", "value", "name", "operator"]


def test_what_a_link_hides_is_not_offered(folder: Path) -> None:
    for typed in ("", "v", "value.", "header.", "key:", "value.to.name:"):
        text = str(asked(folder, typed, hidden=frozenset({"key", "value", "header"}))["groups"])
        assert not any(word in text for word in ("amount", "acc-", "trace", "a b", "value."))


def test_names_of_binary_journals_are_those_that_the_dialect_reads(tmp_path: Path) -> None:
    assert "key.artifactId" in offered(asked(incident(tmp_path), "key."))["Members of the key"]
