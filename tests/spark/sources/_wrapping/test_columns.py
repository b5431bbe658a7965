"""Tabs that became spaces are found again where labels or JSON tell; elsewhere spaces stay."""

from __future__ import annotations

import pytest

from spark.sources._wrapping.columns import of_documents, of_labels


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (b"Partition:0     Offset:17       3.0", [b"Partition:0", b"Offset:17", b"3.0"]),
        (b"CreateTime:1724251212963        Partition:0     Offset:0        h1:p,h2:q       key     a value",
         [b"CreateTime:1724251212963", b"Partition:0", b"Offset:0", b"h1:p,h2:q", b"key", b"a value"]),
        (b"Partition:0    Offset:1    k    two words", [b"Partition:0", b"Offset:1", b"k", b"two words"]),
        (b'Partition:0     Offset:2        k       {"a":  "b       c"}',
         [b"Partition:0", b"Offset:2", b"k", b'{"a":  "b       c"}']),
        (b"Partition:0 Offset:3 one two", [b"Partition:0", b"Offset:3", b"one two"]),
    ],
    ids=["stops of 8", "headers", "always 4", "JSON keeps its spaces", "single spaces"],
)  # fmt: skip
def test_columns_behind_labels(text: bytes, columns: list[bytes]) -> None:
    assert of_labels(text).split(b"\t") == columns


def test_key_and_value_of_json_are_told_apart() -> None:
    assert of_documents(b'{"magic":0}     {"id":  1}') == b'{"magic":0}\t{"id":  1}'
    assert of_documents(b'{"magic":0}    null') == b'{"magic":0}\tnull'


@pytest.mark.parametrize(
    "text", [b'{"a":"x"}   and more', b'{"a":  {"b":1}}', b"Partition:0\tOffset:1\ta  b"]
)
def test_where_it_is_not_certain_spaces_stay(text: bytes) -> None:
    assert of_documents(text) == text
    assert of_labels(text) == text
