"""Format advice: the member `format_advice` of the report, one entry per log that is not of format 2 all along."""

from __future__ import annotations

from typing import Any

from spark.advice.brokers import UNSTATED, Broker
from spark.advice.formats import advise
from spark.detectors.log import _formats as formats
from spark.tables import Manifest
from spark.tables.store import ResultTables


def format_advice(manifest: Manifest, stated: Broker | None = None) -> list[dict[str, Any]]:
    """One document for each log. `stated`: the broker's settings, where a user gives them."""
    if not manifest.rows.get("formats"):
        return []
    return advice_over(ResultTables.open(manifest), stated)


def advice_over(tables: ResultTables, stated: Broker | None = None) -> list[dict[str, Any]]:
    """The same over open tables. Without stated settings the files beside a log tell what they can."""
    logs = list(formats.logs(tables))
    brokers = formats.brokers(tables) if logs and stated is None else {}
    return [
        advise(log, stated or brokers.get((log.topic, log.partition, log.replica), UNSTATED)).document()
        for log in logs
    ]
