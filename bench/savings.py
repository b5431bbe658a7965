"""What each piece of code that only saves time is worth while Journalscope runs: to inspections, and to pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from bench import inputs, without
from bench.figures import Figure
from bench.inspecting import RESULTS, StageTimes
from bench.without import Environment, Saving
from spark.dialects import dialects, replay_all
from spark.dialects._history import History, ReplayRun
from spark.pipeline import IncrementalRun, Limits, inspect
from spark.runtime.in_process import in_process
from spark.runtime.session import context
from spark.stages._entries import PORTION_ROWS
from spark.stages.replay import without_collector
from spark.tables import connections
from spark.tables.replica import PartitionReplica
from tests.builders import records_table
from webapp.reports.filters.former import read_filter
from webapp.reports.memory import Memory
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import list_records
from webapp.reports.results import open_results

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import SparkContext

    from spark.sources import InputFile

LOG_MB = 300  # three segments
SMALL, BEFORE, GROWN = (RESULTS.with_name(f"results-{name}") for name in ("small", "before", "grown"))
PAGES = 30
REPLAYED_ENTRIES = 300_000


def figures() -> Iterator[Figure]:
    for folder in (SMALL, BEFORE, GROWN):
        shutil.rmtree(folder, ignore_errors=True)
    replaced = without.replaced
    yield from without.figures(
        [
            Saving(
                "small tables loaded in tasks",
                1.05,
                detectors,
                partial(replaced, "spark.tables.views.is_small", lambda files: False),
            ),
            Saving(
                "one DuckDB for the tasks of a thread",
                1.05,
                in_this_process,
                partial(replaced, "spark.tables.connections._thread_instance", connections._instance),
            ),
            Saving(
                "tables kept open for pages",
                1.05,
                new_pages,
                partial(replaced, "spark.tables.pool.MAX_IDLE", 0),
            ),
            Saving("rows that pages remember", 1.5, same_pages, without_memory),
            Saving("what was inspected of a log before it grew", 1.3, grown_log, without_earlier),
            *(
                Saving(
                    f"plain histories replayed in SQL, {writer}",
                    bound,
                    partial(replay, writer, dialect),
                    partial(replaced, f"{package}.replay.has_many", lambda entries: False),
                )
                for writer, dialect, package, bound in (
                    ("apicurio", "apicurio-v2", "spark.dialects.apicurio_v2", 1.2),
                    ("confluent", "schema-registry", "spark.dialects.schema_registry", 2.0),
                )
            ),
        ]
    )


def in_this_process(_: Environment) -> float:
    """A small dump without Spark."""
    return _seconds(in_process, inputs.as_uploaded([inputs.small_dump()]), SMALL)


def detectors(_: Environment) -> float:
    """The detectors' share of it."""
    watch = StageTimes()
    _seconds(in_process, inputs.as_uploaded([inputs.small_dump()]), SMALL, watch=watch)
    return watch.seconds(time.perf_counter())["detect"]


def new_pages(_: Environment) -> float:
    """Pages of records of a small dump of which no page was seen before."""
    with patch("webapp.reports.results._memory", Memory()):
        return _pages()


def same_pages(_: Environment) -> float:
    """Pages that were requested before."""
    _pages()
    return _pages()


def grown_log(_: Environment) -> float:
    """Inspection of a log of three segments of which two were inspected before."""
    files = inputs.as_uploaded(inputs.segments(LOG_MB, "none"))
    if not BEFORE.exists():
        _seconds(context, files[:-1], BEFORE, IncrementalRun())
    return _seconds(context, files, GROWN, IncrementalRun(BEFORE))


def replay(writer: str, dialect_id: str, _: Environment) -> float:
    """Processor time of the replay of a registry's journal, by the rules of all that read it."""
    dialect = dialects()[dialect_id]
    portions = entries(writer, dialect_id)
    histories = [
        History(ReplayRun(PartitionReplica("", 0, ""), profile), lambda *_: None)
        for profile in [profile.id for profile in dialect.profiles] or [""]
    ]
    began = time.process_time()
    with without_collector():
        replay_all(dialect, portions, histories)
    return time.process_time() - began


@cache
def entries(writer: str, dialect_id: str) -> list[pa.Table]:
    """Those of a journal, in portions as the replay stage reads them."""
    interpret = dialects()[dialect_id].interpret
    assert interpret is not None
    records = enumerate(inputs.JOURNALS[writer][1](REPLAYED_ENTRIES))
    rows = ({"offset": offset, "key": key, "value": value} for offset, (key, value) in records)
    return [
        interpret(records_table(*portion)) for portion in iter(lambda: list(islice(rows, PORTION_ROWS)), [])
    ]


without_memory = partial(
    without.replaced, "webapp.reports.memory.Memory.answer", lambda memory, question, make, *rest: make()
)
without_earlier = partial(
    without.replaced,
    "spark.incremental.take_over",
    lambda inspection, earlier: inspection,
)


def _seconds(
    spark: Callable[[], SparkContext],
    files: list[InputFile],
    results: Path,
    growing: IncrementalRun | None = None,
    watch: StageTimes | None = None,
) -> float:
    shutil.rmtree(results, ignore_errors=True)
    began = time.perf_counter()
    inspect(spark, files, results, watch or StageTimes(), Limits(), growing)
    return time.perf_counter() - began


def _pages() -> float:
    """Processor time of some pages."""
    began = time.process_time()
    for first in range(PAGES):
        with open_results(SMALL) as results:
            partitions = survey(results)
            replica = partitions.replicas[0]
            list_records(results.of(replica), read_filter({"first": str(first)}), partitions.facts[replica])
    return time.process_time() - began
