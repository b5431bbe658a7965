"""Kafka journals as a Spark data source: `spark.read.format("kafka-journal").option("table", "records").load(path)`.

    from spark.datasource import register     registers the format with the active session
    register(session)                         with a session that started later; an installed copy is found by Spark

    journal.py     the format in a session; table, schema, reader
    options.py     what the user chose                           selection.py     topics, partitions, offsets that are read
    paths.py       paths and globs -> files                      filters.py       Spark's WHERE -> a selection
    planning.py    files -> Spark partitions of splits           rows.py          a Spark partition -> Arrow batches
    tables.py      which tables there are                        inspected.py     tables of a whole journal
    stream.py      growing logs -> ranges of offsets

A thin adapter: layouts are read by `spark.sources`, splits cut by the plan stage, rows made by the decode stage. The
import must not be `import spark.datasource`, which would hide a notebook's session named `spark`. Page: docs/spark.md
"""

from spark.datasource.journal import register, register_with_active_session

__all__ = ["register"]

register_with_active_session()
