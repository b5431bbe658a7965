"""Format advisor: what the user states of a broker, and what follows from it for a partition's message formats.

Calls `spark.advice`, which is pure and loads neither Spark nor Arrow: docs/decisions/0006-the-web-asks-the-advisor.md.
"""

from __future__ import annotations

from typing import Any

from django import forms

from spark.advice.brokers import UNSTATED, Broker, version
from spark.advice.format_history import histories
from spark.advice.formats import advise
from spark.tables.replica import PartitionReplica
from webapp.reports.report import Report
from webapp.reports.results import Rows
from webapp.reports.typed_text import blocks_of, lines_of

FIELDS = {
    "version": ("broker_version", "Version of the broker", "what runs, such as 2.8.1"),
    "inter_broker_protocol_version": (
        "inter_broker_protocol",
        "inter.broker.protocol.version",
        "of the broker; empty: that of the version",
    ),
    "message_format_version": (
        "message_format",
        "message.format.version",
        "of the topic, else log.message.format.version of the broker",
    ),
}  # member of Broker -> name in the address, label, hint
MAX_CHARACTERS = 40


def readable(text: str) -> None:
    """Refuse what is no version; the advisor's own words say what one looks like."""
    try:
        version(text)
    except ValueError as error:
        raise forms.ValidationError(str(error)) from error


class BrokerForm(forms.Form):
    """A broker's settings as the user typed them; fields that cannot be parsed count as not stated."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name, label, hint in FIELDS.values():
            self.fields[name] = forms.CharField(
                label=label, help_text=hint, required=False, max_length=MAX_CHARACTERS, validators=[readable]
            )

    @property
    def broker(self) -> Broker:
        self.is_valid()
        stated: dict[str, Any] = {
            member: self.cleaned_data.get(name) or None for member, (name, *_) in FIELDS.items()
        }
        return Broker(**stated)

    @property
    def is_stated(self) -> bool:
        return self.broker != UNSTATED


def reported_advice(report: Report, replica: PartitionReplica) -> list[dict[str, Any]]:
    """What the report itself says of this partition: with the broker known by its files alone."""
    return [
        in_lines(advice)
        for advice in report.document.get("format_advice", [])
        if (advice["topic"], advice["partition"]) == (replica.topic, replica.partition)
        and advice.get("replica", "") in ("", replica.replica)
    ]


def advice_for(formats: Rows, broker: Broker) -> list[dict[str, Any]]:
    """Advice for stated settings, also for a log that has format 2 only. `formats`: rows of one partition."""
    return [in_lines(advise(history, broker).document()) for history in histories(formats)]


def in_lines(advice: dict[str, Any]) -> dict[str, Any]:
    """The advice with its texts as typed segments."""
    sections = [
        {**section, **{name: lines_of(section, name) for name in ("sentences", "steps")}}
        for section in advice.get("sections", [])
    ]
    return {**advice, "blocks": blocks_of(advice, "sentence"), "sections": sections}
