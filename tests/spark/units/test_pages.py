"""Pages of units: facts, references, and that they are where executors of a cluster look for them."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

from spark.units import declared, names
from spark.units.pages import parsed

ROOT = Path(__file__).resolve().parents[3]
PAGE = """---
id: lost-tail
severities:
  high: for journals
  info: for other topics
found_in: dumps
references:
- "[KIP-1: a title (of a kind)](https://example.org/kip_(1))"
- "Kafka: a class"
---
# Lost tail

## What to do
Nothing.
"""


def test_references_are_addresses_without_their_titles() -> None:
    assert parsed(PAGE).references == ["https://example.org/kip_(1)", "Kafka: a class"]


def test_facts_are_shown_below_the_title() -> None:
    title, _, line, *_ = parsed(PAGE).markdown.split("\n")
    assert (title, line) == (
        "# Lost tail",
        "`lost-tail` · **high** for journals, **info** for other topics · dumps",
    )


def test_a_page_without_facts_is_shown_as_it_is() -> None:
    assert parsed("# Lost tail\n\n---\n").markdown == "# Lost tail\n\n---\n"


def test_executors_have_the_pages_beside_the_readers(tmp_path: Path) -> None:
    for name in ("spark/__init__.py", "spark/units", "spark/terms", *packed_pages()):
        source, target = ROOT / name, tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    code = "from spark.units.pages import remedy; print(remedy('null-key', topic='t', offsets_without_a_key='7'))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "Save the records at 7." in done.stdout


def packed_pages() -> tuple[str, ...]:
    """What scripts/cluster_env.py puts into the archive beside the package."""
    return tuple(runpy.run_path(str(ROOT / "scripts/cluster_env.py"))["PAGES"])


def test_units_are_found_by_their_declaration() -> None:
    assert "crc_mismatch" in names("spark.detectors.bytes")
    assert not any(name.startswith("_") for name in names("spark.detectors.bytes"))
    assert "crc-mismatch" in declared("spark.detectors.bytes", "detector")
    assert declared("spark.detectors.bytes", "source") == {}
