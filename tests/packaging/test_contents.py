"""What the build step lays out, without building: documentation that an installed copy finds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.packaging.built import ROOT
from tests.packaging.test_names import Names

from hook import copy_folders  # isort: skip

WHERE = "spark/terms/installation.py"
LISTED = """
from importlib import resources
from journalscope.spark.terms.installation import ROOT
assert ROOT == resources.files("journalscope")
docs = resources.files("journalscope") / "docs"
print(sum(path.is_file() for path in docs.rglob("*.md")), (docs / "spark.md").read_text().splitlines()[0])
"""


def test_an_installed_copy_finds_every_page_of_the_documentation(tmp_path: Path) -> None:
    package = tmp_path / "journalscope"
    copy_folders(ROOT, package)
    module = package / WHERE
    module.parent.mkdir(parents=True)
    module.write_text(Names(ROOT).rewritten((ROOT / WHERE).read_text()))
    (package / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-c", LISTED],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == f"{len(list((ROOT / 'docs').rglob('*.md')))} # Journals in Spark\n"
