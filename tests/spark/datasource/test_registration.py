"""The format in a session: registered by the import, read by SQL over several Python workers, with exact rows."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spark.datasource
from spark.datasource.journal import CAN_PUSH_FILTERS
from tests.generator.segment import Record, segment, segment_name
from tests.spark.datasource.journals import damaged, orders

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import DataFrame, SparkSession

Load = Callable[..., "DataFrame"]


@pytest.fixture(scope="module")
def session(spark: SparkContext) -> SparkSession:
    """A session as a notebook has it; the import finds it."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate()


@pytest.fixture
def load(session: SparkSession, tmp_path: Path) -> Load:
    """Loads the orders of a folder."""
    importlib.reload(spark.datasource)
    folder = orders(tmp_path / "orders")

    def loaded(path: Path = folder, **options: Any) -> DataFrame:
        return session.read.format("kafka-journal").options(**options).load(str(path))

    return loaded


def offsets(frame: DataFrame) -> list[tuple[str, int, int]]:
    return sorted(
        (row.topic, row.partition, row.offset)
        for row in frame.select("topic", "partition", "offset").collect()
    )


def test_two_queries_of_one_load_and_its_join_with_itself_are_exact(load: Load) -> None:
    records = load()
    low, high = records.where("offset < 5 AND topic = 'payments'"), records.where("offset >= 35")
    assert offsets(low) == [("payments", 0, n) for n in range(5)]
    assert len(offsets(high)) == 15
    assert records.count() == 120
    assert low.join(high, on="topic").count() == 25


@pytest.mark.skipif(not CAN_PUSH_FILTERS, reason="Spark has filters from 4.1")
def test_filters_reach_the_reader_where_the_user_asks_for_it(
    load: Load, capsys: pytest.CaptureFixture[str]
) -> None:
    condition = "topic = 'orders' AND partition = 1 AND offset BETWEEN 18 AND 21"
    for pushdown in ("true", "false"):
        chosen = load(pushdown=pushdown).where(condition)
        chosen.explain()
        assert (">= 18" in capsys.readouterr().out) is (pushdown == "false")
        assert offsets(chosen) == [("orders", 1, n) for n in range(18, 22)]


def test_options_choose_rows_and_columns(load: Load) -> None:
    chosen = load(columns="offset,value", topic="orders", partition="0", first_offset=19, last_offset=20)
    assert [tuple(row) for row in chosen.orderBy("offset").collect()] == [(19, b"value"), (20, b"value")]


def test_several_tasks_read_in_several_python_workers(load: Load, tmp_path: Path) -> None:
    (tmp_path / "large-0").mkdir()
    for part in range(3):
        several = [Record(b"key", b"v" * 1_000_000)] * 30
        content = segment(several, part * 30, records_per_batch=1)
        (tmp_path / "large-0" / segment_name(part * 30)).write_bytes(content)
    records = load(tmp_path / "large-0", columns="offset,key")
    assert records.rdd.getNumPartitions() == 3
    assert sorted(row.offset for row in records.collect()) == list(range(90))


def test_a_stream_goes_on_where_its_checkpoint_stands(session: SparkSession, tmp_path: Path) -> None:
    spark.datasource.register(session)
    folder = orders(tmp_path / "data", partitions=1)

    def copied() -> list[tuple[str, int, int]]:
        records = session.readStream.format("kafka-journal").option("columns", "topic,partition,offset")
        writing = records.load(str(folder)).writeStream.format("parquet")
        writing = writing.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writing.trigger(availableNow=True).start(str(tmp_path / "copied")).awaitTermination()
        return offsets(session.read.parquet(str(tmp_path / "copied")))

    first = copied()
    assert first == [(topic, 0, n) for topic in ("orders", "payments") for n in range(40)]
    assert copied() == first
    added = segment([Record(b"key", b"value")] * 5, 40)
    (folder / "orders-0" / segment_name(40)).write_bytes(added)
    assert copied() == sorted([*first, *(("orders", 0, n) for n in range(40, 45))])


def test_broken_bytes_are_rows_of_damage(load: Load, tmp_path: Path) -> None:
    folder = damaged(tmp_path)
    reasons = {row.reason for row in load(folder, table="damage").collect()}
    assert {"zeros", "truncated"} <= reasons
    assert load(folder).count() > 0


def test_headers_and_all_columns_come_as_arrow(load: Load, tmp_path: Path) -> None:
    (tmp_path / "heads-0").mkdir()
    record = Record(None, b"v", headers=[(b"a", None), (b"a", b"1")])
    (tmp_path / "heads-0" / segment_name(0)).write_bytes(segment([record]))
    [row] = load(tmp_path / "heads-0").collect()
    assert [(header.key, header.value) for header in row.headers] == [(b"a", None), (b"a", b"1")]
    assert (row.key, row.key_is_null, row.value) == (None, True, b"v")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"table": "recrods"}, "The table 'recrods' does not exist"),
        ({"table": "entries", "dialect": "avro"}, "There is no journal type 'avro'"),
        ({"path": "/nowhere"}, "/nowhere does not exist"),
    ],
)
def test_what_is_wrong_is_said_at_load(options: dict[str, str], sentence: str, load: Load) -> None:
    path = Path(options.pop("path")) if "path" in options else None
    with pytest.raises(Exception, match=sentence):
        load(path, **options) if path else load(**options)
