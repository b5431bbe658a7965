"""The mapping of columns as users write it."""

from __future__ import annotations

import pytest

from spark.terms.column_mapping import ColumnName, NotAMapping, is_mapping, parsed_columns, written_columns

MAPPINGS = [
    {"key": ColumnName("KEY"), "value": ColumnName("pay load")},
    {"value": ColumnName("a, b"), "offset": ColumnName('say "hi"')},
    {"value": ColumnName("", 3), "key": ColumnName("#3")},
    {"key": ColumnName("message.key"), "timestamp": ColumnName(" padded ")},
    {"value": ColumnName("a=b")},
]


@pytest.mark.parametrize("columns", MAPPINGS, ids=str)
def test_what_is_written_is_read_back(columns: dict[str, ColumnName]) -> None:
    assert parsed_columns(written_columns(columns)) == columns


def test_spaces_around_names_and_capitals_of_parts_do_not_matter() -> None:
    assert parsed_columns(" Key = KEY , value=#2 ") == {"key": ColumnName("KEY"), "value": ColumnName("", 2)}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kee=KEY,value=v", "“kee” is not a part of a record. The parts are topic, partition"),
        ("key=a,key=b", "“key” is named twice"),
        ("offset=off", "A record needs a key or a value"),
        ("key=", "“key” has no column"),
        ("key=a,", None),
        ("key=a,nonsense", "“nonsense” does not name a column"),
        ('key="a', '“key="a” does not name a column'),
    ],
)
def test_an_error_says_what_to_write(text: str, sentence: str | None) -> None:
    if sentence is None:
        assert parsed_columns(text) == {"key": ColumnName("a")}
        return
    with pytest.raises(NotAMapping) as problem:
        parsed_columns(text)
    assert str(problem.value).startswith(sentence)


@pytest.mark.parametrize(("text", "is_one"), [("key=a", True), ("key=%k %s", False), ("%t %p", False)])
def test_a_format_of_kcat_is_not_a_mapping(text: str, is_one: bool) -> None:
    assert is_mapping(text) == is_one
