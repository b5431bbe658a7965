from __future__ import annotations

import subprocess
import sys

LOADED = """
import os, sys, django
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
django.setup()
print([name for name in ("duckdb", "pyarrow", "numpy", "webapp.reports.results") if name in sys.modules])
"""


def test_no_command_loads_the_result_tables_because_pages_of_journals_have_additions() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
