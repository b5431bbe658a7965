"""Headings that name a topic above its values: values contain no topic, so the heading tells where they come from.

    ### connect-offsets:        connect-status:        **mm2-configs.dc1.internal**        topic orders:

What stands below must be a JSON value: records name their topic themselves, or the command does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from spark.sources._columns.record_objects import are_records
from spark.sources._wrapping import marks

HEADING = re.compile(
    rb"[ \t]*(?P<sign>(?:#{1,6}|//|--|=+|[*-]|\d{1,3}[.)])[ \t]+)?(?P<word>topics?[ \t]*:?[ \t]+)?[*_]{0,2}[`'\"]?(?P<name>[\w.-]{1,249}?)[`'\"]?[*_]{0,2}"
    rb"(?P<behind>[ \t]+topic)?[ \t]*(?P<colon>:|\xef\xbc\x9a)?[*_]{0,2}(?:[ \t]+(?:#+|=+|--))?[ \t]*$",
    re.I | re.A,
)
SECTION = re.compile(rb"[ \t]*#{1,6}[ \t]+\S")
JOINED = re.compile(rb"[A-Za-z0-9][._-]+[A-Za-z0-9]")  # one word alone names anything
OF_A_FILE = re.compile(
    rb"\.(?:jsonl?|txt|log|ya?ml|csv|properties|conf|md|sh|py|java|xml|html?|zip|gz)$", re.I
)
MAX_HEADING = 300
LINES_BELOW, BYTES_BELOW = 40, 16 * 1024
decoder = json.JSONDecoder(strict=False)


def named_topic(text: bytes, is_apart: bool = True) -> str:
    """The topic that a line names as a heading does, if values stand below it; else empty. `is_apart`: no line of a print stands
    right above it."""
    match = HEADING.match(text) if len(text) < MAX_HEADING else None
    if match is None or not (
        match["sign"] or (is_apart and (match["word"] or match["behind"] or match["colon"]))
    ):
        return ""
    name = match["name"]
    is_name = (match["word"] or match["behind"] or JOINED.search(name)) and not OF_A_FILE.search(name)
    return name.decode() if is_name else ""


def is_value_below(lines: Sequence[bytes]) -> bool:
    """Whether the next lines, behind blank ones and a fence, are a JSON object that is no record."""
    below = [line for line in lines[:LINES_BELOW] if line.strip() and not marks.FENCES.match(line)]
    if not below or not below[0].lstrip().startswith(b"{"):
        return False
    try:
        members, _ = decoder.raw_decode(b"\n".join(below)[:BYTES_BELOW].decode("latin-1").lstrip())
    except (ValueError, RecursionError):
        return False
    return not are_records([members])
