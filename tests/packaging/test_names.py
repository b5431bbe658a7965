"""What the build step rewrites, and what it leaves alone."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "packaging"))

from names import PACKAGES, Names  # noqa: E402


@pytest.fixture(scope="module")
def names() -> Names:
    return Names(ROOT)


@pytest.mark.parametrize(
    ("source", "rewritten"),
    [
        ("from spark.log import gaps", "from journalscope.spark.log import gaps"),
        ("from spark import pipeline", "from journalscope.spark import pipeline"),
        ("import spark.pipeline as pipeline", "import journalscope.spark.pipeline as pipeline"),
        ("if True:\n    from webapp import limits", "if True:\n    from journalscope.webapp import limits"),
        ("é = 1; from webapp import limits", "é = 1; from journalscope.webapp import limits"),
        ("x = 'webapp.settings'", "x = 'journalscope.webapp.settings'"),
        ("x = f'workers.kinds.{name}'", "x = f'journalscope.workers.kinds.{name}'"),
        ("x = 'webapp.errors.not_found'", "x = 'journalscope.webapp.errors.not_found'"),
    ],
)
def test_names_of_ours_are_rewritten(names: Names, source: str, rewritten: str) -> None:
    assert names.rewritten(source) == rewritten


@pytest.mark.parametrize(
    "source",
    [
        "from pyspark import SparkContext",
        "x = 'spark.master'",
        "x = 'spark.log.callerContext'",
        "x = 'spark.sql.session.timeZone'",
        "x = 'docs/spark.md'",
        "x = 'spark.jsa'",
        "spark.stop()",
        "x = 'workers'",
    ],
)
def test_other_names_stay(names: Names, source: str) -> None:
    assert names.rewritten(source) == source


def test_a_plain_import_is_refused(names: Names) -> None:
    with pytest.raises(SyntaxError, match=r"write `import spark\.pipeline as"):
        names.rewritten("import spark.pipeline")


@pytest.mark.heavy
def test_no_module_of_the_wheel_imports_by_the_old_names(names: Names) -> None:
    for package in PACKAGES:
        for module in (ROOT / package).rglob("*.py"):
            tree = ast.parse(names.rewritten(module.read_text()))
            imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
            assert not [name for name in imported if name.split(".")[0] in PACKAGES], module
