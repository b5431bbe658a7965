"""A dialect's replay, with its rows as tables."""

from __future__ import annotations

from collections import defaultdict

import pyarrow as pa

from spark.dialects import Dialect
from spark.dialects._history import History, ReplayRun
from spark.tables import TABLES


def replayed(dialect: Dialect, entries: pa.Table, profile: str = "") -> tuple[pa.Table, pa.Table]:
    """STATE and REFUSALS rows of one partition's entries."""
    written: dict[str, list[pa.Table]] = defaultdict(list)
    where = (
        [entries.column(name)[0].as_py() for name in ("topic", "partition", "replica")]
        if entries.num_rows
        else []
    )
    run = ReplayRun(tuple(where) or ("", 0, ""), profile)  # type: ignore[arg-type]
    history = History(run, lambda table, rows: written[table].append(rows))
    assert dialect.replay is not None
    dialect.replay([entries], history)
    history.finish()
    return tables(written["state"], "state"), tables(written["refusals"], "refusals")


def tables(portions: list[pa.Table], name: str) -> pa.Table:
    """Portions as one table."""
    return pa.concat_tables([TABLES[name].schema.empty_table(), *portions])
