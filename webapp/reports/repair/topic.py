"""The topic's name that the files of a repair need: asked for where the dump gives none, or one that Kafka rejects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from webapp.journals.models import Inspection
from webapp.journals.repairs import DIALECTS
from webapp.journals.topic_names import is_legal
from webapp.rejected import Rejected
from webapp.reports.results import ResultsGone, open_results

ASK = "The dump does not name its topic, and the files of a repair must name it. Enter the topic name, such as kafkasql-journal."
NOT_NEEDED = "The dump names its topic: {names}. Start the repair without a topic name."


def repairable(journals: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [journal for journal in journals if journal.get("dialect") in DIALECTS]


def is_topic_needed(journals: Iterable[dict[str, Any]]) -> bool:
    """Whether a repairable journal has no name that Kafka allows."""
    return any(not is_legal(journal["topic"]) for journal in repairable(journals))


def checked_topic(inspection: Inspection, topic: str) -> str:
    """The topic that the user entered. Raises Rejected if it is missing or not needed."""
    try:
        with open_results(inspection.results) as results:
            journals = repairable(results.document.get("journals", []))
    except ResultsGone:  # the worker inspects again, and asks
        return topic
    if is_topic_needed(journals) and not topic:
        raise Rejected(ASK)
    if topic and journals and not is_topic_needed(journals):
        names = sorted({journal["topic"] for journal in journals})
        raise Rejected(NOT_NEEDED.format(names=", ".join(names)))
    return topic
