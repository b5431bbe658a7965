"""The wheel: every package below `journalscope`, with the folders that they read beside them, and the module that Spark finds.
Called by hatchling.

`python -m build --wheel` writes dist/journalscope-*.whl; tests/packaging installs it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from names import HOME, PACKAGES, Names

# What pages and reports read: the documentation, Django's templates, what a browser loads.
FOLDERS = ("docs", "static", "templates")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")
FOUND_BY_SPARK = "pyspark_journalscope.py"
INIT = '"""Kafka journals: what is wrong, why, and what to do about it."""\n'
MAIN = f'"""`python -m {HOME}`."""\n\nfrom {HOME}.workers.command_line import main\n\nmain()\n'


class Wheel(BuildHookInterface):  # type: ignore[type-arg]
    """Lays the tree out in a temporary folder and hands its files to hatchling."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        self._made = Path(tempfile.mkdtemp(prefix="journalscope-wheel-"))
        lay_out(Path(self.root), self._made)
        build_data["force_include"] = {str(self._made / name): name for name in (HOME, FOUND_BY_SPARK)}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_made"):
            shutil.rmtree(self._made)


def lay_out(root: Path, made: Path) -> None:
    """The package as it is installed."""
    names, target = Names(root), made / HOME
    for name in PACKAGES:
        shutil.copytree(root / name, target / name, ignore=LEFT_OUT)
        for module in (target / name).rglob("*.py"):
            module.write_text(names.rewritten(module.read_text()))
    copy_folders(root, target)
    (target / "__init__.py").write_text(INIT)
    (target / "__main__.py").write_text(MAIN)
    found = root / "scripts" / "packaging" / FOUND_BY_SPARK
    (made / FOUND_BY_SPARK).write_text(names.rewritten(found.read_text()))


def copy_folders(root: Path, target: Path) -> None:
    """What is read by its path below the package."""
    for name in FOLDERS:
        shutil.copytree(root / name, target / name, ignore=LEFT_OUT)
