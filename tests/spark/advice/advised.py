"""The advice on rows of `formats`, as tests ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spark.advice.brokers import UNSTATED, Broker
from spark.advice.format_history import histories
from spark.advice.formats import Advice, advise, is_plain


def advice_of_all(rows: Iterable[Mapping[str, Any]], broker: Broker = UNSTATED) -> list[Advice]:
    """For each partition that is not of format 2 all along; rows are sorted by partition and number."""
    return [advise(history, broker) for history in histories(rows) if not is_plain(history)]
