"""How keys and values are arranged on the lines: the separator, whether keys are JSON.

json key     `{"keytype":"SCHEMA",..}` SEP `{..}`     the key's end is certain, so SEP may be any mark or spaces
tab          `key TAB {..}`                           one of both is JSON or null
mark         `key:{..}`                               the same mark before the JSON of each line
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass

from spark.sources.console_key_value.settings import PrintSettings

LOOKED_AT = 500
MIN_SHARE = 0.9
MIN_KEYS = 0.2  # of the lines, where values do not go on over several
MIN_LINES = 2  # before a mark is taken for the rule
MARK = re.compile(r"[ \t]?(?:->|=>|--?|[|:;#~^@=]|\x01|\x1f)[ \t]?|[ \t]+")
MARKED = re.compile(
    r"(?P<key>[^\s{}\[\]\",]{1,250}?)(?P<mark>[ \t]?(?:->|=>|[|:;#~^@=])[ \t]?|[ \t]+)(?P<value>\{.*|\[.*|null)$"
)
MESSAGE = re.compile(
    rb"\s*$|Processed a total of \d+ messages|% (Reached end|Auto-selecting|ERROR)|\.\.\.\s*$"
)
NO_HEADERS = "NO_HEADERS"
decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class KeyValueShape:
    """How lines are read. `null`: the word for null, or None."""

    separator: str
    null: str | None = "null"
    is_json_key: bool = False
    has_headers: bool = False
    is_doubtful: bool = False
    is_asked: bool = False

    @property
    def name(self) -> str:
        return {"\t": "a tab"}.get(self.separator, f"`{self.separator}`")


def text_of(line: bytes) -> str:
    """A line as Latin-1 text, so that no byte is lost."""
    return line.decode("latin-1")


def asked_shape(settings: PrintSettings, lines: list[bytes]) -> KeyValueShape | None:
    """The shape in the command, if the lines contain its separator."""
    texts = [text_of(line) for line in lines[:LOOKED_AT] if not MESSAGE.match(line)]
    hits = sum(settings.separator.encode().decode("latin-1") in line for line in texts)
    is_json = bool(texts) and all(key_end(line) for line in texts)
    if not hits and not is_json:
        return None
    separator = settings.separator.encode().decode("latin-1")
    is_json_key = (is_json and not hits) or (not settings.has_headers and holds(texts[0], separator))
    return KeyValueShape(separator, settings.null, is_json_key, settings.has_headers, is_asked=True)


def holds(line: str, separator: str) -> bool:
    """Whether the JSON key at a line's start contains the separator and ends before another."""
    end = key_end(line)
    return 0 <= line.find(separator) < end and line.startswith(separator, end)


def guessed_shape(lines: list[bytes]) -> KeyValueShape | None:
    texts = [text_of(line) for line in lines[:LOOKED_AT] if not MESSAGE.match(line)]
    return json_keys(texts) or tabs(texts) or marks(texts) if texts else None


def key_end(line: str) -> int:
    """The end of the JSON object that a line begins with; 0 if there is none."""
    if not line.startswith("{"):
        return 0
    try:
        return decoder.raw_decode(line)[1]
    except (ValueError, RecursionError):
        return 0


def json_keys(lines: list[str]) -> KeyValueShape | None:
    """Lines that begin with a JSON object, followed by a mark and other text."""
    ends = [(line, key_end(line)) for line in lines]
    rests = [(line[end:], MARK.match(line, end)) for line, end in ends if end and end < len(line)]
    marked = Counter(
        match[0] if match[0].strip() else "\t" for rest, match in rests if match and len(rest) > len(match[0])
    )
    if not marked or (len(rests) < MIN_LINES and len(lines) > 2):
        return None
    separator, count = marked.most_common(1)[0]
    begun = sum(bool(end) for _, end in ends)
    is_pretty = any(rest.strip(" \t" + separator) in ("{", "[") for rest, _ in rests)
    if count < MIN_SHARE * len(rests) or (begun < len(lines) * MIN_KEYS and not is_pretty):
        return None
    if separator == "\t" and not any(is_json(rest.strip()) for rest, _ in rests):
        return None
    return KeyValueShape(separator, is_json_key=True)


def is_json(text: str) -> bool:
    """Whether a text begins like JSON, or is null."""
    return text[:1] in ("{", "[") or text == "null"


def tabs(lines: list[str]) -> KeyValueShape | None:
    rows = [line.split("\t", 1) for line in lines if "\t" in line]
    whole = [row for row in rows if row[0] != NO_HEADERS]
    has_headers = len(whole) < len(rows) and all(row[0] == NO_HEADERS or ":" in row[0] for row in rows)
    if len(rows) < MIN_SHARE * len(lines) and not (rows and rows[0][1].strip() in ("{", "[")):
        return None
    if has_headers:
        return KeyValueShape("\t", has_headers=True)
    fits = sum(is_json(value.strip()) for _, value in rows)
    if fits * 2 >= len(rows) and not any("\t" in key or key_end(key) for key, _ in rows):
        return KeyValueShape("\t")
    is_single = all(line.count("\t") == 1 for line in lines)
    return KeyValueShape("\t", is_doubtful=True) if is_single else None


def marks(lines: list[str]) -> KeyValueShape | None:
    """The same mark between a word and JSON on each line."""
    marks_seen = Counter(match["mark"] for line in lines if (match := MARKED.match(line)))
    if len(lines) < MIN_LINES or not marks_seen:
        return None
    mark, count = marks_seen.most_common(1)[0]
    return KeyValueShape(mark if mark.strip() else "\t") if count >= MIN_SHARE * len(lines) else None
