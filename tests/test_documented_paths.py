"""Paths, modules and links that README and docs/ name are there. Decisions are left out: they tell what was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DECISIONS = ROOT / "docs/decisions"
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted(ROOT.glob("docs/**/*.md")) if DECISIONS not in page.parents),
]
ROOMS = "spark|workers|webapp|tests|docs|templates|static|scripts|bench"
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?:{ROOMS})/[\w./-]*")
MODULE = re.compile(r"(?:spark|workers|webapp|tests|bench)(?:\.[a-z_]+)+")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def is_module(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    whole, owner = (ROOT.joinpath(*parts) for parts in (name.split("."), name.split(".")[:-1]))
    return (
        whole.is_dir()
        or any(one.with_suffix(".py").is_file() for one in (whole, owner))
        or named_in(owner, name)
    )


def named_in(package: Path, name: str) -> bool:
    """Whether a package itself has something of this name."""
    init = package / "__init__.py"
    return init.is_file() and re.search(rf"\b{name.rpartition('.')[2]}\b", init.read_text()) is not None


def lost(page: Path) -> list[str]:
    """What a page names and is not there."""
    text = page.read_text()
    codes = CODE.findall(text)
    paths = [code for code in codes if PATH.fullmatch(code) and not (ROOT / code).exists()]
    modules = [code for code in codes if MODULE.fullmatch(code) and not is_module(code)]
    links = [link for link in LINK.findall(text) if not (page.parent / link.replace("\\", "")).exists()]
    return [*paths, *modules, *links]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page: Path) -> None:
    assert lost(page) == []


def test_names_that_are_not_there_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`spark/pipeline.py` `spark/nothing.py` `spark.tables.nothing` `spark.tables.store` [a](gone.md)"
    )
    assert lost(page) == ["spark/nothing.py", "spark.tables.nothing", "gone.md"]
