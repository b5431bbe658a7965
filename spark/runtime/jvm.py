"""The JVM that Spark runs in, started straight away: Spark's own scripts ask a JVM of its own for this command first.

The command is the one that `spark-submit pyspark-shell` arrives at; `spark.runtime.session` makes the session in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spark.runtime import java, private_pyspark

if TYPE_CHECKING:
    from py4j.java_gateway import JavaGateway

LOOK_EVERY_SECONDS = 0.02
MAIN = "org.apache.spark.deploy.SparkSubmit"
# What Spark's launcher passes to every JVM of version 17 or newer (`JavaModuleOptions.java`).
OPENED = (
    "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar",
)  # fmt: skip
MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
    "-Dderby.connection.requireAuthentication=false",
)


@dataclass
class Jvm:
    """A JVM that was started; it ends when its stdin closes."""

    process: subprocess.Popen[bytes]
    connection: Path  # where it writes how to reach it

    def gateway(self) -> JavaGateway:
        """The way into it, as soon as it can be reached. Raises what PySpark raises when it ends instead."""
        try:
            while not self.connection.exists():
                if self.process.poll() is not None:
                    raise private_pyspark.exited()
                time.sleep(LOOK_EVERY_SECONDS)
            return private_pyspark.open_gateway(self.process, self.connection)
        finally:
            shutil.rmtree(self.connection.parent, ignore_errors=True)


def start(settings: dict[str, str]) -> Jvm:
    connection = Path(tempfile.mkdtemp(prefix="journalscope-jvm-")) / "gateway"
    environment = {
        **os.environ,
        "SPARK_HOME": str(spark_home()),
        "SPARK_CONNECT_MODE": "0",
        "SPARK_SCALA_VERSION": "2.13",
        "PYTHONHASHSEED": "0",
        private_pyspark.CONNECTION_FILE: str(connection),
    }
    # A process group of its own: Ctrl-C is for this process, the JVM ends when we end. No `preexec_fn`: it needs fork(),
    # after which libraries with threads clean up in the child, and one of them crashes there once it has worked.
    process = subprocess.Popen(command(settings), stdin=subprocess.PIPE, env=environment, process_group=0)
    return Jvm(process, connection)


def command(settings: dict[str, str]) -> list[str]:
    """The JVM's command line. The class path is one the archive of classes was made with.

    It has each jar once: Java 21 takes no archive whose class path had one twice, as slf4j's is in Spark's own.
    """
    folder = spark_home()
    jars = sorted((folder / "jars").glob("*.jar"), key=lambda jar: (not jar.match("slf4j-api-*"), jar.name))
    class_path = ":".join(map(str, [folder / "conf", *jars]))
    options = settings["spark.driver.extraJavaOptions"].split()
    properties = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    heap = f"-Xmx{settings['spark.driver.memory']}"
    return [
        str(java.java()),
        "-cp",
        class_path,
        heap,
        *options,
        *MODULE_OPTIONS,
        MAIN,
        *properties,
        "pyspark-shell",
    ]


def spark_home() -> Path:
    """Spark, as the package brings it; found without loading it."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent
