"""A job of somebody else's: counts what the data source loads from an address, and prints it or why not as JSON.

Arguments: master, address.
"""

from __future__ import annotations

import json
import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.cluster.standalone import ROOT

master, address = sys.argv[1:]
session = (
    SparkSession.builder.master(master)
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.executorEnv.PYTHONPATH", str(ROOT))
    .getOrCreate()
)
from spark.datasource import register  # noqa: E402 - as its page says: after the session

register(session)
try:
    records = session.read.format("kafka-journal").option("columns", "topic,offset,key").load(address)
    topics = {row["topic"]: row["count"] for row in records.groupBy("topic").count().collect()}
    print(json.dumps({"topics": topics, "partitions": records.rdd.getNumPartitions()}))
except PySparkException as failure:
    print(json.dumps({"failure": str(failure)}))
finally:
    session.stop()
