"""Damage of an input in a clause."""

from __future__ import annotations

import pytest

from spark.terms.damage import damage


@pytest.mark.parametrize(
    ("batches", "unreadable", "said"),
    [
        (0, 0, "no damage"),
        (1, 0, "1 batch fails its checksum"),
        (2, 40, "2 batches fail their checksums, 40 bytes are unreadable"),
        (0, 1, "1 byte is unreadable"),
    ],
)
def test_batches_that_fail_their_checksum_count_as_damage(batches: int, unreadable: int, said: str) -> None:
    assert damage({"corrupt_batches": batches, "unreadable_bytes": unreadable}) == said


def test_an_older_report_knows_unreadable_bytes_only() -> None:
    assert damage({"unreadable_bytes": 9}) == "9 bytes are unreadable"
