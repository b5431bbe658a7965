"""What docs/spark.md has to run: cells of its notebook, jobs, lines for a shell, and what they print."""

from __future__ import annotations

import re

from tests.spark.datasource.journals import ROOT

PAGE = (ROOT / "docs/spark.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
JOB = re.compile(r"# (\w+\.py)\n")
JOBS = {match[1]: block for block in PYTHON if (match := JOB.match(block))}
CELLS = [block for block in PYTHON if not JOB.match(block)]
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
# A text stands behind what prints it.
OF_CELLS = re.findall(r"```python\n(?!# \w+\.py\n)[^`]*```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
OF_SHELL = re.findall(r"```sh\n[^`]*```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
