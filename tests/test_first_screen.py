"""The one line of README prints what README says. `make test-wheel` calls it word by word."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.first_screen import ROOT, lacking, line


def test_the_promised_output_is_compared_piece_by_piece() -> None:
    assert lacking("") != []


@pytest.mark.slow
def test_the_one_line_prints_what_the_readme_says() -> None:
    words = line()
    called = words[words.index("journalscope") + 1 :]
    done = subprocess.run(
        [sys.executable, "manage.py", *called], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1, done.stderr
    assert lacking(done.stdout) == []
