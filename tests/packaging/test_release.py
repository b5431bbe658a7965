"""`make release` of a committed copy of this tree, twice: the same bytes, and each file is what docs/releasing.md says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from spark.terms.installation import version
from tests.packaging.built import HANGS, ROOT

RELEASE = "scripts/packaging/release.py"
MADE = {
    f"journalscope-{version()}{ending}"
    for ending in (".tar.gz", "-py3-none-any.whl", "-docs.tar.gz", ".cdx.json", "-licences.txt")
}


def released(checkout: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, RELEASE, out]
    return subprocess.run(
        command, cwd=checkout, env=environment(), capture_output=True, text=True, timeout=HANGS, check=False
    )


def environment() -> dict[str, str]:
    return {
        name: text for name, text in os.environ.items() if not name.startswith(("DJANGO_", "SOURCE_", "GIT_"))
    }


def commit(checkout: Path) -> None:
    named = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*named, "commit", "-qm", "A commit"]):
        subprocess.run(["git", *words], cwd=checkout, env=environment(), check=True)


def copied(checkout: Path, *patterns: str) -> Path:
    """A committed copy of the files that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, checkout / name)
    commit(checkout)
    return checkout


def test_what_is_not_committed_and_a_full_folder_stop_it(tmp_path: Path) -> None:
    checkout = copied(
        tmp_path / "copy", "scripts/packaging", "static/vendor", "*.lock", "pyproject.toml", ".gitignore"
    )
    (checkout / "new").touch()
    done = released(checkout, tmp_path / "dist")
    assert (done.returncode, done.stdout) == (1, "")
    assert "not committed" in done.stderr
    assert "is not empty" in released(checkout, checkout).stderr


@pytest.mark.slow
def test_one_version_everywhere(settings: object) -> None:
    from webapp.api.rest.configuration import SPECTACULAR_SETTINGS

    command = [sys.executable, "-m", "workers.command_line", "--version"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == f"journalscope {version()}\n"
    assert SPECTACULAR_SETTINGS["VERSION"] == version()
    assert f"## {version()}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("release")
    checkout = copied(folder / "copy")
    (checkout / ".git" / "info" / "exclude").write_text("hidden-from-git.md\n")
    (checkout / "docs" / "hidden-from-git.md").write_text("# Hidden from git\n")
    for name in ("first", "second"):
        done = released(checkout, folder / name)
        assert done.returncode == 0, done.stderr
    return folder / "first", folder / "second"


@pytest.mark.wheel
def test_two_releases_of_a_commit_are_equal_byte_by_byte(twice: tuple[Path, Path]) -> None:
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in twice)
    assert first.keys() == {*MADE, "SHA256SUMS"}
    assert [name for name in first if first[name] != second.get(name)] == []


@pytest.mark.wheel
def test_a_file_that_git_ignores_is_in_nothing(twice: tuple[Path, Path]) -> None:
    names = []
    for path in twice[0].glob("*.tar.gz"):
        with tarfile.open(path) as archive:
            names += archive.getnames()
    assert [name for name in names if "hidden-from-git" in name] == []
    assert [name for name in names if name.endswith("/upgrading.html")] != []


@pytest.mark.wheel
def test_the_checksums_are_those_of_the_files(twice: tuple[Path, Path]) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=twice[0], check=True)
    names = {line.split()[1] for line in (twice[0] / "SHA256SUMS").read_text().splitlines()}
    assert names == MADE


@pytest.mark.wheel
def test_the_source_builds_the_wheel(twice: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(twice[0] / f"journalscope-{version()}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    source = next(tmp_path.iterdir())
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        tmp_path / "out",
        source,
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=HANGS)
    built, ours = next((tmp_path / "out").glob("*.whl")), next(twice[0].glob("*.whl"))
    contents = [
        {name: archive.read(name) for name in archive.namelist()}
        for archive in map(zipfile.ZipFile, (built, ours))
    ]
    assert contents[0] == contents[1]


@pytest.mark.wheel
def test_the_bill_names_locked_and_vendored_libraries(twice: tuple[Path, Path]) -> None:
    text = (twice[0] / f"journalscope-{version()}.cdx.json").read_text()
    document = json.loads(text)
    product = document["metadata"]["component"]
    assert (product["name"], product["version"]) == ("journalscope", version())
    names = {component["name"] for component in document["components"]}
    assert {"numpy", "pyspark", "Django", "@tabler/core"} <= names
    assert not {"pytest", "ruff", "cyclonedx-bom"} & names
    assert "file://" not in text
    assert str(Path.home()) not in text


@pytest.mark.wheel
def test_the_documentation_is_in_one_folder(twice: tuple[Path, Path]) -> None:
    with tarfile.open(twice[0] / f"journalscope-{version()}-docs.tar.gz") as archive:
        names = archive.getnames()
    assert {name.split("/")[0] for name in names} == {f"journalscope-{version()}"}
    assert f"journalscope-{version()}/index.html" in names
