"""The wheel of this tree, and the versions of the lock file for what it requires."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HANGS = 900


def build(out: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(out.glob("*.whl"))


def pins(folder: Path) -> Path:
    """A file for `pip --constraint`."""
    made = folder / "pins.txt"
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    made.write_text("\n".join(line.split(" ;")[0].rstrip("\\ ") for line in lines if "==" in line))
    return made
