"""The writer gives back what the reader took."""

from __future__ import annotations

from typing import Any

import pytest

from spark.codecs.kafka_message import messages, read
from spark.codecs.kafka_message.write import Unwritable, write

TABLE = messages("""
Every 0-1 flexible 1+
    truth bool
    small int8
    port uint16
    count int32
    long int64
    ratio float64
    id uuid
    text string
    maybe string?
    data bytes
    numbers []int32
    none []int32?
    names []string
    inner {}?
        name string
    list []{}
        name string
        late int16 1+
    tagged int32 1+ tag 3
    other string? 1+ tag 0
""")["Every"]
MEMBERS: dict[str, Any] = {
    "truth": True, "small": -3, "port": 65535, "count": -1, "long": 1 << 40, "ratio": 0.5,
    "id": "ywkgJzfISRGP0UN2q1Y88A", "text": "é", "maybe": None, "data": "AQI=", "numbers": [1, -2], "none": None,
    "names": ["a", ""], "inner": {"name": "n"}, "list": [{"name": "x"}],
}  # fmt: skip


@pytest.mark.parametrize("inner", [None, {"name": "n"}])
def test_a_message_is_read_as_it_was_written(inner: dict[str, Any] | None) -> None:
    members = {**MEMBERS, "inner": inner}
    assert read(TABLE, 0, write(TABLE, 0, members), 0, "value") == members
    late = {**members, "list": [{"name": "x", "late": 5}], "tagged": 8, "other": "o" * 200}
    assert read(TABLE, 1, write(TABLE, 1, late), 0, "value") == late


def test_a_tagged_field_that_is_not_there_is_not_written() -> None:
    late = {**MEMBERS, "list": []}
    assert read(TABLE, 1, write(TABLE, 1, late), 0, "value") == late


@pytest.mark.parametrize(
    "wrong",
    [{"small": 300}, {"count": "x"}, {"id": "short"}, {"data": "?"}, {"unknown": 1}, {"list": [{"odd": 1}]}, {"text": 5}, {"inner": 3}],
)  # fmt: skip
def test_members_of_another_form_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(Unwritable):
        write(TABLE, 0, {**MEMBERS, **wrong})


def test_a_version_that_the_message_has_not_is_refused() -> None:
    with pytest.raises(Unwritable):
        write(TABLE, 2, MEMBERS)
