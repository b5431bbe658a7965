"""What the command of a console consumer says of its print, where it stands in the paste."""

from __future__ import annotations

from dataclasses import replace

from spark.sources._command import CONSOLE, behind, properties, words_of
from spark.sources.console_consumer.shape import ConsoleShape

COLUMNS = {
    "print.timestamp": "has_time",
    "print.partition": "has_partition",
    "print.offset": "has_offset",
    "print.delivery": "has_delivery",
    "print.epoch": "has_epoch",
}


def as_told(shape: ConsoleShape, command: str) -> ConsoleShape:
    """The shape with the command's settings, if the command fits the output: it labels the same columns."""
    given_properties = properties(behind(CONSOLE, words_of(command)) or [])
    labelled = {name: given_properties.get(option) == "true" for option, name in COLUMNS.items()}
    if not any(labelled.values()) or any(getattr(shape, name) != is_on for name, is_on in labelled.items()):
        return shape
    return replace(
        shape,
        has_headers=given_properties.get("print.headers") == "true",
        has_key=given_properties.get("print.key") == "true",
        partition_is_last=shape.partition_is_last and given_properties.get("print.headers") != "true",
        null=given_properties.get("null.literal", "null"),
    )
