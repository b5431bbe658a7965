"""All that we use of PySpark beyond its documented API, in one place; a test holds it against the version that is locked.

PySpark keeps one gateway (a connection to a JVM) and one context per process, as attributes of `SparkContext`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway
    from pyspark import SparkContext

CONNECTION_FILE = "_PYSPARK_DRIVER_CONN_INFO_PATH"  # where a JVM of PySpark's shell writes how to reach it


def has_gateway() -> bool:
    """Whether this process reaches a JVM. Asked without importing PySpark, which takes a quarter of a second."""
    pyspark = sys.modules.get("pyspark")
    return pyspark is not None and pyspark.SparkContext._gateway is not None


def open_gateway(process: subprocess.Popen[bytes], connection: Path) -> JavaGateway:
    """Connect to a running JVM by what it wrote into `connection`."""
    from pyspark.java_gateway import launch_gateway
    from pyspark.serializers import UTF8Deserializer, read_int

    with connection.open("rb") as stream:
        port, secret = read_int(stream), UTF8Deserializer().loads(stream)
    os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = str(port), secret
    try:
        gateway = launch_gateway()
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
    gateway.proc = process
    return gateway


def exited() -> Exception:
    """What PySpark raises when a JVM ends before it can be reached."""
    from pyspark.errors import PySparkRuntimeError

    return PySparkRuntimeError(errorClass="JAVA_GATEWAY_EXITED", messageParameters={})


def use_gateway(gateway: JavaGateway) -> None:
    """Contexts of this process are made in that JVM."""
    from pyspark import SparkContext

    SparkContext._ensure_initialized(gateway=gateway)


def process_of_jvm() -> subprocess.Popen[bytes] | None:
    """The JVM that this process started."""
    from pyspark import SparkContext

    return getattr(SparkContext._gateway, "proc", None)


def active_context() -> SparkContext | None:
    """The context of this process, whether its JVM lives or not."""
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def is_stopped(context: SparkContext) -> bool:
    """Whether Spark ended it, as a cluster does that dismisses an application. Raises Py4JError without a JVM."""
    return bool(context._jsc.sc().isStopped())


def forget(*, stop_accumulators: bool) -> None:
    """This process has no gateway and no context any more; nothing is printed of a JVM that is gone."""
    from pyspark import SparkContext

    accumulators = getattr(active_context(), "_accumulatorServer", None)
    if accumulators is not None:
        accumulators.handle_error = _ignore
        if stop_accumulators:
            accumulators.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None


def _ignore(*_: Any) -> None:
    pass
