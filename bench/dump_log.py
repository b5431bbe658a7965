"""`kafka-dump-log --print-data-log` of a released Kafka, with the JVM options its script gives it."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from bench.figures import say
from bench.inputs import CACHE

VERSION = "3.9.1"
HEAP = ("-Xmx256M",)
PERFORMANCE = (
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
)
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bench</groupId><artifactId>bench</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{VERSION}</version></dependency>
    <dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
  </dependencies>
</project>
"""


def jars() -> Path:
    """Folder with Kafka's jars, fetched by Maven at the first call."""
    folder = CACHE / f"kafka-{VERSION}"
    if not folder.exists():
        say(f"fetching Kafka {VERSION} with Maven")
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        (partial / "pom.xml").write_text(POM)
        subprocess.run(
            ["mvn", "-q", "dependency:copy-dependencies", "-DoutputDirectory=libs"], cwd=partial, check=True
        )
        partial.replace(folder)
    return folder / "libs"


def seconds(segments: list[Path]) -> float:
    """Time of one run over the segments, output thrown away."""
    started = time.perf_counter()
    subprocess.run(command(segments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return time.perf_counter() - started


def write_print(segments: list[Path], path: Path) -> None:
    """Output of kafka-dump-log for the segments."""
    with path.open("wb") as stream:
        subprocess.run(command(segments), stdout=stream, stderr=subprocess.PIPE, check=True)


def command(segments: list[Path]) -> list[str]:
    tool = ["java", *HEAP, *PERFORMANCE, "-cp", f"{jars()}/*", "kafka.tools.DumpLogSegments"]
    return [*tool, "--print-data-log", "--files", ",".join(map(str, segments))]
