"""Prose: a line that no tool's print can have, whole or torn. It may stand behind a print without a fence.

torn JSON    outside its strings are only brackets, commas, colons, numbers and words of JSON
torn row     begins as a row of kafka-dump-log, or names one of its fields
"""

from __future__ import annotations

import json
import re

from spark.sources._grammar.values import content_of, fits, json_after
from spark.sources.dump_log_text.fields import BEGINNINGS, NAMES
from spark.sources.dump_log_text.odd import is_message

WORD = re.compile(r"[^\W\d_]{2}")
ESCAPED = re.compile(rb"\\.", re.S)
BETWEEN = re.compile(rb"[\s{}\[\],:\d.eE+-]|true|false|null")
TORN = re.compile(rb"^(?:rue|ue|alse|lse|se|e|ull|ll|l)\b|\b(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)$")
LABELS = re.compile(r"(\w+): ")
ENDED = re.compile(
    rb"(?:\bisvalid: \w+|\bisValid: \w+|\bcoordinatorEpoch: -?\d+|\bheaderKeys: \[[^\]\n]*\])[ \t]*$"
)
PLACED = re.compile(rb"\"partition\"\s*:\s*\d+\s*,\s*\"offset\"\s*:\s*\d")  # members of an envelope
DECODER = json.JSONDecoder(strict=False)


def is_prose(text: bytes, tool: str) -> bool:
    """Whether a line has words and cannot be a line, or a piece of a line, of the tool `dump` or `json`."""
    try:
        words = text.decode()
    except UnicodeDecodeError:
        return False
    if not words.replace("\t", " ").isprintable() or not WORD.search(words):
        return False
    return not (may_be_json(text) if tool == "json" else may_be_row(words))


def may_be_json(text: bytes) -> bool:
    """Whether a line may be a piece of a document: its beginning or end is missing, with at least one bracket or quotation mark."""
    pieces = ESCAPED.sub(b"xx", text).split(b'"')
    if len(pieces) == 1:
        return re.search(rb"[{}\[\]]", text) is not None and is_between(text)
    return any(are_between(pieces[first::2], first == 0, (len(pieces) - first) % 2 == 1) for first in (0, 1))


def are_between(pieces: list[bytes], is_begin: bool, is_end: bool) -> bool:
    """Whether pieces may stand between the strings of a document; those at the line's ends may be empty."""
    inner = pieces[is_begin : len(pieces) - is_end] if len(pieces) > is_begin else []
    has_sign = any(re.search(rb"[{}\[\],:]", piece) for piece in pieces)
    return (
        has_sign and all(map(is_between, pieces)) and all(re.match(rb"\s*[\]},:]", piece) for piece in inner)
    )


def is_between(piece: bytes) -> bool:
    return not BETWEEN.sub(b"", TORN.sub(b"", piece.strip()))


def may_be_row(line: str) -> bool:
    """Whether a line may be a whole or torn line of kafka-dump-log, or one of its messages."""
    bare = line.strip()
    if is_message(line) or any(words.strip().startswith(bare) for words, _ in BEGINNINGS):
        return True
    labels = [label.lower() for label in LABELS.findall(bare)]
    is_cut = bool(labels) and bare.lower().startswith(labels[0])
    return any(label in NAMES for label in labels) or (
        is_cut and any(name.endswith(labels[0]) for name in NAMES)
    )


def is_ended(text: bytes, tool: str) -> bool:
    """Whether a row of the tool `dump` or `json` is complete by its sizes or brackets, so that nothing may follow in it."""
    if tool == "json":
        return PLACED.search(text) is not None and json_after(text).is_done
    content = content_of(text)
    if content is None:
        return ENDED.search(text) is not None
    return bool(fits(text)) or (content[0].endswith((b"}", b"]")) and json_after(content[0]).is_done)


def end_of_row(text: bytes, tool: str) -> int:
    """Where a row ends to which prose is glued; the row's length if none is."""
    if tool == "json":
        if text.rstrip().endswith((b"}", b"]")) or not PLACED.search(text):
            return len(text)
        try:
            end = DECODER.raw_decode(text.decode("latin-1"))[1]
        except ValueError:
            return len(text)
    else:
        content = content_of(text)
        if content is None or not content[0].isascii():
            return len(text)
        end = len(text) - len(content[0]) + content[1]
    return end if end < len(text) and is_prose(text[end:], tool) else len(text)
