"""What Spark creates for `format("kafka-journal")`: a data source per load, a reader per query.

Both are pickled: the options on the way to a query's planning, the request on the way to each task.

Installed, the format needs no registration: Spark asks the driver's Python for modules `pyspark_*` with a class `DefaultSource`
the first time that a session looks for a format, and takes the name that the class gives. What is found so cannot be
registered again. Source: PySpark `sql/worker/lookup_data_sources.py`, Spark `DataSourceManager.scala`.

Filters. Spark 4.1 to 4.3 keep the partitions that a reader gave for one query's WHERE with the loaded DataFrame, and read
them again for its next query and for both sides of a join with itself: rows would be missing without a word. And without the
setting `PUSHDOWN` Spark refuses readers that take filters. So filters are pushed only where the user asks for it by the
option `pushdown`. Source: Spark `PythonScanBuilder.scala`, `PythonDataSourceV2.scala` (`setReadInfo`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition

from spark.datasource.filters import narrowed
from spark.datasource.options import Request, request_of
from spark.datasource.paths import chosen_paths
from spark.datasource.tables import LOADED
from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import Filter
    from pyspark.sql.types import StructType

    from spark.datasource.planning import Task
    from spark.datasource.selection import ReadSelection
    from spark.datasource.stream import GrowingFolder

FORMAT = "kafka-journal"
CAN_PUSH_FILTERS = hasattr(DataSourceReader, "pushFilters")
# Off unless set. On, nothing changes for readers that take no filters.
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
ALREADY_FOUND = "DATA_SOURCE_ALREADY_EXISTS"


def register(session: SparkSession) -> None:
    """Let a session read `spark.read.format("kafka-journal")`, with filters."""
    try:
        session.dataSource.register(KafkaJournal)
    except PySparkException as problem:
        if problem.getCondition() != ALREADY_FOUND:
            raise
    if CAN_PUSH_FILTERS:
        session.conf.set(PUSHDOWN, "true")


def register_with_active_session() -> None:
    """Register with the session of this thread, if there is one. Executors have none."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        register(session)


class KafkaJournal(DataSource):
    """A journal that a user loads as one table."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        """The chosen columns as Spark's DDL. Called at `load`, so what is wrong with the options is said there."""
        request = request_of(self.options)
        chosen_paths(request.paths)
        return LOADED[request.table].ddl(request.columns)

    def reader(self, schema: StructType) -> DataSourceReader:
        request = request_of(self.options)
        kind = FilteringReader if pushes_filters(request) else JournalReader
        return kind(request, arrow_schema(request.table, schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - PySpark's name
        from spark.datasource.stream import require_streamed

        request = request_of(self.options)
        require_streamed(request)
        return StreamReader(request, arrow_schema(request.table, schema))


class JournalPartition(InputPartition):
    def __init__(self, task: Task, selection: ReadSelection) -> None:
        super().__init__(None)
        self.task, self.selection = task, selection

    def rows(self, table: str, expected: pa.Schema) -> Iterator[pa.RecordBatch]:
        from spark.datasource.rows import batches_of

        return batches_of(self.task, table, self.selection, expected)


class JournalReader(DataSourceReader):
    """Plans on the driver, reads on the executors."""

    def __init__(self, request: Request, schema: pa.Schema) -> None:
        self.request, self.expected, self.selection = request, schema, request.selection

    def partitions(self) -> Sequence[InputPartition]:
        """One per bundle of splits."""
        # Here, for the readers: `load` in a process of its own needs none.
        from spark.datasource.planning import planned

        return [JournalPartition(task, self.selection) for task in planned(self.request, self.selection)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of one partition. Spark gives one of its own where a plan has none."""
        if isinstance(partition, JournalPartition):
            yield from partition.rows(self.request.table, self.expected)


class FilteringReader(JournalReader):
    """A reader that also takes what Spark's WHERE says of topic, partition and offset."""

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:  # noqa: N802 - PySpark's name
        """Those that Spark must still apply."""
        self.selection, remaining = narrowed(self.request.selection, self.request.table, filters)
        return remaining


class StreamReader(DataSourceStreamReader):
    """Asks the logs of a folder how far they go, and reads what was appended."""

    def __init__(self, request: Request, schema: pa.Schema) -> None:
        self.request, self.expected = request, schema

    @cached_property
    def folder(self) -> GrowingFolder:
        from spark.datasource.stream import GrowingFolder

        return GrowingFolder(self.request)

    def initialOffset(self) -> dict[str, int]:  # noqa: N802 - PySpark's name
        return self.folder.starts()

    def latestOffset(self) -> dict[str, int]:  # noqa: N802 - PySpark's name; without a limit, as Spark 4.0 calls it
        return self.folder.ends()

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return [JournalPartition(*task) for task in self.folder.tasks(start, end)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, JournalPartition)
        yield from partition.rows(self.request.table, self.expected)


def pushes_filters(request: Request) -> bool:
    """Whether the reader takes Spark's filters. Raises UnreadableInput where the user asks for what Spark has not."""
    if request.pushdown and not CAN_PUSH_FILTERS:
        raise UnreadableInput(
            "This version of Spark does not push filters to Python data sources; 4.1 does. Leave out the option "
            "pushdown, and set the options topic, partition, first_offset and last_offset."
        )
    return request.pushdown


def arrow_schema(table: str, schema: StructType) -> pa.Schema:
    """The columns that Spark expects, as Arrow's; a user may have given fewer by `.schema(...)`, not others."""
    types = {column.name: column.type for column in LOADED[table].columns}
    for field in schema.fields:
        if types.get(field.name) != field.dataType.simpleString():
            raise UnreadableInput(
                f"The table {table} has no column `{field.name} {field.dataType.simpleString()}`. Columns: "
                f"{listed([f'{name} {type}' for name, type in types.items()])}."
            )
    columns = LOADED[table].schema
    return pa.schema([columns.field(field.name).with_nullable(field.nullable) for field in schema.fields])
