"""Everything of a release, from what is committed: source archive, wheel, documentation, bill of materials, licences, checksums.

    release.py FOLDER        the folder must be new or empty; docs/releasing.md

Two runs of one commit write the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from bill import bill, tools
from licences import dependencies, document, refused

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "var" / "release-tools"


def main(out: Path) -> int:
    """0, or 1 after a sentence that says why there is no release."""
    problem = obstacle(out)
    if problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    out.mkdir(parents=True, exist_ok=True)
    made_at = git("log", "-1", "--format=%ct").decode().strip()
    os.environ["SOURCE_DATE_EPOCH"] = made_at
    name = f"journalscope-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        source = committed(Path(folder) / "source")
        packages(source, out)
        pages = documentation(source, Path(folder) / name)
        (out / f"{name}-docs.tar.gz").write_bytes(archived(pages, int(made_at)))
    (out / f"{name}.cdx.json").write_text(bill(ROOT, tools(ROOT, TOOLS)))
    (out / f"{name}-licences.txt").write_text(document(dependencies(ROOT)))
    (out / "SHA256SUMS").write_text(checksums(out))
    print((out / "SHA256SUMS").read_text(), end="")
    return 0


def obstacle(out: Path) -> str:
    """Why nothing can be released, in words."""
    if out.exists() and any(out.iterdir()):
        return f"{out} is not empty. Name a folder that is new or empty, or delete it."
    if git("status", "--porcelain"):
        return "There are changes that are not committed. Commit them: a release is what is committed."
    if lines := refused(dependencies(ROOT)):
        return "Licences that scripts/packaging/licences.py does not allow:\n" + "\n".join(lines)
    return ""


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


def git(*words: str) -> bytes:
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout


def committed(folder: Path) -> Path:
    """The files of the commit alone."""
    git("checkout-index", "--all", f"--prefix={folder}/")
    return folder


def packages(source: Path, out: Path) -> None:
    """The source archive, and the wheel that is built from it."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", out, source]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def documentation(source: Path, folder: Path) -> Path:
    """The pages as `journalscope docs` writes them; without files of this folder that git ignores."""
    command = [sys.executable, "-m", "workers.command_line", "docs", "--out", folder]
    with tempfile.TemporaryDirectory() as data:
        variables = {name: text for name, text in os.environ.items() if not name.startswith("DJANGO_")}
        surroundings = variables | {"JOURNALSCOPE_DATA": data}
        subprocess.run(command, cwd=source, check=True, env=surroundings, stdout=subprocess.DEVNULL)
    return folder


def archived(folder: Path, made_at: int) -> bytes:
    """The folder as .tar.gz whose bytes depend on names, contents and this moment alone."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = made_at, 0, 0, "", ""
        return entry

    target = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=made_at) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        archive.add(folder, folder.name, filter=plain)  # in the order of their names
    return target.getvalue()


def checksums(folder: Path) -> str:
    """As `sha256sum --check` reads them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(folder.iterdir())
    ]
    return "".join(lines)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
