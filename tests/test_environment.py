"""`make env` on machines that lack something: a sentence that says what to do, and exit 1."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOO_OLD = 'case "$*" in *version_info*) exit 1;; --version) echo "Python 3.9.2";; esac'
NO_VENV = 'case "$*" in *ensurepip*) exit 1;; esac'
VENV_FAILS = 'case "$*" in "-m venv"*) exit 1;; esac'


def make_env(
    tmp_path: Path, python: str | None, free_kb: int = 9_000_000
) -> subprocess.CompletedProcess[str]:
    """Run the script with a Python that answers as told, on a disk with so much room."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, body in (("python3", python), ("df", f'echo header; echo "disk 1 1 {free_kb} 1% /"')):
        if body is not None:
            (programs / name).write_text(f"#!/bin/sh\n{body}\n")
            (programs / name).chmod(0o755)
    environment = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHON": str(programs / "python3")}
    command = ["sh", str(ROOT / "scripts" / "environment.sh"), str(tmp_path / "venv"), "requirements.lock"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("python", "sentence"),
    [
        (None, "was not found. Install Python 3.11 or newer, or name it"),
        (TOO_OLD, "Python 3.9.2 is too old: Journalscope needs Python 3.11 or newer. Name one"),
        (NO_VENV, "has no venv module. On Debian and Ubuntu install it with: apt-get install python3-venv."),
        (VENV_FAILS, "The environment could not be made in"),
    ],
    ids=["no Python", "old Python", "no venv", "venv fails"],
)
def test_what_is_wrong_with_python_is_said(tmp_path, python, sentence):
    done = make_env(tmp_path, python)
    assert done.returncode == 1
    assert sentence in done.stderr


def test_a_full_disk_is_said_before_anything_is_installed(tmp_path):
    done = make_env(tmp_path, "exit 0", free_kb=400_000)
    assert done.returncode == 1
    assert "Only 390 MB are free here" in done.stderr
    assert not (tmp_path / "venv").exists()
