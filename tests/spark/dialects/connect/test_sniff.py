"""Connect's topics are recognised by keys and values; other people's topics are left to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.dialects import dialects
from spark.dialects.connect import dialect
from tests.builders import entries_table, records_table
from tests.spark.log_folders import planned
from tests.spark.transaction_logs import CORPUS, NO_CORPUS

CONFIG = {"key": b"connector-a", "value": b'{"properties":{}}'}
STATUS = {"key": b"status-task-a-0", "value": b'{"state":"RUNNING"}'}
OFFSET = {"key": b'["a",{"file":"x"}]', "value": b'{"position":4}'}


@pytest.mark.parametrize("row", [CONFIG, STATUS, OFFSET], ids=["configs", "status", "offsets"])
def test_each_of_the_three_is_recognised_whatever_its_topic_is_called(row: dict[str, bytes]) -> None:
    rows = records_table(row)
    others = [other.sniff("x", rows).score for name, other in dialects().items() if name != "connect"]
    assert dialect.sniff("x", rows).score > max(others)


def test_a_name_helps_where_keys_could_be_anybodys() -> None:
    rows = records_table(OFFSET)
    assert dialect.sniff("connect-offsets", rows).score > dialect.sniff("x", rows).score


def test_tombstones_alone_prove_nothing() -> None:
    assert dialect.sniff("x", records_table({"key": b"connector-a", "value": None})).score == 0
    assert dialect.sniff("x", records_table()).score == 0


def test_a_few_keys_that_look_alike_do_not_win() -> None:
    rows = [{"key": b"order-%d" % n, "value": b"{}"} for n in range(9)]
    score = dialect.sniff("x", records_table(*rows, CONFIG)).score
    assert 0 < score < 10


def test_keys_alike_with_values_of_another_kind_are_refused() -> None:
    assert dialect.sniff("x", records_table({"key": b"task-a-0", "value": b"done"})).score == 0


def test_the_family_names_the_topic() -> None:
    assert dialect.family is not None
    entries = entries_table({"entry_type": "task-status"}, {"entry_type": "connector-status"})
    assert dialect.family(entries) == "Kafka Connect, status topic"
    assert dialect.family(entries_table({"entry_type": "x"})) is None


@pytest.mark.skipif(not CORPUS.is_dir(), reason=NO_CORPUS)
@pytest.mark.parametrize(
    "case", ["connect-391-lifecycle", "connect-391-compacted", "connect-391-killed-before-commit"]
)
def test_real_topics_are_recognised(case: str) -> None:
    folder = CORPUS / "connect-real" / case
    for part in Path(folder).glob("connect-*-0"):
        assert {name for name, _ in planned(part).dialects.values()} == {"connect"}
