"""A print, or a broker's own log, as Journalscope reads it, without Spark: recognised, unwrapped, split, read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark.sources import InputFile
from spark.sources._wrapping.written import read_split
from spark.stages.plan import plan_inputs
from spark.terms.errors import UnreadableInput

Row = dict[str, Any]


@dataclass
class Reading:
    """Layouts by file, rows by table, what was said; `failed`: why nothing could be read."""

    layouts: list[str] = field(default_factory=list)
    tables: dict[str, list[Row]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    dialects: list[str] = field(default_factory=list)
    set_aside: list[Row] = field(default_factory=list)
    failed: str = ""

    def rows(self, name: str) -> list[Row]:
        """Of a table."""
        return self.tables.get(name, [])

    @property
    def data(self) -> list[Row]:
        """Records that are no control records."""
        return [row for row in self.rows("records") if row["control_type"] is None]


def read(paths: Iterable[Path], scratch: Path, root: Path) -> Reading:
    """All rows of these files, which are named as they lie below `root`."""
    inputs = [InputFile(str(path.relative_to(root)), str(path), path.stat().st_size) for path in paths]
    try:
        planned = plan_inputs(inputs, {}, scratch=scratch)
    except UnreadableInput as why:
        return Reading(failed=str(why))
    found = Reading([str(row["layout"]) for row in planned.files], set_aside=planned.set_aside)
    found.dialects = sorted({dialect for dialect, _ in planned.dialects.values()})
    for split in planned.splits:
        for chunk in read_split(split):
            tables = {"records": chunk.records, "batches": chunk.batches, "damage": chunk.damage}
            for name, table in {**tables, **chunk.others}.items():
                found.tables.setdefault(name, []).extend(table.to_pylist() if table is not None else [])
            found.notes += [chunk.note] if chunk.note else []
    return found


def read_text(text: str, folder: Path, name: str) -> Reading:
    """The same of a text that somebody pasted."""
    path = folder / f"{name}.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return read([path], folder / f"{name}.scratch", folder)
