"""What is private of PySpark stands in one module, and is there in every version that is supported (`make test-pyspark`)."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from socketserver import BaseServer

import pyspark
from pyspark import SparkContext, accumulators
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


def test_the_version_is_supported():
    assert re.match(r"4\.[0-3]\.", pyspark.__version__)


def test_this_version_has_it_all():
    context = inspect.getsource(SparkContext)
    servers = [
        one for one in vars(accumulators).values() if isinstance(one, type) and issubclass(one, BaseServer)
    ]
    assert servers
    assert all(callable(one.shutdown) and callable(one.handle_error) for one in servers)
    assert {"_gateway", "_jvm", "_active_spark_context"} <= set(vars(SparkContext))
    assert "gateway" in inspect.signature(SparkContext._ensure_initialized).parameters
    assert "self._jsc = " in context
    assert "self._accumulatorServer = " in context
    launching = inspect.getsource(launch_gateway)
    assert all(
        name in launching
        for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", private_pyspark.CONNECTION_FILE)
    )
