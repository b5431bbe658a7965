"""`manage.py`, as somebody types it, with no database or Redis anywhere near."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOWHERE = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1"}


def manage(
    *words: object, standard_input: str = "", folder: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command run to its end, in the folder."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *map(str, words)],
        cwd=folder,
        env={**os.environ, **NOWHERE, **environment},
        input=standard_input,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
