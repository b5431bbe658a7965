"""What Spark is handed: a schema at load, a reader that is pickled, filters only where they are safe."""

from __future__ import annotations

import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import datasource
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

from spark.datasource import journal
from spark.datasource.journal import FilteringReader, JournalReader, KafkaJournal, pushes_filters, register
from spark.datasource.selection import ReadSelection
from spark.tables import TABLES
from spark.terms.errors import UnreadableInput
from tests.spark.datasource.journals import orders, request

HAS_FILTERS = pytest.mark.skipif(not journal.CAN_PUSH_FILTERS, reason="Spark has filters from 4.1")
OFFSETS = StructType().add("offset", LongType())


def source(folder: Path, **options: str) -> KafkaJournal:
    return KafkaJournal({"path": str(folder), **options})


def test_the_schema_is_that_of_the_chosen_columns(tmp_path: Path) -> None:
    assert source(tmp_path, table="damage").schema() == TABLES["damage"].ddl(TABLES["damage"].schema.names)
    assert source(tmp_path, columns="topic,offset").schema() == (
        "`topic` string COMMENT 'topic name; `?` where the file format does not say', `offset` bigint"
    )


class Refusing:
    """A session, and its registry of formats, that refuses one that it has found."""

    def __init__(self, condition: str) -> None:
        self.condition, self.settings = condition, dict[str, str]()
        self.dataSource = self.conf = self

    def register(self, _: object) -> None:
        refused = PySparkException("refused")
        refused.getCondition = lambda: self.condition  # type: ignore[method-assign]
        raise refused

    def set(self, name: str, value: str) -> None:
        self.settings[name] = value


def test_a_format_that_spark_has_found_is_not_registered_again() -> None:
    found = Refusing("DATA_SOURCE_ALREADY_EXISTS")
    register(found)
    assert found.settings == ({journal.PUSHDOWN: "true"} if journal.CAN_PUSH_FILTERS else {})
    with pytest.raises(PySparkException, match="refused"):
        register(Refusing("ANOTHER"))


def test_a_wrong_path_is_said_at_load_and_not_later(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="nowhere does not exist"):
        source(tmp_path / "nowhere").schema()


def test_a_reader_goes_to_the_executors_and_reads_there(tmp_path: Path) -> None:
    reader = pickle.loads(pickle.dumps(source(orders(tmp_path)).reader(OFFSETS)))
    [partition] = pickle.loads(pickle.dumps(reader.partitions()))
    batches = list(reader.read(partition))
    assert sum(batch.num_rows for batch in batches) == 120
    assert batches[0].schema == pa.schema([("offset", pa.int64())])


def test_the_partition_that_spark_makes_of_none_has_no_rows(tmp_path: Path) -> None:
    reader = source(orders(tmp_path), topic="nothing").reader(OFFSETS)
    assert reader.partitions() == []
    assert list(reader.read(InputPartition(None))) == []


def test_a_schema_of_the_user_may_have_fewer_columns_and_no_others(tmp_path: Path) -> None:
    reader = source(tmp_path).reader(
        StructType().add("offset", LongType(), nullable=False).add("value", BinaryType())
    )
    assert reader.expected == pa.schema(
        [pa.field("offset", pa.int64(), nullable=False), ("value", pa.binary())]
    )
    with pytest.raises(UnreadableInput, match="The table records has no column `offset string`"):
        source(tmp_path).reader(StructType().add("offset", StringType()))


@HAS_FILTERS
def test_filters_narrow_the_plan_and_the_rows(tmp_path: Path) -> None:
    reader = source(orders(tmp_path), pushdown="true").reader(OFFSETS)
    filters = [
        datasource.IsNotNull(("offset",)),
        datasource.GreaterThan(("offset",), 36),
        datasource.EqualTo(("partition",), 1),
    ]
    assert list(reader.pushFilters(filters)) == filters[:1]
    [partition] = reader.partitions()
    offsets = [offset for batch in reader.read(partition) for offset in batch.column("offset").to_pylist()]
    assert offsets == [37, 38, 39]


@HAS_FILTERS
def test_filters_start_from_the_options_each_time(tmp_path: Path) -> None:
    reader = source(tmp_path, topic="orders", pushdown="true").reader(OFFSETS)
    for number in (1, 2):
        reader.pushFilters([datasource.EqualTo(("partition",), number)])
        assert reader.selection == ReadSelection(frozenset({"orders"}), frozenset({number}))


@HAS_FILTERS
@pytest.mark.parametrize(("option", "takes"), [(None, False), ("true", True), ("false", False)])
def test_filters_are_taken_where_the_user_asks(option: str | None, takes: bool) -> None:
    options = {"pushdown": option} if option else {}
    reader = source(Path("/"), **options).reader(OFFSETS)
    assert isinstance(reader, JournalReader)
    assert isinstance(reader, FilteringReader) is takes
    # Spark refuses a reader with this method where filters are off, as they are unless a session says otherwise.
    overrides = type(reader).pushFilters is not DataSourceReader.pushFilters
    assert overrides is takes


def test_spark_without_filters_says_which_options_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "CAN_PUSH_FILTERS", False)
    assert not pushes_filters(request(Path("/"), "records"))
    with pytest.raises(
        UnreadableInput, match="set the options topic, partition, first_offset and last_offset"
    ):
        pushes_filters(request(Path("/"), "records", pushdown="true"))


def test_a_stream_reads_on_the_executors_what_was_planned(tmp_path: Path) -> None:
    stream = source(orders(tmp_path), topic="orders").streamReader(OFFSETS)
    start, end = stream.initialOffset(), stream.latestOffset()
    assert end == {f"{tmp_path.name}/orders-0": 40, f"{tmp_path.name}/orders-1": 40}
    stream, partitions = pickle.loads(pickle.dumps((stream, list(stream.partitions(start, end)))))
    batches = [batch for partition in partitions for batch in stream.read(partition)]
    assert sum(batch.num_rows for batch in batches) == 80
    assert batches[0].schema == pa.schema([("offset", pa.int64())])
    assert stream.partitions(end, end) == []


def test_what_cannot_be_streamed_is_said_when_the_query_starts(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="The table damage cannot be streamed"):
        source(tmp_path, table="damage").streamReader(StructType())
