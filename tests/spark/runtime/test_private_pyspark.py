"""What is private of PySpark stands in one module, and is there in the version that is locked."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pyspark
from pyspark import SparkContext
from pyspark.accumulators import AccumulatorTCPServer
from pyspark.java_gateway import launch_gateway

from spark.runtime import private_pyspark

ROOT = Path(__file__).resolve().parents[3]
PRIVATE = re.compile(
    r"SparkContext\._|\b_jsc\b|\b_accumulatorServer\b|PYSPARK_GATEWAY|_PYSPARK_|launch_gateway"
)


def test_no_other_module_uses_what_is_private():
    modules = [path for room in ("spark", "workers") for path in (ROOT / room).rglob("*.py")]
    users = {path.name for path in modules if PRIVATE.search(path.read_text())}
    assert users == {"private_pyspark.py"}


def test_the_locked_version_has_it_all():
    context = inspect.getsource(SparkContext)
    assert pyspark.__version__ == "4.3.0"
    assert {"_gateway", "_jvm", "_active_spark_context"} <= set(vars(SparkContext))
    assert "gateway" in inspect.signature(SparkContext._ensure_initialized).parameters
    assert "self._jsc = " in context
    assert "self._accumulatorServer = " in context
    assert callable(AccumulatorTCPServer.shutdown)
    launching = inspect.getsource(launch_gateway)
    assert all(
        name in launching
        for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", private_pyspark.CONNECTION_FILE)
    )
