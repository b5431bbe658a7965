import importlib
import subprocess
import sys

import pytest
from numba.core.dispatcher import Dispatcher

from spark.sources._json.warm import MODULES, read_sample

COUNT = """
from spark.sources import _json
import importlib
from numba.core.dispatcher import Dispatcher
from spark.sources._json.warm import MODULES, read_sample
read_sample()
members = [m for name in MODULES for m in vars(importlib.import_module(name)).values() if isinstance(m, Dispatcher)]
print(sum(sum(member.stats.cache_misses.values()) for member in members))
"""


def test_the_sample_leads_through_every_function_that_python_calls() -> None:
    assert read_sample() == 11
    called = (
        "scan_objects",
        "scan_members",
        "scan_inner",
        "scan_values",
        "take",
        "decode_base64",
        "whole_numbers",
        "milliseconds",
    )
    members = {
        name: member for module in MODULES for name, member in vars(importlib.import_module(module)).items()
    }
    for name in called:
        assert isinstance(members[name], Dispatcher)
        assert len(members[name].signatures) == 1, f"{name} is compiled for more than one type"


@pytest.mark.slow
@pytest.mark.long
def test_a_second_process_compiles_nothing() -> None:
    read_sample()
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
