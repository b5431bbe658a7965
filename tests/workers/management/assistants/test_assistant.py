"""Calls that go wrong inside: the sentence and the log quote nothing of a journal."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from spark.terms.errors import UnreadableInput
from workers.management.assistants.assistant import Assistant
from workers.management.assistants.bounds import AnswerBounds
from workers.management.assistants.refused import RefusedCall
from workers.management.masks import chosen_masks, hidden_words

QUOTE = "tulip-4711"


class Journals:
    """Inspects nothing."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def of(self, *_: object) -> Any:
        raise self.problem


def assistant(problem: Exception, *show: str) -> Assistant:
    journals: Any = Journals(problem)
    return Assistant(journals, None, chosen_masks(show, (), (), ()), AnswerBounds(8_000, 10))


@pytest.mark.parametrize(
    "problem", [ValueError(QUOTE), KeyError(QUOTE), OSError(errno.ENOSPC, QUOTE, QUOTE), UnreadableInput(QUOTE)]
)  # fmt: skip
def test_no_error_quotes_data(problem: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RefusedCall) as refused:
        assistant(problem).call("inspect", {"input": "x"})
    assert QUOTE not in str(refused.value)
    assert QUOTE not in capsys.readouterr().err


def test_a_bug_is_told_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RefusedCall, match="bug in Journalscope"):
        assistant(ValueError(QUOTE)).call("report", {"input": "x"})
    assert Path(__file__).name in capsys.readouterr().err


def test_a_full_disk_is_named() -> None:
    with pytest.raises(RefusedCall, match="No space left on device"):
        assistant(OSError(errno.ENOSPC, "x")).call("state", {"input": "x"})


def test_if_everything_is_shown_an_error_is_masked_only() -> None:
    with pytest.raises(RefusedCall) as refused:
        assistant(UnreadableInput(f"line 4: {QUOTE} password=rose"), "payloads", "keys", "headers").call(
            "inspect", {"input": "x"}
        )
    assert QUOTE in str(refused.value)
    assert "rose" not in str(refused.value)


def test_what_there_is_not_is_a_sentence() -> None:
    for tool, input, sentence in (
        ("delete", "x", "no such tool"),
        ("inspect", "journal:x", "without --server"),
        ("compare", "journal:x", "takes paths only"),
    ):
        with pytest.raises(RefusedCall, match=sentence):
            assistant(ValueError()).call(tool, {"input": input})


def test_an_answer_says_what_is_hidden() -> None:
    assert hidden_words(chosen_masks((), (), (), ()))[:2] == [
        "values, and sentences that quote them",
        "keys, except names that the journal type reads in them",
    ]
    assert hidden_words(chosen_masks(("payloads", "keys", "headers"), (), (), ())) == [
        "secrets that a mask finds"
    ]
    assert "names of topics and entities" in hidden_words(chosen_masks((), ("names",), (), ()))
    assert "headers" in hidden_words(chosen_masks(("headers",), (), (), ()))
