"""The recipes of docs/pipelines, run with the real command. kcat is a script that prints a dump: no broker is asked here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
import yaml

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[4]
RECIPES = ROOT / "docs" / "pipelines"
DUMP = (
    ROOT.parent
    / "shared"
    / "corpus"
    / "apicurio-real"
    / "incident-a-1-at-risk"
    / "kafkasql-journal.kcat-J.ndjson"
)


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, str]:
    """The environment with `journalscope` and `kcat` on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script(folder / "journalscope", f'exec {sys.executable} {ROOT / "manage.py"} "$@"')
    script(folder / "kcat", f"cat {DUMP}")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO_")}
    return kept | {"PATH": f"{folder}:{os.environ['PATH']}"}


def script(path: Path, command: str) -> None:
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)


def run(
    command: list[str | Path], folder: Path, variables: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, timeout=300, check=False
    )


def test_the_action_annotates_and_writes_sarif(tmp_path: Path, programs: dict[str, str]) -> None:
    steps = yaml.safe_load((RECIPES / "action.yml").read_text())["runs"]["steps"]
    given = {
        "PATHS": str(DUMP),
        "FAIL_ON": "high",
        "CONFIG": "",
        "SARIF": "found.sarif",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    done = run(["bash", "-eo", "pipefail", "-c", steps[1]["run"]], tmp_path, programs | given)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error title=content-null-update::")
    assert json.loads((tmp_path / "found.sarif").read_text())["version"] == "2.1.0"
    assert (tmp_path / "summary.md").read_text().startswith("**High, proven:**")


def test_the_job_writes_junit(tmp_path: Path, programs: dict[str, str]) -> None:
    job = yaml.safe_load((RECIPES / "gitlab-ci.yml").read_text())["inspect-journal"]
    given = {"JOURNAL": str(DUMP), "FAIL_ON": "high"}
    done = run(["sh", "-ec", "\n".join(job["script"])], tmp_path, programs | given)
    assert done.returncode == 1, done.stderr
    assert Xml.parse(tmp_path / "journalscope.xml").find(".//failure") is not None


def test_the_second_night_says_nothing(tmp_path: Path, programs: dict[str, str]) -> None:
    given = {"BROKER": "kafka:9092", "TOPIC": "kafkasql-journal", "FOLDER": str(tmp_path)}
    first, second = (run([RECIPES / "nightly.sh"], tmp_path, programs | given) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, ""), first.stderr
    assert (second.returncode, second.stdout) == (0, "")
    (tmp_path / "kafkasql-journal-baseline.json").write_text('{"findings": []}')
    third = run([RECIPES / "nightly.sh"], tmp_path, programs | given)
    assert third.returncode == 1
    assert "HIGH: No data is lost yet" in third.stdout
