"""The driver of a cluster test: inspects a folder on a master, and prints the report or what kept it from one as JSON.

Arguments: master, input folder or address, folder or address for results.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from spark.inputs.stored_files import find_stored
from spark.pipeline import Limits, NoProgress, inspect
from spark.runtime.session import context, discard
from spark.storage.address import is_address
from spark.storage.stored_path import result_path
from spark.terms.errors import ExecutorFailure
from tests.spark.log_folders import inputs


def main() -> None:
    """One inspection."""
    master, folder, results = sys.argv[1:]
    scratch = Path(tempfile.mkdtemp()) if is_address(results) else Path(results)
    try:
        report = inspect(
            lambda: context(master, scratch),
            find_stored([folder]) if is_address(folder) else inputs(Path(folder)),
            result_path(results),
            NoProgress(),
            Limits(),
        )
        print(json.dumps({"report": report}))
    except ExecutorFailure as failure:
        print(json.dumps({"failure": str(failure)}))
    finally:
        discard(at_once=True)


main()
