"""Marked text: sentences in which every value of the data has a kind (docs/decisions/0020-typed-text.md).

    text => (literal | mark)*
    mark => OPEN kind text [SPLIT value] CLOSE     kind: one character; value: JSON in ASCII, if the text does not state it

Marks are private use characters, so a marked text is a str and works in f-strings, lists and plurals. Literals are our own words; a
backtick in them begins or ends code, a line feed a block. Data cannot forge a mark: `mark` escapes such characters in a
value, and an incomplete mark is a literal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

OPEN, SPLIT, CLOSE = "\ue000", "\ue001", "\ue002"
KINDS = (
    "offset", "number", "time", "topic", "partition", "replica", "entity", "key", "file", "name", "hash", "quote",
    "url", "step", "item",
)  # fmt: skip
FIRST_KIND = 0xE010
CODES = {kind: chr(FIRST_KIND + number) for number, kind in enumerate(KINDS)}
LAYOUT_KINDS = ("step", "item")  # how a line begins: no values
WRITTEN = re.compile(r"^(?:(\d{1,3})\. |- )", re.MULTILINE)
OF_AN_OUTPUT = re.compile(
    r" \(lines? \d+(?:-\d+)?\)$|\.(?:txt|log|jsonl?|csv|tsv|out|md|html?)$", re.IGNORECASE
)
UNNAMED = "?"  # the topic of an input that does not name it
OWN = re.compile("[\ue000-\ue0ff]")
MARK = re.compile(
    f"{OPEN}([{CODES['offset']}-{CODES['item']}])([^{OPEN}-{CLOSE}]*)(?:{SPLIT}([ -~]*))?{CLOSE}"
)
KIND_OF = {code: kind for kind, code in CODES.items()}


class Piece(NamedTuple):
    """A part of a text; `kind` is empty for a literal."""

    kind: str
    text: str
    value: Any = None


def mark(kind: str, text: object, value: Any = None) -> str:
    """A value with its kind; marks within the value have no effect."""
    content = unforged(plain(str(text)))
    suffix = "" if value is None else SPLIT + json.dumps(value, default=str)
    return f"{OPEN}{CODES[kind]}{content}{suffix}{CLOSE}"


def unforged(text: str) -> str:
    """Without characters that could be read as marks."""
    return OWN.sub(lambda own: f"\\u{ord(own[0]):04x}", text)


def plain(text: str) -> str:
    return MARK.sub(lambda match: match[2], text) if OPEN in text else text


def pieces(text: str) -> Iterator[Piece]:
    """Literals and values in order."""
    end = 0
    for match in MARK.finditer(text):
        if match.start() > end:
            yield Piece("", text[end : match.start()])
        value = None if match[3] is None else json.loads(match[3])
        yield Piece(KIND_OF[match[1]], match[2], value)
        end = match.end()
    if end < len(text):
        yield Piece("", text[end:])


def offset(value: int | None, replica: str | None = None) -> str:
    """An offset of the text's partition; `replica`: of that copy of it and not of the text's own. Without thousands separators:
    users search for it."""
    return mark("offset", value, replica)


def number(value: object, as_text: str | None = None) -> str:
    """A count, a size, an epoch, a producer id: nothing that names."""
    return mark("number", value) if as_text is None else mark("number", as_text, value)


def time(timestamp_ms: int, as_text: str) -> str:
    return mark("time", as_text, timestamp_ms)


def topic(name: str | None, unnamed: str = "the topic") -> str:
    """A topic's name; `unnamed`: the text for a topic without a name in the input."""
    return unnamed if name == UNNAMED else mark("topic", name)


def partition(topic_name: str | None, number_in_topic: int | None) -> str:
    """`moves-0`; `partition 0` if the input does not name the topic."""
    return mark("partition", partition_name(topic_name, number_in_topic), [topic_name, number_in_topic])


def partition_name(topic_name: str | None, number_in_topic: int | None) -> str:
    """The same without a mark, for a name alone such as a heading."""
    return f"partition {number_in_topic}" if topic_name == UNNAMED else f"{topic_name}-{number_in_topic}"


def partition_of_key(key: str) -> str:
    """The same for a member's name in report.json, such as `?-0` in `records_per_partition`."""
    topic_name, _, number_in_topic = key.rpartition("-")
    return f"partition {number_in_topic}" if topic_name == UNNAMED else key


def replica(name: str | None) -> str:
    """The folder of a partition's copy."""
    return mark("replica", name)


def noun_of_replica(name: str) -> str:
    """What a copy is called: output, where its name is that of a file or of its lines, as outputs of tools have; else replica."""
    return "output" if OF_AN_OUTPUT.search(name) else "replica"


def entity(identity: object, entity_type: str = "", as_text: object = None) -> str:
    """A journal's entity by its id in the tables; `as_text`: how the sentence calls it."""
    value = [entity_type, str(identity)]
    return mark("entity", identity if as_text is None else as_text, value)


def key(text: object) -> str:
    return mark("key", text)


def file(name: object) -> str:
    return mark("file", name)


def name(text: object) -> str:
    """Any other name in the data: a transactional id, a host, a group, a connector, a version."""
    return mark("name", text)


def names(texts: Sequence[object]) -> list[str]:
    return [name(text) for text in texts]


def hash_of(as_text: str, whole: str | None = None) -> str:
    """A content's hash; `whole` if the text shows only its start."""
    return mark("hash", as_text, whole if whole != as_text else None)


def quote(text: object) -> str:
    """Words of the data, or a sentence that may contain some."""
    return mark("quote", text)


def url(address: object) -> str:
    return mark("url", address)


def step(position: int, line: str) -> str:
    return f"{mark('step', f'{position}. ', position)}{line}"


def item(line: str) -> str:
    return f"{mark('item', '- ')}{line}"


def without_layout(line: str) -> str:
    match = MARK.match(line)
    return line[match.end() :] if match and KIND_OF[match[1]] in LAYOUT_KINDS else line


def written(text: str) -> str:
    """A text by people, such as a rule's: its lines with numbers or bullets become steps and items."""
    return WRITTEN.sub(lambda match: step(int(match[1]), "") if match[1] else item(""), unforged(text))
