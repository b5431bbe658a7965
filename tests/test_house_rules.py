"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from spark.detectors import detectors
from spark.dialects import dialects
from spark.sources import sources
from spark.terms.findings import SEVERITIES
from spark.units.pages import page
from tests.spark.examples.page import cases

ROOT = Path(__file__).resolve().parent.parent
MAX_FILE = 300
# A file may be longer when its first lines say why, in these words.
LONG_BECAUSE = "Longer than 300 lines because"
DETECTOR_HEADINGS = (
    "What it finds",
    "Why it matters",
    "When it is innocent",
    "Example",
    "What to do",
    "References",
)
# Spelled in pieces, so that this file does not name them either.
REGISTRY_HOSTS = (
    "py" + "pi.org",
    "files.python" + "hosted.org",
    "registry.npm" + "js.org",
    "repo1.mav" + "en.org",
    "repo.mav" + "en.apache.org",
)
MACHINE_PATHS = ("/wo" + "rk/", "/tmp/l" + "ab", "/ro" + "ot/", "/ho" + "me/")
MAX_MODULES = (
    20  # of a folder; those that are found by their names, one for each layout or detector, are exempt
)
REGISTRIES = ("spark/sources", "spark/detectors")
# Django and its commands look for the first three; what a detector finds and its row are both a finding, what goes through
# the stages and its row both an inspection.
NAMES_OF_MANY = {"Meta", "Command", "Migration", "Finding", "Inspection"}
OUTSIDE = re.compile(r"""(?:src|href|action|url\()\s*=?\s*["'(]?\s*(?:https?:)?//""")


def tracked(*patterns: str) -> list[Path]:
    """Files of the project, as git knows them, vendored libraries left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and "/vendor/" not in name]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def texts(*patterns: str) -> list[tuple[Path, str]]:
    """The same files with their text."""
    found = []
    for path in tracked(*patterns):
        try:
            found.append((path.relative_to(ROOT), path.read_text()))
        except UnicodeDecodeError:
            continue
    return found


def has_test(folder: str, name: str) -> bool:
    """A test module, or a folder of them, at the mirrored path."""
    return any((ROOT / "tests" / folder).rglob(f"test_{name}*.py")) or any(
        (ROOT / "tests" / folder / name).glob("test_*.py")
    )


@pytest.mark.parametrize("id", sources())
def test_a_source_has_a_test_and_a_page(id):
    assert has_test("spark/sources", id.replace("-", "_"))
    assert (ROOT / f"docs/sources/{id}.md").is_file()


@pytest.mark.parametrize("id", dialects())
def test_a_dialect_has_a_test_and_a_page(id):
    assert has_test("spark/dialects", id.replace("-", "_"))
    assert (ROOT / f"docs/dialects/{id}.md").is_file()


@pytest.mark.parametrize("id", detectors())
def test_a_detector_has_a_test_and_a_page_with_all_headings(id):
    assert has_test("spark/detectors", id.replace("-", "_"))
    shown = page("detectors", id).markdown
    assert [heading for heading in DETECTOR_HEADINGS if f"## {heading}\n" not in shown] == []


@pytest.mark.parametrize("id", detectors())
def test_a_page_of_a_detector_declares_it(id):
    facts = page("detectors", id).facts
    severities = facts["severities"] if isinstance(facts["severities"], dict) else {facts["severities"]: ""}
    assert (facts["id"], set(facts) - {"references"}) == (id, {"id", "severities", "found_in"})
    assert set(severities) <= set(SEVERITIES)
    examples = cases((ROOT / f"docs/detectors/{id}.md").read_text())
    assert {expected.severity for case in examples for expected in case.expected} <= set(severities)


@pytest.mark.parametrize(
    ("folder", "known"),
    [("sources", sources), ("dialects", dialects), ("detectors", detectors)],
    ids=["sources", "dialects", "detectors"],
)
def test_no_page_is_left_without_its_module(folder, known):
    pages = {path.stem for path in (ROOT / "docs" / folder).glob("*.md")}
    assert pages - set(known()) == set()


def test_a_module_is_named_like_its_id():
    for folder, found in (("sources", sources()), ("dialects", dialects()), ("detectors", detectors())):
        for id in found:
            name = id.replace("-", "_")
            modules = [
                *(ROOT / "spark" / folder).rglob(f"{name}.py"),
                *(ROOT / "spark" / folder).rglob(f"{name}/__init__.py"),
            ]
            assert len(modules) == 1, id


def test_no_file_is_two_ideas():
    long = [
        f"{path}: {text.count(chr(10))} lines"
        for path, text in texts("*.py", "*.js", "*.html", "*.css")
        if text.count("\n") > MAX_FILE
        and LONG_BECAUSE not in text[:2000]
        and not str(path).startswith("tests/")
        and path.parent.name != "migrations"  # written by Django
    ]
    assert long == []


def test_no_folder_is_a_drawer_for_everything():
    counts: dict[str, int] = {}
    for path in tracked("spark/**/*.py", "workers/**/*.py", "webapp/**/*.py"):
        folder = str(path.relative_to(ROOT).parent)
        if (
            path.name != "__init__.py"
            and path.parent.name != "migrations"
            and not folder.startswith(REGISTRIES)
        ):
            counts[folder] = counts.get(folder, 0) + 1
    full = {folder: n for folder, n in counts.items() if n > MAX_MODULES}
    assert full == {}


def test_a_class_name_occurs_once():
    named: dict[str, list[str]] = {}
    for path, text in texts("spark/**/*.py", "workers/**/*.py", "webapp/**/*.py"):
        classes = {node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
        for name in classes - NAMES_OF_MANY:
            named.setdefault(name, []).append(str(path))
    assert {name: paths for name, paths in named.items() if len(paths) > 1} == {}


def test_duckdb_is_opened_in_one_place():
    opening = [str(path) for path, text in texts("spark", "workers", "webapp") if "duckdb.connect(" in text]
    assert opening == ["spark/tables/connections.py"]


def test_every_module_says_what_it_is():
    bare = [
        str(path)
        for path, text in texts("*.py")
        if text.strip()
        and not {"migrations", "tests"} & set(path.parts)
        and not re.match(r'(#!.*\n)?r?"""', text)
    ]
    assert bare == []


@pytest.mark.parametrize("words", [REGISTRY_HOSTS, MACHINE_PATHS], ids=["registry hosts", "machine paths"])
def test_no_file_names_other_peoples_machines(words):
    found = [f"{path}: {word}" for path, text in texts() for word in words if word in text]
    assert found == []


def test_pages_load_nothing_from_outside():
    found = [
        f"{path}: {match[0]}"
        for path, text in texts("templates", "static")
        for match in OUTSIDE.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "name",
    ["requirements.lock", "requirements-dev.lock", "scripts/locks/node.lock", "scripts/locks/release.lock"],
)
def test_lock_files_carry_hashes_and_no_addresses(name):
    text = (ROOT / name).read_text()
    packages = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert [package.split()[0] for package in packages if "--hash=sha256:" not in package] == []
    assert "://" not in text


def test_the_lock_of_the_browser_carries_hashes_and_no_addresses():
    text = (ROOT / "scripts/locks/package-lock.json").read_text()
    packages = json.loads(text)["packages"]
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []
    assert "://" not in text
    assert "resolved" not in text


def test_only_tests_that_open_a_browser_import_playwright():
    """It takes a third of a second in each process of a run."""
    importing = {
        str(path.relative_to(ROOT))
        for path in tracked("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom) and "playwright" in ast.unparse(node)
    }
    assert {path for path in importing if not path.startswith(("tests/e2e/", "tests/live/"))} == set()


def test_tests_are_no_packages():
    assert [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("__init__.py")] == []


def test_every_direct_requirement_is_used():
    """Imported, or named in the settings, by code of ours."""
    imports = {
        "django-allauth": "allauth",
        "django-csp": "csp",
        "djangorestframework": "rest_framework",
        "fpdf2": "fpdf",
        "google-re2": "re2",
        "pillow": "PIL",
        "python-json-logger": "pythonjsonlogger",
        "pyyaml": "yaml",
        "kafka-python": "kafka",
        "markdown-it-py": "markdown_it",
        "psycopg": None,
        "python3-saml": "onelogin",
        "gunicorn": None,
    }  # None: used by a library of ours, or by address
    code = "\n".join(text for _, text in texts("spark", "workers", "webapp"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    named = {re.split(r"[\[<>=]", line)[0] for line in required} - {project["name"]}
    modules = {name: imports.get(name, name.replace("-", "_")) for name in named}
    unused = [name for name, module in modules.items() if module and not re.search(rf"\b{module}\b", code)]
    assert unused == []
