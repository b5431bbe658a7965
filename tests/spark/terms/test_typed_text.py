"""Typed text: blocks and segments instead of sentences that somebody has to read back."""

from __future__ import annotations

import pytest

from spark.terms import marked
from spark.terms.marked import plain
from spark.terms.typed_text import actions, plain_of, typed, with_typed
from spark.terms.typed_wording import items, steps


def test_a_line_is_a_block_and_says_whether_it_is_a_step() -> None:
    text = "Two keys:\n" + items(["one", "two"]) + "\n" + steps(["Stop.", "Look."])
    assert [(block["kind"], block.get("number")) for block in typed(text)] == [
        ("paragraph", None),
        ("item", None),
        ("item", None),
        ("step", 1),
        ("step", 2),
    ]


def test_values_are_segments_of_their_kind() -> None:
    (block,) = typed(f"replaced at offset {marked.offset(7)}.")
    assert block["segments"] == [
        {"text": "replaced at offset "},
        {"kind": "offset", "text": "7"},
        {"text": "."},
    ]


def test_code_holds_its_own_values() -> None:
    (block,) = typed(f"Run `kcat -t {marked.topic('orders')} -o TOPIC` now.")
    _, code, _ = block["segments"]
    assert (code["kind"], code["text"]) == ("code", "kcat -t orders -o TOPIC")
    assert code["segments"] == [
        {"text": "kcat -t "},
        {"kind": "topic", "text": "orders"},
        {"text": " -o TOPIC"},
    ]


def test_a_backtick_or_a_line_feed_of_the_data_is_a_letter() -> None:
    key = marked.key("a`b\n1. c")
    (block,) = typed(f"key `{key}` is gone")
    assert [segment.get("kind") for segment in block["segments"]] == [None, "code", None]
    assert block["segments"][1]["text"] == "a`b\n1. c"


def test_a_lone_backtick_is_a_letter() -> None:
    assert typed("the key ` is odd")[0]["segments"] == [{"text": "the key ` is odd"}]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line",
        "two\n\nlines",
        f"`{marked.key('k')}``x` and `{marked.topic('t')} y`",
        steps([f"Take `a {marked.topic('t')}`.", "Then `b`."]),
        "odd ` one\n" + items([f"{marked.name('x')} `code`"]),
    ],
)
def test_blocks_say_the_whole_text(text: str) -> None:
    assert plain_of(typed(text)) == plain(text)


def test_actions_are_the_steps_of_a_remedy_with_their_commands() -> None:
    remedy = "Before:\n" + steps([f"Dump: `kcat -t {marked.topic('t')}`", "Rest."])
    assert actions(typed(remedy)) == [
        {"text": "Dump: `kcat -t t`", "commands": ["kcat -t t"]},
        {"text": "Rest.", "commands": []},
    ]
    assert actions(typed("Nothing to do.")) == [{"text": "Nothing to do.", "commands": []}]


def test_a_documents_texts_are_plain_and_typed_beside() -> None:
    document = with_typed(
        {"why": marked.name("x"), "lines": [marked.offset(1)], "none": None}, "why", "lines", "none"
    )
    assert (document["why"], document["lines"]) == ("x", ["1"])
    assert document["typed"]["lines"] == [
        [{"kind": "paragraph", "segments": [{"kind": "offset", "text": "1"}]}]
    ]
    assert "none" not in document["typed"]
