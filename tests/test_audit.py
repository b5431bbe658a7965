"""What `make audit` says of dependencies: never that nothing is known where nobody could be asked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import audit_dependencies as audit

SKIPPED = {"dependencies": [{"name": "django", "skip_reason": "not found"}]}


@pytest.fixture
def answers(monkeypatch: Any) -> dict[str, Any]:
    """What pip-audit prints, by service; nothing else is run."""
    known: dict[str, Any] = {}

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        service = command[command.index("--vulnerability-service") + 1]
        text = known.get((service, command[-1]), known.get(service))
        return subprocess.CompletedProcess(command, 0, "" if text is None else json.dumps(text), "")

    monkeypatch.setattr(audit.subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["audit_dependencies.py"])
    return known


def vulnerable(**more: Any) -> dict[str, Any]:
    hole = {"id": "ADVISORY-1", "fix_versions": ["4.2.9"]}
    return {"dependencies": [{"name": "django", "version": "4.2.0", "vulns": [hole]}], **more}


@pytest.mark.parametrize(
    "told", [None, SKIPPED, {"dependencies": []}], ids=["no answer", "skipped", "nothing known"]
)
def test_who_does_not_know_the_holes_of_an_old_release_has_audited_nothing(
    told: Any, answers: dict[str, Any], capsys: Any, monkeypatch: Any
) -> None:
    answers.update(pypi=told, osv=told)
    assert audit.main() == 0
    said = capsys.readouterr().out
    assert said.startswith("Not audited")
    assert "packages asked for" not in said
    monkeypatch.setattr(sys, "argv", ["audit_dependencies.py", "--strict"])
    assert audit.main() == 1


def test_a_known_hole_ends_with_an_error(answers: dict[str, Any], capsys: Any) -> None:
    answers["osv"] = vulnerable()
    assert audit.main() == 1
    assert "django 4.2.0: ADVISORY-1, fixed in 4.2.9" in capsys.readouterr().out


def test_what_the_service_does_not_know_is_counted(answers: dict[str, Any], capsys: Any) -> None:
    answers["pypi"] = vulnerable()
    fine = {"dependencies": [{"name": "a", "version": "1", "vulns": []}, *SKIPPED["dependencies"]]}
    answers |= {("pypi", lock): fine for lock in audit.LOCKS}
    assert audit.main() == 0
    assert "requirements.lock: 1 packages asked for, 1 unknown to pypi." in capsys.readouterr().out


def test_the_lock_files_it_asks_about_are_those_of_the_project() -> None:
    assert {path.name for path in Path(audit.ROOT).glob("requirements*.lock")} == set(audit.LOCKS)
