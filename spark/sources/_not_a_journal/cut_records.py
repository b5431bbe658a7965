"""A truncated record of a known journal: a copy from a terminal or a chat that ended within it.

It begins with members that its service writes in this order, and its JSON does not end.
"""

from __future__ import annotations

import json
import re

from spark.sources._not_a_journal.words import NOT_WHOLE, OF_CONNECT, Identified, dump, dump_of

MAX_LOOKED_AT = 4096
OF_A_REGISTRY = dump_of("_schemas", "the registry")
BEGINNINGS: tuple[tuple[str, str, str], ...] = (
    (r'\{"keytype":', "key of a schema registry's journal", OF_A_REGISTRY),
    (
        r'\{"subject":"[^"]*","version":\d+,',
        "record of a schema registry's journal (a schema)",
        OF_A_REGISTRY,
    ),
    (
        r'\{"(?:state|trace)":.*"(?:worker_id|trace|generation)":',
        "record of Connect's status topic",
        OF_CONNECT,
    ),
    (
        r'\{"name":"[^"]*","connector":\{"state":',
        "answer of Connect's REST interface (the status of a connector)",
        OF_CONNECT,
    ),
    (r'\{"properties":\{.*"(?:connector|task)\.class":', "record of Connect's configs topic", OF_CONNECT),
    (r'\{"source":\{.*"(?:ddl|databaseName|tableChanges)":', "record of a Debezium schema history", dump()),
    (r'\{"source":\{.*"position":\{', "record of a Debezium schema history", dump()),
    (
        r'\{"statement":".*"(?:streamsProperties|originalProperties)":',
        "record of a ksqlDB command topic",
        dump(),
    ),
    (r'\{"topic":"[^"]*","partition":\d+,"offset":\d+', "line of kcat -J", dump()),
    (r"ConsumerRecord\(topic ?= ?", "ConsumerRecord that a Java client printed", dump()),
)
PATTERNS = tuple(
    (re.compile(pattern, re.DOTALL), description, instead) for pattern, description, instead in BEGINNINGS
)


def identify(text: str, _is_whole: bool) -> Identified | None:
    """A text that begins like a record and does not end like one."""
    text = text.strip()
    head = re.sub(r"\s*([:,{}])\s*", r"\1", text[:MAX_LOOKED_AT])
    for pattern, description, instead in PATTERNS:
        if pattern.match(head) and is_cut(text):
            return Identified(f"a truncated {description}", instead, holds=NOT_WHOLE)
    return None


def is_cut(text: str) -> bool:
    """Whether the JSON or the parenthesis that begins here is not closed."""
    if not text.startswith("{"):
        return text.count("(") > text.count(")")
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated") or error.pos >= len(text)
    except RecursionError:
        pass
    return False
