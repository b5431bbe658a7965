"""The driver of a cluster test: inspects a folder on a master, and prints the report or what kept it from one as JSON.

Arguments: master, input folder, results folder, stage. When that stage begins, it prints the stage's name and waits for a line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.session import context, discard
from spark.terms.errors import ExecutorFailure
from tests.spark.log_folders import inputs


class Told(NoProgress):
    """Says that the stage begins."""

    def __init__(self, stage: str) -> None:
        self.awaited = stage

    def stage(self, name: str, note: str = "") -> None:
        """Wait where somebody wants to do something."""
        if name == self.awaited:
            print(name, flush=True)
            sys.stdin.readline()


def main() -> None:
    """One inspection."""
    master, folder, results, stage = sys.argv[1:]
    try:
        report = inspect(
            lambda: context(master, Path(results)), inputs(Path(folder)), Path(results), Told(stage), Limits()
        )
        print(json.dumps({"report": report}))
    except ExecutorFailure as failure:
        print(json.dumps({"failure": str(failure)}))
    finally:
        discard(at_once=True)


main()
