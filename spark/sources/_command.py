"""Options of the command in a paste that describe its output.

    kafka-console-consumer ... (--property | --formatter-property) NAME=VALUE | --property=NAME=VALUE
    kcat ... [-Z]                                           also as kcat:TAG, the image that a container runs
    sh -c "COMMAND" | ssh HOST "COMMAND"
    manage.py inspect ... --columns key=KEY,value=payload     of this project: how a user says to read a table

Source: Kafka `ConsoleConsumerOptions` (0.9 to 4.1), `DefaultMessageFormatter`; kcat's manual.
"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import PurePosixPath

CONSOLE = re.compile(r"(kafka-console-consumer(\.sh|\.bat)?|.*ConsoleConsumer)")
KCAT = re.compile(
    r"(?:cp-)?(?:kcat|kafkacat)(?:[:-][\w.:-]+)?"
)  # or an image that calls it: edenhill/kcat:1.7.1
PROPERTY = ("--property", "--formatter-property")
DOLLAR_QUOTE = re.compile(r"(^|[\s=]|\s-\w)\$'")  # of bash; the tools read \n and \t themselves as well
COLUMNS = "--columns"
SHELL = re.compile(r"-[a-z]*c")
INNER = re.compile(r"(?:\S*/)?(?:kafka-[\w.-]+|kcat|kafkacat)\s")
NULLS_NAMED = re.compile(r"-[A-Za-z]*Z[A-Za-z]*")


def words_of(command: str) -> list[str]:
    """A command's words, with those of a command within one of them; none if its quotes are not closed."""
    try:
        words = shlex.split(DOLLAR_QUOTE.sub(r"\1'", command.replace("\\\n", " ")))
    except ValueError:
        return []
    return [
        inner
        for before, word in pairwise(["", *words])
        for inner in (words_of(word) if is_command(before, word) else [word])
    ]


def is_command(before: str, word: str) -> bool:
    """Whether a word of a command is a command itself: for a shell, or one that calls a tool."""
    return INNER.match(word) is not None or (SHELL.fullmatch(before) is not None and len(word.split()) > 1)


def behind(program: re.Pattern[str], words: list[str]) -> list[str] | None:
    """The words after a program's name, whatever its folder; None if the command does not call it."""
    for number, word in enumerate(words):
        if program.fullmatch(PurePosixPath(word.replace("\\", "/")).name) or program.fullmatch(word):
            return words[number + 1 :]
    return None


def properties(words: list[str]) -> dict[str, str]:
    """The properties of the console consumer's formatter."""
    given_properties = dict(
        pair.split("=", 1) for name, pair in pairwise(words) if name in PROPERTY and "=" in pair
    )
    joined = (
        word.split("=", 2)[1:]
        for word in words
        if word.startswith(tuple(f"{name}=" for name in PROPERTY)) and word.count("=") > 1
    )
    return given_properties | dict(joined)


def are_nulls_named(words: list[str]) -> bool:
    """Whether kcat prints NULL for a null (`-Z`)."""
    return any(NULLS_NAMED.fullmatch(word) for word in words)


def reading_command(columns: str) -> str:
    """The command that stands for a user's mapping of columns."""
    return shlex.join(["manage.py", "inspect", COLUMNS, columns])


def columns_in(command: str) -> str:
    """The mapping of columns that a command names; else empty."""
    words = words_of(command) if COLUMNS in command else []
    return next((text for name, text in pairwise(words) if name == COLUMNS), "")
