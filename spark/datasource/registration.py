"""The format `kafka-journal` in a session of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark.datasource.journal import CAN_PUSH_FILTERS, KafkaJournal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Off unless set: then Spark refuses readers that take filters. On, nothing changes for readers that do not.
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def register(session: SparkSession) -> None:
    """Let a session read `spark.read.format("kafka-journal")`."""
    session.dataSource.register(KafkaJournal)
    if CAN_PUSH_FILTERS:
        session.conf.set(PUSHDOWN, "true")


def register_with_active_session() -> None:
    """Register with the session of this thread, if there is one. Executors have none."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        register(session)
