"""The input files, and the stretches of them that could not be read."""

from __future__ import annotations

from webapp.reports.results import Results, Rows

FILES_SHOWN = 2000
DAMAGE_SHOWN = 1000
FILES = f"""
SELECT f.*, coalesce(d.stretches, 0) AS stretches, coalesce(d.unreadable_bytes, 0)::BIGINT AS unreadable_bytes
FROM {{files}} AS f
LEFT JOIN (SELECT file, count(*) AS stretches, sum(size_bytes) AS unreadable_bytes FROM {{damage}} GROUP BY file) AS d
USING (file) ORDER BY d.unreadable_bytes DESC NULLS LAST, f.name LIMIT {FILES_SHOWN}
"""
DAMAGE = f"""
SELECT d.*, f.name, f.size_bytes AS file_bytes FROM {{damage}} AS d LEFT JOIN {{files}} AS f USING (file)
ORDER BY d.file, d.position LIMIT {DAMAGE_SHOWN}
"""


def list_files(results: Results) -> Rows:
    """Every input file with its damage, the most damaged first."""
    return results.rows(FILES)


def list_damage(results: Results) -> Rows:
    """Unreadable stretches in file order."""
    return results.rows(DAMAGE)
