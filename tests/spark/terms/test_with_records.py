"""Texts about a print without offsets."""

from __future__ import annotations

import pytest

from spark.terms import marked
from spark.terms.marked import plain
from spark.terms.typed_wording import at_offsets, offset_range, with_records
from spark.terms.wording import at_record, at_records


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"lost at {at_offsets([4])}, and", "lost at record 5 of the print, and"),
        (f"{at_offsets([0, 7])} of a-0", "records 1 and 8 of the print of a-0"),
        (at_offsets(range(12)), "records 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more of the print"),
        (offset_range(3, 9), "records 4-10 of the print"),
        (f"at offset {marked.offset(3)} and at {marked.offset(5)}", "at record 4 of the print and at 6"),
        (f"Run `tool --offset {marked.offset(3)}` now", "Run `tool --offset 3` now"),
        (f"committed offset {marked.number(3)}", "committed offset 3"),
        (f"at {at_offsets([4], replica='b')}", "at offset 4"),
    ],
)
def test_own_offsets_become_numbers_of_records(text: str, said: str) -> None:
    assert plain(with_records(text)) == said


def test_words_without_marks() -> None:
    assert (at_record(4, False), at_record(4, True)) == ("offset 4", "record 5 of the print")
    assert at_records([4, 6], False) == "offsets 4 and 6"
    assert at_records([4], True) == "record 5 of the print"
    assert at_records([4, 6], True) == "records 5 and 7 of the print"
