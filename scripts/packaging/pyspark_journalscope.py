"""What Spark finds by itself: it imports modules named `pyspark_*` and takes their `DefaultSource`. docs/spark.md

    spark.read.format("kafka-journal").load("/data/kafka")

The build step puts this module beside the package. An error at its import would hide the data sources of all such modules.
"""

from spark.datasource.journal import KafkaJournal as DefaultSource
from spark.datasource.journal import register

__all__ = ["DefaultSource", "register"]
