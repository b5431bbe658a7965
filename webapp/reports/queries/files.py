"""The input files."""

from __future__ import annotations

from webapp.reports.queries.damage import DAMAGED
from webapp.reports.results import Results, Rows, remembered

FILES_SHOWN = 2000
FILES = f"""
SELECT f.*, coalesce(d.ranges, 0) AS damaged_ranges, coalesce(d.damaged_bytes, 0)::BIGINT AS damaged_bytes
FROM files AS f
LEFT JOIN (SELECT file, count(*) AS ranges, sum(size_bytes) AS damaged_bytes FROM ({DAMAGED}) GROUP BY file) AS d
USING (file) ORDER BY d.damaged_bytes DESC NULLS LAST, f.name LIMIT {FILES_SHOWN}
"""

SET_ASIDE_SHOWN = 1000
SET_ASIDE = f"""
SELECT * FROM set_aside ORDER BY file, line, position LIMIT {SET_ASIDE_SHOWN}
"""

SET_ASIDE_OF = """
SELECT * FROM set_aside WHERE name = $name AND line <= $last ORDER BY line, position DESC
"""
SET_ASIDE_NAMES = "SELECT DISTINCT name FROM set_aside"
POSITIONS = """
SELECT DISTINCT batch_position FROM records WHERE list_contains($files, file) AND batch_position < $end
"""

# tables of companion files whose rows tell their file
COMPANIONS = (
    "index_entries",
    "aborted_txns",
    "epoch_entries",
    "producer_states",
    "checkpoints",
    "properties",
    "captures",
    "printed",
)
ENTRIES = " UNION ALL ".join(
    f"SELECT file, count(*) AS entries FROM {name} GROUP BY file" for name in COMPANIONS
)


def list_files(results: Results) -> Rows:
    """Every input file with its damage, the most damaged first."""
    return results.rows(FILES)


def list_set_aside(results: Results) -> Rows:
    """Lines of pasted texts that are no output of the tool, in order."""
    return results.rows(SET_ASIDE)


def set_aside_of(results: Results, name: str, last_line: int) -> Rows:
    """Those of one text, up to a line."""
    return results.rows(SET_ASIDE_OF, {"name": name, "last": last_line})


def set_aside_names(results: Results) -> set[str]:
    """Names of the texts that have such lines."""
    return {row["name"] for row in results.rows(SET_ASIDE_NAMES)}


def positions_of_records(results: Results, files: list[int], end: int) -> list[int]:
    """Where records of these files begin, up to a byte."""
    return [row["batch_position"] for row in results.rows(POSITIONS, {"files": files, "end": end})]


@remembered
def entries_by_file(results: Results) -> dict[int, int]:
    """Entries read from companion files; a file without any has no number."""
    return {row["file"]: row["entries"] for row in results.rows(ENTRIES)}
