"""Undoes changes by a page, a terminal or a mail program: colours, no-break spaces, HTML, curly quotes, backticks.

Within a value only if the size printed before it, or JSON's grammar, proves the change.
"""

from __future__ import annotations

import html
import re

from spark.sources._grammar.values import CONTENT, fits, json_after
from spark.sources._wrapping.tools import tool_at

ODD = re.compile(rb"[\x1b\x03&<`*]|~~|\xc2\xa0|\xe2\x80[\x8b-\x8f\x9c-\x9f\xaf]|\xef\xbb\xbf|\^(?:C|\[\[)")
COLOURS = re.compile(rb"\x1b(?:\[[0-9;:?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9])")
SPACES = re.compile(rb"\xc2\xa0|\xe2\x80\xaf|\xe2\x80[\x82-\x8a]")
NOTHING = re.compile(rb"\xe2\x80[\x8b-\x8f]|\xef\xbb\xbf")
TAGS = re.compile(
    rb"</?(?:span|pre|code|div|p|b|i|em|strong|font|a|mark|tt|kbd|samp|li|td|tr|br|u|blockquote)(?:\s[^<>]*)?/?>"
)
ENTITIES = re.compile(rb"&(?:quot|amp|lt|gt|nbsp|apos|#\d{1,6}|#x[0-9a-fA-F]{1,6});")
CURLY = re.compile(rb"\xe2\x80[\x9c\x9d\x9e\x9f]")
BREAK = re.compile(rb"(?:[ \t]*<br[ \t]*/?>)+[ \t]*$|(?:</(?:code|pre|p|div|span|td|li)>[ \t]*)+$")
LABELS = re.compile(rb"`|\*\*")
MARKS = re.compile(rb"`+|\*{1,3}|~~")
QUOTED = re.compile(
    rb"[ \t]*`[^`]*`[ \t]*"
)  # a row that stands alone in backticks is quoted where the others are in a fence


def soften(text: bytes, is_html: bool) -> tuple[bytes, frozenset[str]]:
    """The line as the tool printed it, as far as that is certain, and the changes reversed."""
    if not ODD.search(text):
        return text, frozenset()
    done: set[str] = set()
    for name, undo in UNDONE:
        changed = undo(text, is_html)
        if changed != text and not (fits(text) and not fits(changed)):  # key and value have the printed sizes
            text = changed
            done.add(name)
    return text, frozenset(done)


ECHOED = re.compile(rb"^(?:\^C|\x03|\^\[\[[ABCD])+")  # keys that somebody pressed: Ctrl-C, the arrows


def without_colours(text: bytes, is_html: bool) -> bytes:
    """Removes a terminal's escape sequences, and the ^C of a user who stopped the tool."""
    text = COLOURS.sub(b"", text) if b"\x1b" in text else text
    without = ECHOED.sub(b"", text)
    return without if without != text and (not without or tool_at(without)) else text


def with_spaces(text: bytes, is_html: bool) -> bytes:
    """Replaces no-break spaces of a page by spaces, but not within JSON strings."""
    text = NOTHING.sub(b"", text) if NOTHING.match(text) else text
    if not SPACES.search(text):
        return text
    if tool_at(SPACES.sub(b" ", text).lstrip()) is None:
        return text
    return outside_strings(text, SPACES, b" ") if b'"' in text else SPACES.sub(b" ", text)


def outside_strings(text: bytes, pattern: re.Pattern[bytes], replacement: bytes) -> bytes:
    """Replaces only outside JSON strings."""
    parts = re.split(rb'("(?:[^"\\]|\\.)*"?)', text)
    return b"".join(
        piece if number % 2 else pattern.sub(replacement, piece) for number, piece in enumerate(parts)
    )


def without_html(text: bytes, is_html: bool) -> bytes:
    """Removes tags and entities if the line is a tool's only without them, or stands in a page's code block."""
    bare = BREAK.sub(b"", text)
    plain = ENTITIES.sub(entity, TAGS.sub(b"", bare))
    if plain == text:
        return text
    if is_html and (b"<" not in TAGS.sub(b"", bare) or tool_at(text.lstrip()) is None):
        return plain
    is_now = tool_at(text.lstrip(b" \t`>")) is None and tool_at(plain.lstrip(b" \t`>")) is not None
    return plain if is_now else bare if bare != text and ends_whole(bare) else text


def entity(match: re.Match[bytes]) -> bytes:
    return html.unescape(match[0].decode()).encode(errors="replace")


def ends_whole(text: bytes) -> bool:
    """Whether a line is complete without the text after a line break: its sizes, brackets or labels show it."""
    return (
        fits(text) is True
        or json_after(text).is_done
        or (fits(text) is None and tool_at(text.lstrip(b" `")) is not None)
    )


def with_quotes(text: bytes, is_html: bool) -> bytes:
    """Restores JSON's quotes where a mail program put curly ones."""
    straight = CURLY.sub(b'"', text)
    opens = re.match(rb"\s*[{\[]\s*\xe2\x80[\x9c\x9d\x9e\x9f]", text)
    return straight if opens and json_after(straight).is_done else text


def without_ticks(text: bytes, is_html: bool) -> bytes:
    """Removes backticks and asterisks that format labels of kafka-dump-log; never in key and value."""
    if tool_at(text.lstrip(b" \t`*>")) is None:
        return text
    content = CONTENT.search(text)
    at = content.start() if content else len(text)
    labels = text[:at]
    is_dump = re.match(
        rb"[ \t>`*]*(?:[|-] offset: |offset: |baseOffset: |Dumping |(?:Log )?[Ss]tarting )", labels
    )
    if is_dump is None:
        return text
    labels = (
        re.sub(rb"(?<=\S)  +(?=\w)", b" ", LABELS.sub(b" ", labels)).strip()
        if LABELS.search(labels)
        else labels
    )
    whole = labels + text[at:]
    return next(
        (candidate for candidate in (whole, whole.rstrip(b"`"), whole.rstrip(b"`* ")) if fits(candidate)),
        whole,
    )


def without_marks(text: bytes, is_html: bool) -> bytes:
    """Removes Markdown's marks from within a row's beginning, where no tool prints any, and the other half of each pair."""
    first = len(text) - len(text.lstrip(b" \t"))
    if tool_at(text, first) or not MARKS.search(text, first + 1) or QUOTED.fullmatch(text):
        return text
    bare = text[:first] + MARKS.sub(b"", text[first:])
    tool = tool_at(bare, first)
    if tool is None or tool.table or not tool.is_strong or (begins := tool.begins.match(bare, first)) is None:
        return text
    is_open: set[bytes] = set()
    pieces, at, removed = [], 0, 0
    for mark in MARKS.finditer(text, first):
        is_in_head = mark.start() - removed <= begins.end()
        if not is_in_head and mark[0] not in is_open:
            continue
        pieces.append(text[at : mark.start()])
        at, removed = mark.end(), removed + len(mark[0])
        is_open ^= {mark[0]}
    return b"".join([*pieces, text[at:]])


def open_mark(before: bytes, after: bytes) -> bytes:
    """The mark of which one half was removed from a line."""
    odd = [
        mark
        for mark in {*MARKS.findall(before)}
        if (MARKS.findall(before).count(mark) - MARKS.findall(after).count(mark)) % 2
    ]
    return odd[0] if len(odd) == 1 else b""


UNDONE = (
    ("colours", without_colours),
    ("html", without_html),
    ("spaces", with_spaces),
    ("quotes", with_quotes),
    ("ticks", without_ticks),
    ("marks", without_marks),
)
