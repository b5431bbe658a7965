"""What the command of a console consumer says of its print, where it stands in the paste.

    kafka-console-consumer ... (--property | --formatter-property) NAME=VALUE | --property=NAME=VALUE

Source: Kafka `ConsoleConsumerOptions` (0.9 to 4.1), `DefaultMessageFormatter`.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath

from spark.sources.console_consumer.shape import ConsoleShape

CONSOLE = re.compile(r"(kafka-console-consumer(\.sh|\.bat)?|.*ConsoleConsumer)$")
PROPERTY = ("--property", "--formatter-property")
COLUMNS = {
    "print.timestamp": "has_time",
    "print.partition": "has_partition",
    "print.offset": "has_offset",
    "print.delivery": "has_delivery",
    "print.epoch": "has_epoch",
}


def words_of(command: str) -> list[str]:
    """A command's words; none where its quotes do not close."""
    try:
        return shlex.split(command.replace("\\\n", " ").replace("$'", "'"))
    except ValueError:
        return []


def name_of(word: str) -> str:
    """The program that a word calls, without its folder."""
    return PurePosixPath(word.replace("\\", "/")).name


def behind_console(words: list[str]) -> list[str] | None:
    """The words behind the console consumer's name."""
    for number, word in enumerate(words):
        if CONSOLE.fullmatch(name_of(word)) or CONSOLE.fullmatch(word):
            return words[number + 1 :]
    return None


def properties(words: list[str]) -> dict[str, str]:
    """The properties of the formatter."""
    given_properties = dict(
        pair.split("=", 1) for name, pair in pairwise(words) if name in PROPERTY and "=" in pair
    )
    joined = (
        word.split("=", 2)[1:]
        for word in words
        if word.startswith(tuple(f"{name}=" for name in PROPERTY)) and word.count("=") > 1
    )
    return given_properties | dict(joined)


def as_told(shape: ConsoleShape, command: str) -> ConsoleShape:
    """A shape with what the command says, if it is the command of this print: the same columns are labelled."""
    words = behind_console(words_of(command)) if command else None
    given_properties = properties(words) if words else {}
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
