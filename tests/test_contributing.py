"""Pages for contributors are carried out, block by block, in a copy of the repository: what they say happens.

```<language> <path>    the file is written; it must be a new one
```sh                   the commands are run; they must succeed
```text                 each line must be in what the commands before it wrote
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.spark.examples.page import Block, parts

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs/contributing").glob("first-*.md"))
TIMEOUT_S = 600
pytestmark = pytest.mark.slow


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files of the project as git knows them, with the compiled functions beside them, and the environment."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    compiled = [str(path.relative_to(ROOT)) for path in (ROOT / "spark").rglob("__pycache__/*.nb?")]
    for name in (*names, *compiled):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    return tmp_path


def run(script: str, checkout: Path) -> str:
    """What commands write; they must succeed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DJANGO_"))}
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=checkout,
        env={**own, "JOURNALSCOPE_DATA": str(checkout / "var")},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def write(block: Block, checkout: Path) -> None:
    """A new file, or lines at the end of one."""
    path = checkout / block.name.removeprefix("+")
    assert path.exists() is block.name.startswith("+"), f"{path} exists: {path.exists()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        stream.write(f"\n\n{block.text}" if block.name.startswith("+") else block.text)


def carry_out(block: Block, checkout: Path, before: str) -> str:
    """One block; gives what the last commands wrote."""
    if block.language == "sh":
        return run(block.text, checkout)
    if block.name:
        write(block, checkout)
        return before
    missing = [line for line in block.text.splitlines() if line not in before]
    assert missing == [], before
    return before


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_page_says_happens(page: Path, checkout: Path) -> None:
    blocks = [part for part in parts(page.read_text()) if isinstance(part, Block) and part.language]
    assert any(block.language == "sh" for block in blocks)
    written = ""
    for block in blocks:
        written = carry_out(block, checkout, written)
    code = " ".join(block.name.removeprefix("+") for block in blocks if block.language == "python")
    run(f".venv/bin/ruff check -q {code}; .venv/bin/ruff format --check -q {code}", checkout)


def test_each_kind_of_module_has_its_page() -> None:
    assert [page.stem for page in PAGES] == ["first-detector", "first-dialect", "first-layout", "first-page"]
