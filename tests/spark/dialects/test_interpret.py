"""Whether records can be read as entries is decided by the first records that settle it."""

from __future__ import annotations

import pytest

from spark.dialects._interpret import Read, are_read, data_records
from tests.builders import records_table


class Reader:
    """Reads keys `good`; remembers how many records it was given."""

    def __init__(self) -> None:
        self.records = 0

    def __call__(self, key: bytes | None, value: bytes | None) -> Read:
        self.records += 1
        return None, None, None, "{}", None if key == b"good" else "unreadable", "raw"


@pytest.mark.parametrize(
    ("keys", "share", "is_read", "asked_of"),
    [
        ("gggg", 1.0, True, 4),
        ("bggg", 1.0, False, 1),
        ("gggb", 1.0, False, 4),
        ("bggg", 0.75, True, 4),
        ("bbgg", 0.75, False, 2),
        ("", 1.0, True, 0),
    ],
)
def test_the_record_that_decides_is_the_last_that_is_read(
    keys: str, share: float, is_read: bool, asked_of: int
) -> None:
    names = {"g": b"good", "b": b"bad"}
    reader = Reader()
    records = records_table(*({"key": names[key]} for key in keys))
    assert are_read(records, reader, share) is is_read
    assert reader.records == asked_of


def test_a_key_that_the_dump_does_not_show_counts_as_read() -> None:
    hidden = records_table({"key": None, "key_is_null": False})
    assert are_read(hidden, Reader())


def test_control_records_are_left_out_and_a_table_without_any_stays_as_it_is() -> None:
    plain = records_table({}, {})
    assert data_records(plain) is plain
    assert data_records(records_table({}, {"control_type": "commit"})).num_rows == 1
