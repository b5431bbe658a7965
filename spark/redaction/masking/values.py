"""Where a value next to a name ends: at its quote, its brace, its line, or before the next name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.redaction.masking.views import TextSpan, TextView

MASKED = "[masked]"
BLANK = re.compile(r"[ \t]*")
NOTHING = re.compile(r"(?:null|none|nil|undefined|\"\"(?!\")|''(?!'))(?=[\s,;&)}\]]|\Z)")
QUOTE = re.compile(r"[burf]{0,2}(\\*)(\"\"\"|'''|[\"'`])")
OPENED = re.compile(r"(?:[\w.]{0,60})?[{(\[]")
SCHEME = re.compile(r"(?:bearer|basic|digest|negotiate|token|apikey|hmac|aws4-hmac-sha256|ssws)[ \t]{1,8}")
NEXT_NAME = r"[\"'\\]{0,3}[\w.\-\[\]$@]{1,60}(?: [\w.-]{1,30}){0,2}[\"'\\]{0,3}\s{0,4}"
AFTER_SIGN = {sign: re.compile(rf"[,;&|]\s{{0,8}}{NEXT_NAME}{sign}") for sign in "=:"}
AFTER_BLANK = re.compile(r"\s(?=[\w.-]{1,60}\s{0,2}=)")
QUOTE_ENDS = re.compile(r"\\*[\"'](?=[\s,;:)}\]]|\Z)")
STARTS_LINE = re.compile(
    r"(?:\A|\n)[ \t]*(?:[-#;*>+!?][ \t]*)*(?:(?:export|set|env|let|var|const)[ \t]+)?[\"']?\Z"
)
ENCLOSED = re.compile(r"(\\*)([\"'`])\Z")
LISTED = (",", ";", "&", "|", "{", "(", "[", "?")
BRACES = re.compile(r"[{}()\[\]\"'\\]")
PARTNERS = {"{": "}", "(": ")", "[": "]"}
BLOCK = re.compile(r"[|>][+\-0-9]{0,3}[ \t]*(?:#[^\n]*)?\r?\Z|[&!][^\n]{0,80}\Z|\\\r?\Z|\r?\Z")
PAIR = re.compile(r"[ \t]*(?:-[ \t]+)?[\"']?[\w.\-$@]{1,80}[\"']?[ \t]*[:=]")


class Lines:
    """The lines of one text, each searched once."""

    def __init__(self, text: str) -> None:
        self._text, self._start, self._end = text, 0, -1

    def end(self, start: int) -> int:
        if not self._start <= start <= self._end:
            newline = self._text.find("\n", start)
            self._start, self._end = start, newline if newline >= 0 else len(self._text)
        return self._end


@dataclass(frozen=True)
class Value:
    """A name and its sign; `start`: where the value begins, blanks before it included."""

    view: TextView
    lines: Lines
    name: TextSpan
    before: str
    sign: str
    sign_at: int
    start: int
    is_closed: bool  # the name stood in quotes of its own

    @property
    def text(self) -> str:
        return self.view.text

    @property
    def starts_line(self) -> bool:
        """Whether only list marks precede the name in its line."""
        first = self.name[0]
        return bool(STARTS_LINE.search(self.before)) and ("\n" in self.before or first <= len(self.before))


def end_of(value: Value) -> TextSpan | None:
    """The span of the value; None if there is nothing to hide."""
    start = BLANK.match(value.text, value.start).end()  # type: ignore[union-attr]
    text = value.text
    if NOTHING.match(text, start) or text.startswith(MASKED, start):
        return None
    if scheme := SCHEME.match(text, start):
        return start, max(_plain_end(value, scheme.end()), scheme.end())
    if quote := QUOTE.match(text, start):
        if not value.is_closed and _encloses(value, quote):
            return None
        return quote.end(), _quoted_end(text, quote)
    if opened := OPENED.match(text, start):
        return start, _balanced_end(text, opened.end() - 1)
    return start, _plain_end(value, start)


def _encloses(value: Value, quote: re.Match[str]) -> bool:
    """Whether the quote after the sign closes one that opened before the name: then the value is empty."""
    enclosed = ENCLOSED.search(value.before)
    return bool(enclosed and enclosed[2] == quote[2] and quote.start() == quote.start(1))


def _quoted_end(text: str, quote: re.Match[str]) -> int:
    """Before the closing quote with as many backslashes; the end of the text if there is none."""
    slashes, sign = quote[1], quote[2]
    at = quote.end()
    closing = re.compile(rf"(\\*){re.escape(sign)}")
    while match := closing.search(text, at):
        if len(match[1]) == len(slashes) or (not slashes and len(match[1]) % 2 == 0):
            if slashes or not text.startswith(sign, match.end()) or len(sign) > 1:
                return match.end() - len(sign) - len(slashes)
            at = match.end() + 1  # a quote written twice, as in SQL and CSV
            continue
        at = match.end()
    return len(text)


def _balanced_end(text: str, start: int) -> int:
    """After the brace that closes the one at the start; the end of the text if there is none."""
    waiting: list[str] = []
    at, quote = start, ""
    while match := BRACES.search(text, at):
        sign, at = match[0], match.end()
        if sign == "\\":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in PARTNERS:
            waiting.append(PARTNERS[sign])
        elif not waiting or waiting.pop() != sign:
            return len(text)
        elif not waiting:
            return at
    return len(text)


def _plain_end(value: Value, start: int) -> int:
    text = value.text
    if value.sign < " " and value.sign != "\t":
        end = text.find(value.sign, start)
        return end if end >= 0 else len(text)
    enclosed = None if value.is_closed else ENCLOSED.search(value.before)
    line_end = value.lines.end(start)
    if enclosed:
        return _enclosed_end(text, start, enclosed)
    if value.sign == "\t":
        end = text.find("\t", start, line_end)
        return end if end >= 0 else line_end
    is_listed = value.before.rstrip(" \t\r\n")[-1:] in LISTED
    if value.starts_line:
        return _line_value_end(value, start, line_end)
    if is_listed:
        return _next_name(value, start, line_end)
    return _word_end(value, start, line_end)


def _enclosed_end(text: str, start: int, enclosed: re.Match[str]) -> int:
    """Name and value in one pair of quotes."""
    closing = re.compile(rf"(?<!\\){re.escape(enclosed[1] + enclosed[2])}")
    match = closing.search(text, start)
    return match.start() if match else len(text)


def _next_name(value: Value, start: int, limit: int) -> int:
    """Before the sign of the next name, or the quote around all of them."""
    after = AFTER_SIGN["=" if "=" in value.sign else ":"]
    at = start
    while match := after.search(value.text, at, limit):
        if value.view.is_escaped(match.start()) and not value.view.is_escaped(value.sign_at):
            at = match.start() + 1
            continue
        limit = match.start()
        break
    quote = QUOTE_ENDS.search(value.text, start, limit)
    end = quote.start() if quote and value.text[quote.end() : limit].strip(" \t)}];,") == "" else limit
    return _without_closers(value, start, end)


def _without_closers(value: Value, start: int, end: int) -> int:
    """Closing brackets of what opened before the name do not belong to the value."""
    while end > start and value.text[end - 1] in "})]" and PARTNERS_OF[value.text[end - 1]] in value.before:
        end -= 1
    return end


PARTNERS_OF = {closer: opener for opener, closer in PARTNERS.items()}


def _word_end(value: Value, start: int, limit: int) -> int:
    """Within a sentence, a blank ends the value too."""
    blank = re.compile(r"\s").search(value.text, start, limit)
    return _next_name(value, start, blank.start() if blank else limit)


def _line_value_end(value: Value, start: int, limit: int) -> int:
    end = _next_name(value, start, limit)
    if "=" in value.sign and (blank := AFTER_BLANK.search(value.text, start, end)):
        return blank.start()
    return end if end < limit else _further_lines(value, start, limit)


def _further_lines(value: Value, start: int, end: int) -> int:
    """Lines with more indent, after a backslash, and the line after a bare `name:`."""
    text = value.text
    indent = _indent(text, text.rfind("\n", 0, value.name[0]) + 1)
    is_open = bool(BLOCK.match(text[start:end][-90:])) if end - start <= 90 else text[end - 1] == "\\"
    while end < len(text):
        after = value.lines.end(end + 1)
        line = text[end + 1 : after]
        goes_on = not line.strip() or _indent(text, end + 1) > indent or text[end - 1 : end] == "\\"
        goes_on = goes_on or (is_open and (line.lstrip().startswith("- ") or not PAIR.match(line)))
        if not goes_on:
            break
        is_open = is_open and (not line.strip() or line.lstrip().startswith("- "))
        end = after
    return end


def _indent(text: str, start: int) -> int:
    return BLANK.match(text, start).end() - start  # type: ignore[union-attr]
