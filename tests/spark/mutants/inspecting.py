"""Many mutants in one inspection, by the pipeline's own code in this process; the one at fault is found by halves."""

from __future__ import annotations

import io
import shutil
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path

from spark.terms.errors import UnreadableInput
from tests.spark.log_folders import inputs
from tests.spark.whole_pipeline import report_on

Files = Mapping[str, bytes]
WIDTH = 60  # mutants in one inspection


@dataclass(frozen=True)
class Fell:
    """A mutant that broke an inspection or a detector, and how."""

    files: Files
    why: str

    @property
    def where(self) -> str:
        """The last lines of what it raised."""
        return "\n".join(self.why.strip().splitlines()[-6:])


def fallen(mutants: Sequence[Files]) -> list[Fell]:
    """Those that break what they are in; what is no journal may be refused."""
    return [
        fell for start in range(0, len(mutants), WIDTH) for fell in search(mutants[start : start + WIDTH])
    ]


def search(mutants: Sequence[Files]) -> list[Fell]:
    """The same of few, which are inspected together first."""
    why = broken({name: content for one in mutants for name, content in one.items()})
    if not why:
        return []
    if len(mutants) == 1:
        return [Fell(mutants[0], why)]
    half = len(mutants) // 2
    return search(mutants[:half]) + search(mutants[half:]) or [Fell(merged(mutants), why)]


def merged(mutants: Sequence[Files]) -> Files:
    """All of them in one folder."""
    return {name: content for one in mutants for name, content in one.items()}


def broken(files: Files) -> str:
    """What an inspection of these files raised, or ``."""
    folder, printed = Path(tempfile.mkdtemp(prefix="mutants-")), io.StringIO()
    try:
        for name, content in files.items():
            path = folder / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        with redirect_stderr(printed):
            report_on(inputs(folder / "in"), folder / "out")
    except UnreadableInput:
        return ""
    except Exception:
        return printed.getvalue() or traceback.format_exc()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""
