"""The room that renders typed text: lists and paragraphs, HTML with links, a ticket's markup.

Texts of report.json come with their blocks (docs/report.md, member `typed`). A report that was written before they were has
none: its lines are paragraphs without links. Sentences that pages make themselves have code between backticks, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from spark.terms.marked import unforged, written
from spark.terms.typed_text import CODE, typed
from spark.terms.visible import visible
from webapp.time_element import from_ms, time_element

Segments = Sequence[Mapping[str, Any]]
Link = Callable[
    [int, str, str | None], SafeString | str
]  # of an offset, its text, the replica that the text names

PageLink = Callable[
    [str], str
]  # address of a page of the report by its title, empty where the reader has no such page

COMMAND_CHARACTERS = 25  # a shorter one is a name, not worth a button
MAX_OFFSET = 10**18
UNBROKEN = 30  # characters; a phone's line has some 40
PAGE = re.compile(r"\b(?:page )?(Compare|Records|Repair)(?: page)? of the report\b")
STOP = re.compile(r"^\s*\.(?=\s|$)")
HIDES_NAMES = "Not for copying: this link hides a name in the command."


@dataclass
class Block:
    """Either steps, or items in no order, or one paragraph; a line is its segments."""

    is_list: bool
    lines: list[Segments]
    is_numbered: bool = False


def blocks_of(document: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The blocks of a text of report.json, without characters that a browser would obey."""
    typed_texts = document.get("typed") or {}
    if name in typed_texts:
        return [{**block, "segments": seen(block["segments"])} for block in typed_texts[name]]
    return list(typed(written(visible(document.get(name) or ""))))


def lines_of(document: Mapping[str, Any], name: str) -> list[Segments]:
    """The lines of a list of texts of report.json."""
    typed_lines = (document.get("typed") or {}).get(name)
    if typed_lines is None:
        return [own(visible(text)) for text in document.get(name) or ()]
    return [seen([each for block in text for each in block["segments"]]) for text in typed_lines]


def seen(segments: Segments) -> Segments:
    """Segments whose texts are visible."""
    return [
        {**each, "text": visible(each["text"])}
        | ({"segments": seen(each["segments"])} if each.get("kind") == CODE else {})
        for each in segments
    ]


def own(text: str | None) -> Segments:
    """A sentence that a page makes."""
    return [each for block in typed(unforged(text or "")) for each in block["segments"]]


def line_of_marked(text: str) -> Segments:
    """A sentence with marks that a page makes."""
    return seen([each for block in typed(text) for each in block["segments"]])


def in_blocks(blocks: Iterable[Mapping[str, Any]]) -> list[Block]:
    """In order; steps that follow each other are one list, and so are items."""
    result: list[Block] = []
    for block in blocks:
        is_item, is_step = block["kind"] != "paragraph", block["kind"] == "step"
        if not block["segments"]:
            continue
        if is_item and result and result[-1].is_list and result[-1].is_numbered == is_step:
            result[-1].lines.append(block["segments"])
        else:
            result.append(Block(is_item, [block["segments"]], is_step))
    return result


def as_html(
    segments: Segments,
    link: Link | None = None,
    has_buttons: bool = True,
    page_link: PageLink = lambda _: "",
) -> SafeString:
    """Offsets and pages as links where there is a `link` and a `page_link`, code set apart, commands with a button and without the full
    stop behind them."""
    pieces = [
        _with_page(each["text"], page_link)
        if PAGE.search(each["text"]) and not each.get("kind")
        else _html(_without_stop(each) if has_buttons and is_command(before) else each, link, has_buttons)
        for before, each in pairwise(({}, *segments))
    ]
    return mark_safe("".join(pieces))  # noqa: S308 - every piece is escaped where it is made


def _with_page(text: str, page_link: PageLink) -> str:
    """A sentence, the page that it names a link."""
    named = PAGE.search(text)
    address = page_link(named[1]) if named else ""
    if not named or not address:
        return escape(text)
    return format_html(
        '{}<a href="{}">{}</a>{}', text[: named.start()], address, named[0], text[named.end() :]
    )


def is_command(segment: Mapping[str, Any]) -> bool:
    """Code long enough to be copied."""
    return segment.get("kind") == CODE and len(segment["text"]) >= COMMAND_CHARACTERS


def _without_stop(segment: Mapping[str, Any]) -> Mapping[str, Any]:
    return segment if segment.get("kind") else {**segment, "text": STOP.sub("", segment["text"])}


def _html(segment: Mapping[str, Any], link: Link | None, has_buttons: bool) -> str:
    kind, text = segment.get("kind"), segment["text"]
    if kind == CODE:
        is_complete = has_buttons and not segment.get("hides")
        return _command(text) if is_complete else _code(segment, has_buttons)
    if kind == "time" and (moment := from_ms(segment.get("value"))):
        return time_element(moment, text)
    if kind == "partition" and "whole" not in segment:
        return unbroken(text)
    if "whole" in segment:
        return format_html('<span title="{}">{}</span>', segment["whole"], text)
    if link is None or not is_offset(segment):
        return escape(text)
    return str(link(int(text), text, segment.get("value")))


def unbroken(text: str) -> SafeString:
    """Text whose names and dates with hyphens stay on one line, on a phone too, where they are short enough for one."""
    return format_html_join(
        " ",
        "{}",
        (
            (
                format_html('<span class="unbroken">{}</span>', word)
                if "-" in word and len(word) <= UNBROKEN
                else word,
            )
            for word in text.split(" ")
        ),
    )


def is_offset(segment: Mapping[str, Any]) -> bool:
    """Whether it is one offset, which can be a link to its record."""
    text = segment["text"]
    return segment.get("kind") == "offset" and text.isdecimal() and int(text) < MAX_OFFSET


def named_offsets(blocks: Iterable[Mapping[str, Any]]) -> set[int]:
    """The offsets in a text, those in its commands and of other replicas left out."""
    segments = (each for block in blocks for each in block["segments"])
    return {int(each["text"]) for each in segments if is_offset(each) and not each.get("value")}


def _code(segment: Mapping[str, Any], says_why: bool) -> SafeString:
    """Code that is not to be copied, and why where that is a hidden name."""
    if says_why and segment.get("hides") and len(segment["text"]) >= COMMAND_CHARACTERS:
        return format_html(
            '<span class="command"><code>{}</code><span class="quiet">{}</span></span>',
            segment["text"],
            HIDES_NAMES,
        )
    return format_html("<code>{}</code>", segment["text"])


def _command(text: str) -> SafeString:
    if len(text) < COMMAND_CHARACTERS:
        return format_html("<code>{}</code>", text)
    return format_html(
        '<span class="command"><code>{0}</code><button class="btn btn-sm" type="button" data-copy-text="{0}" '
        'data-copied="Command copied.">Copy</button></span>',
        text,
    )


def in_markup(segments: Segments, markup: ModuleType) -> str:
    """For a ticket."""
    return "".join(
        markup.code(each["text"]) if each.get("kind") == CODE else markup.text(text)
        for each in merged(segments)
        if (text := each["text"])
    )


def merged(segments: Segments) -> Iterator[Mapping[str, Any]]:
    """Neighbours that are no code as one: what a markup escapes depends on what stands beside it."""
    waiting = ""
    for each in segments:
        if each.get("kind") != CODE:
            waiting += each["text"]
            continue
        yield {"text": waiting}
        yield each
        waiting = ""
    yield {"text": waiting}
