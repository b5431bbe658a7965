"""Remedies as pages write them: variants, conditions, typed placeholders, shared steps."""

from __future__ import annotations

import pytest

from spark.terms.marked import pieces, plain
from spark.units.remedies import as_read, remedies, with_shared

SHARED = {
    "take a dump": "Take a full dump: {command:take dump}",
    "dump first": "Do not restart. {step:take a dump}",
}
SECTION = """
General words, which no report shows.

### Log
1. {step:dump first}
2. *If it hangs:* Abort it: `abort --topic {topic} --start-offset {offset:first
   offset}`
3. *If nobody knows it:* Ask {name:owner}.
4. *Otherwise:* Wait until offset {offset:first offset} is free.
5. {steps:changes}

For readers of the page.

### Dump
No action is needed for {topic}.
"""


def filled(topic: str = "moves", *, it_hangs: bool = False, nobody_knows_it: bool = False) -> str:
    """The remedy of a log."""
    return remedies(SECTION, SHARED)["Log"].filled(
        {
            "topic": topic,
            "it_hangs": it_hangs,
            "nobody_knows_it": nobody_knows_it,
            "first_offset": 7,
            "owner": "anna",
            "changes": ["Change a.", "Change b."],
        }
    )


def test_steps_are_numbered_anew_with_their_shared_words() -> None:
    first, *others = plain(filled(it_hangs=True)).split("\n")
    assert first.startswith("1. Do not restart. Take a full dump: `kcat -C -b BROKER:9092 -t moves ")
    assert others == ["2. Abort it: `abort --topic moves --start-offset 7`", "3. Change a.", "4. Change b."]


def test_otherwise_stands_for_all_conditions_before_it() -> None:
    assert "Wait until offset 7 is free." in plain(filled())
    assert "Wait" not in filled(nobody_knows_it=True)
    assert "Wait" not in filled(it_hangs=True)


@pytest.mark.parametrize(
    ("first", "second", "steps"), [(True, True, "AC"), (True, False, "AD"), (False, False, "BD")]
)
def test_a_condition_after_otherwise_begins_anew(first: bool, second: bool, steps: str) -> None:
    section = "1. *If first:* A\n2. *Otherwise:* B\n3. *If second:* C\n4. *Otherwise:* D\n"
    remedy = plain(remedies(section, {})[""].filled({"first": first, "second": second}))
    assert "".join(line[-1] for line in remedy.split("\n")) == steps


def test_values_say_what_they_are() -> None:
    kinds = {piece.kind: piece.text for piece in pieces(filled(nobody_knows_it=True, it_hangs=True))}
    assert (kinds["topic"], kinds["offset"], kinds["name"]) == ("moves", "7", "anna")


def test_a_topic_that_kafka_does_not_allow_gets_into_no_command() -> None:
    assert "--topic TOPIC " in filled("x; rm -rf ~", it_hangs=True)


def test_a_paragraph_is_no_step() -> None:
    assert (
        plain(remedies(SECTION, SHARED)["Dump"].filled({"topic": "moves"}))
        == "No action is needed for moves."
    )


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="topic"):
        remedies(SECTION, SHARED)["Dump"].filled({})


def test_names_are_those_of_values_and_conditions() -> None:
    assert remedies(SECTION, SHARED)["Log"].names == {
        "topic", "it_hangs", "nobody_knows_it", "first_offset", "owner", "changes",
    }  # fmt: skip


def test_readers_of_the_page_see_words_in_place_of_values() -> None:
    text = " ".join(as_read(with_shared(SECTION, SHARED)).split())
    assert "Take a full dump: `kcat -C -b BROKER:9092 -t TOPIC " in text
    assert "`abort --topic TOPIC --start-offset FIRST_OFFSET`" in text
    assert "*If nobody knows it:* Ask *\\<owner\\>*." in text


def test_a_value_that_is_a_sentence_is_one_on_the_page_too() -> None:
    section = "1. {append these records}\n2. *If it hangs:* {abort it}\n3. Stop. {steps:then start again}\n4. Ask {owner}."
    assert as_read(section).split("\n") == [
        "1. Append these records.", "2. *If it hangs:* Abort it.", "3. Stop. Then start again.", "4. Ask *\\<owner\\>*.",
    ]  # fmt: skip


def test_braces_of_other_languages_are_left_alone() -> None:
    text = '1. Use `${file:...}` and {"keytype":"NOOP"}.'
    assert plain(remedies(text, {})[""].filled({})) == text


def test_a_path_is_words_to_fill_in() -> None:
    path = "/groups/GROUP/artifacts/ARTIFACT/versions/VERSION"
    assert as_read("Get it: `GET /{path of the content}`") == f"Get it: `GET {path}`"
