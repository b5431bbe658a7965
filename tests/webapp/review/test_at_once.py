"""Reviewers and inspections at once, in threads on one database: nothing is lost, every history is a chain."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.long
def test_every_history_says_what_was_replaced_however_many_decide_at_once(tmp_path: Path) -> None:
    environment = {
        key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "REDIS_URL"}
    }
    environment |= {"JOURNALSCOPE_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    script = Path(__file__).with_name("at_once.py")
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.splitlines()[-1:] == ["[] 60 4 0"], done.stdout + done.stderr
