"""The JVM's command line, and what is said of one that ends before it can be reached."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.errors import PySparkRuntimeError

from spark.runtime.jvm import MAIN, Jvm, command, spark_home

SETTINGS = {
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Dname=value",
    "spark.driver.memory": "1g",
    "spark.master": "local[2]",
}


def test_options_stand_before_the_main_class_and_settings_behind_it() -> None:
    line = command(SETTINGS)
    main = line.index(MAIN)
    assert {"-Xmx1g", "-XX:+UseSerialGC", "-Dname=value"} < set(line[:main])
    assert "spark.master=local[2]" in line[main:]
    assert line[-1] == "pyspark-shell"


def test_the_class_path_has_each_jar_of_spark_once_slf4j_first() -> None:
    conf, *jars = map(Path, command(SETTINGS)[2].split(":"))
    assert conf == spark_home() / "conf"
    assert jars[0].match("slf4j-api-*.jar")
    assert sorted(jars) == sorted(
        (spark_home() / "jars").glob("*.jar")
    )  # Java 21 takes no archive of one twice


def test_a_jvm_that_ends_at_once_is_an_error_and_leaves_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "told"
    folder.mkdir()
    ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"], stdin=subprocess.PIPE)
    with pytest.raises(PySparkRuntimeError, match="JAVA_GATEWAY_EXITED"):
        Jvm(ended, folder / "gateway").gateway()
    assert not folder.exists()
