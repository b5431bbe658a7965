"""The words of `wording`, with their values marked: they read the same."""

from __future__ import annotations

import pytest

from spark.terms import typed_wording, wording
from spark.terms.marked import pieces, plain

CALLS = [
    ("grouped", (1_204_331,)),
    ("plural", (4812, "content")),
    ("plural", (1, "entry", "entries")),
    ("file_size", (812,)),
    ("file_size", (3_400_000,)),
    ("some", ([str(n) for n in range(1203)], 2)),
    ("at_offsets", ([7],)),
    ("at_offsets", (list(range(40)),)),
    ("version_name", ("pay/invoice.proto/1",)),
    ("sentence", (" a clause",)),
    ("sentence", ("is it?",)),
    ("steps", (["Stop.", "Look."],)),
    ("since_day", (None,)),
    ("since_day", (1_717_243_203_000,)),
    ("since_day", (10**18,)),
    ("moment", (None,)),
    ("moment", (1_717_243_203_000,)),
    ("moment", (10**18,)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=lambda part: str(part)[:30])
def test_both_read_the_same(name: str, arguments: tuple[object, ...]) -> None:
    assert plain(getattr(typed_wording, name)(*arguments)) == getattr(wording, name)(*arguments)


def test_a_moment_knows_its_milliseconds_and_an_offset_that_it_is_one() -> None:
    assert [piece.value for piece in pieces(typed_wording.moment(1_717_243_203_000))] == [1_717_243_203_000]
    assert [piece.kind for piece in pieces(typed_wording.at_offsets([7, 9]))] == ["", "offset", "", "offset"]


def test_a_sentence_ends_in_one_full_stop_even_where_a_value_ends_it() -> None:
    from spark.terms import marked

    assert plain(typed_wording.sentence(f"read by {marked.name('a.')}")) == "Read by a."
