"""A format of kcat as a user gives it: the page and the layout agree about what is one."""

from __future__ import annotations

import pytest

from spark.sources.kcat_format import parsed
from webapp.journals.text_formats import MAX_CHARACTERS, choices, cleaned, complaint, of_choices


@pytest.mark.parametrize(
    "text",
    [
        r"%t %p %o %k %s\n",
        r"Key (%K bytes): %k\nValue: %s\n",
        "%s",
        "%k",
        "a%%s",
        "%t",
        "",
        "%s%s",
        "%o %o %k",
        "%x %s",
        "plain",
        r"\x41%k",
    ],
)
def test_the_page_takes_what_the_layout_takes(text: str) -> None:
    assert (complaint(text) == "") == (parsed(text) is not None)


def test_a_complaint_says_what_to_enter() -> None:
    assert "with %s or %k, each field once" in complaint("%t")
    assert complaint("%s" + "x" * MAX_CHARACTERS)


@pytest.mark.parametrize("typed", [r"'%k %s\n'", r'"%k %s\n"', r" %k %s\n "])
def test_the_quotes_of_a_shell_are_none_of_the_format(typed: str) -> None:
    assert cleaned(typed) == r"%k %s\n"


def test_the_page_takes_columns_and_says_what_is_wrong_with_them() -> None:
    assert complaint("key=KEY,value=#2") == ""
    assert complaint("kee=KEY").startswith("“kee” is not a part of a record")
    assert "by number" in complaint("key=" + "x" * MAX_CHARACTERS)


def test_the_selects_of_the_form_are_a_mapping() -> None:
    posted = {"value": '"a, b"', "key": "#1", "offset": "", "csrf": "x"}
    assert of_choices(posted) == 'key=#1,value="a, b"'
    question = {"guess": {"key": "KEY"}}
    assert [choice for choice in choices(question) if choice.chosen] == [("key", "KEY")]
