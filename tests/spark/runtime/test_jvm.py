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


def test_every_named_place_of_the_class_path_is_there() -> None:
    places = command(SETTINGS)[2].split(":")
    assert [place for place in places if place.endswith(".jar")]
    assert all(Path(place).exists() for place in places if place.endswith(".jar"))
    assert places[-1] == str(spark_home() / "jars" / "*")
    assert list((spark_home() / "jars").glob("spark-core*.jar"))


def test_a_jvm_that_ends_at_once_is_an_error_and_leaves_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / "told"
    folder.mkdir()
    ended = subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"], stdin=subprocess.PIPE)
    with pytest.raises(PySparkRuntimeError, match="JAVA_GATEWAY_EXITED"):
        Jvm(ended, folder / "gateway").gateway()
    assert not folder.exists()
