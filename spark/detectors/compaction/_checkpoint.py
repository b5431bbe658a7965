"""Why the input does not tell how far the log cleaner came."""

from __future__ import annotations

from spark.tables.store import ResultTables

CHECKPOINT_FILES = """
    SELECT count(*) AS files, count_if(damage.file IS NULL) AS readable
    FROM files LEFT JOIN (SELECT DISTINCT file FROM damage) AS damage USING (file) WHERE suffix(name, 'cleaner-offset-checkpoint')
"""


def checkpoint_unknown(tables: ResultTables) -> str:
    """In a clause: there is no checkpoint, none that can be read, or none of a broker whose records are in the input."""
    [row] = tables.rows(CHECKPOINT_FILES)
    if not row["files"]:
        which = "no cleaner-offset-checkpoint in the input"
    elif not row["readable"]:
        which = "the cleaner-offset-checkpoint in the input cannot be read"
    else:
        which = "the cleaner-offset-checkpoint in the input is not of the broker that these records come from"
    return f"{which}, so the progress of the log cleaner is unknown"
