"""The session: what its tasks see, and a new one after its JVM has died."""

from __future__ import annotations

import subprocess
import sys

import pytest

from spark.runtime.session import of_environment, trying_again

PROGRAM = """
import os, sys
from spark.runtime.session import context, discard, is_alive
assert not is_alive()
spark = context("local[1]")
def seen(_):
    import spark.tables
    return [(sys.executable, spark.tables.__file__)]
(told,) = spark.parallelize([1], 1).mapPartitions(seen).collect()
assert told[0] == sys.executable, told
from pyspark import SparkContext
SparkContext._gateway.proc.kill()
SparkContext._gateway.proc.wait()
assert not is_alive()
discard()
assert context("local[1]").parallelize(range(7)).count() == 7 and is_alive()
SparkContext._active_spark_context._jsc.sc().stop()
assert not is_alive()
discard()
assert context("local[1]").parallelize(range(8)).count() == 8
discard(at_once=True)
assert not is_alive()
print("fine")
"""


def test_variables_are_settings_of_spark():
    environment = {
        "SPARK_CONF_task_maxFailures": "2",
        "SPARK_CONF_executorEnv_AWS__REGION": "eu-central-1",
        "SPARK_CONF_DIR": "/etc/spark",
        "SPARK_HOME": "/opt/spark",
    }
    assert of_environment(environment) == {
        "spark.task.maxFailures": "2",
        "spark.executorEnv.AWS_REGION": "eu-central-1",
    }


@pytest.mark.parametrize(
    ("master", "used"),
    [("local[*]", "local[*,2]"), ("local[4]", "local[4,2]"), ("local[4,1]", "local[4,1]"), ("local", "local"), ("yarn", "yarn"),
     ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"), ("spark://host:7077", "spark://host:7077")],
)  # fmt: skip
def test_a_task_on_this_machine_is_tried_twice_unless_somebody_says_how_often(master: str, used: str):
    assert trying_again(master) == used


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.slow
def test_a_dead_session_is_built_anew_and_stdout_stays_clean():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr
