r"""Settings in a command line that prints keys and values.

    kafka-console-consumer ... (--property | --formatter-property) print.key=true | key.separator=X | null.literal=X | print.headers=true
    kcat -C ... -K X [-Z]        X with \t, \n, \xNN

Source: Kafka `ConsoleConsumerOptions`, `DefaultMessageFormatter`; kcat's manual.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.sources._command import CONSOLE, KCAT, are_nulls_named, behind, properties, words_of
from spark.sources.console_consumer.shape import COLUMNS

ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))")
LETTERS = {"t": "\t", "n": "\n", "r": "\r", "0": "\0"}
MODE = re.compile(r"-[A-Za-z]*K(.*)", re.S)


@dataclass(frozen=True)
class PrintSettings:
    """The separator, the text for null, whether headers come first."""

    separator: str = "\t"
    null: str | None = "null"
    has_headers: bool = False


def of_command(command: str) -> PrintSettings | None:
    """The settings of a command, if it prints keys and no labels."""
    words = words_of(command)
    console, kcat = (behind(program, words) for program in (CONSOLE, KCAT))
    if console is not None:
        return of_console(console)
    return None if kcat is None else of_kcat(kcat)


def of_console(words: list[str]) -> PrintSettings | None:
    """The properties of the console consumer's formatter."""
    given_properties = properties(words)
    if given_properties.get("print.key") != "true" or any(
        given_properties.get(name) == "true" for name in COLUMNS
    ):
        return None
    return PrintSettings(
        unescaped(given_properties.get("key.separator", "\t")),
        given_properties.get("null.literal", "null"),
        given_properties.get("print.headers") == "true",
    )


def of_kcat(words: list[str]) -> PrintSettings | None:
    separator = None
    for number, word in enumerate(words):
        match = MODE.fullmatch(word) if word.startswith("-") and not word.startswith("--") else None
        if match:
            separator = match[1] or (words[number + 1] if number + 1 < len(words) else None)
    if not separator:
        return None
    return PrintSettings(unescaped(separator), "NULL" if are_nulls_named(words) else None)


def unescaped(text: str) -> str:
    r"""`\t` and `\x1f` as the characters they stand for; shells and properties pass them unchanged."""
    return ESCAPE.sub(
        lambda match: chr(int(match[1], 16)) if match[1] else LETTERS.get(match[2], match[2]), text
    )
