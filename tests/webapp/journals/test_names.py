"""Names of uploaded files: what is kept of them, and what is refused with a reason."""

from __future__ import annotations

import pytest

from webapp.journals.names import clean, name_by_topics
from webapp.rejected import Rejected


@pytest.mark.parametrize(
    "name",
    ["s3://bucket/key", "S3A://bucket/key", "file:///etc/passwd", "file:/etc/passwd", "file:passwd", "https://example.org/dump.log",
     "jar:file:///a.jar!/b", "abfss://container@account/key", "svn+ssh://host/x"],
)  # fmt: skip
def test_a_name_that_is_an_address_is_refused_and_nothing_is_fetched(name: str) -> None:
    with pytest.raises(Rejected, match=r"is an address\. Nothing is fetched from there\."):
        clean(name)


@pytest.mark.parametrize(
    ("name", "kept"),
    [("dump:1.log", "dump:1.log"), ("backup:/a.log", "backup:/a.log"), ("2024-01-01T10:00:00//a.log", "2024-01-01T10:00:00/a.log"),
     ("s3%3A//bucket/key", "s3%3A/bucket/key"), ("./a//b.log", "a/b.log"), ("profile:x", "profile:x")],
)  # fmt: skip
def test_a_name_with_a_colon_that_is_no_address_is_kept(name: str, kept: str) -> None:
    assert clean(name) == kept


@pytest.mark.parametrize(
    ("journals", "name"),
    [
        ([("orders", [0])], "orders-0"),
        ([("orders", [0, 1, 2])], "orders, 3 partitions"),
        ([("a", [0]), ("b", [4])], "a-0 and b-4"),
        ([("a", [0]), ("b", [0]), ("c", [0]), ("d", [0])], "a-0, b-0 and 2 more topics"),
        ([("__transaction_state", [0]), ("moves", [0, 1])], "moves, 2 partitions and __transaction_state-0"),
        ([("orders", [None])], "orders"),
        ([("?", [0])], ""),
        ([], ""),
    ],
    ids=str,
)
def test_an_inspected_journal_is_named_by_topic_and_partition(
    journals: list[tuple[str, list[int]]], name: str
) -> None:
    assert (
        name_by_topics([{"topic": topic, "partitions": partitions} for topic, partitions in journals]) == name
    )
