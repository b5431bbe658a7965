"""Reads the pieces of a filter from left to right: names, texts, regular expressions; a mistake says where it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

import re2

from webapp.reports.filters.tree import KEYWORDS, RegexMatch, TextMatch

MAX_EXPRESSION = 500
BLANK = re.compile(r"\s*")
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
STEP = re.compile(r'\.(?:"((?:[^"\\]|\\.)*)"|([^\s:=<>!~()",.*]+))')
OPERATOR = re.compile(r"\s*(!=|<=|>=|:|=|<|>|~)\s*")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
WORD = re.compile(r'(?:(?!\.\.)[^\s()",*])+')
WORD_WITH_DOTS = re.compile(r'[^\s()",*]+')
WORD_ALONE = re.compile(r'[^\s()"*]+')
REGEX = re.compile(r"/((?:[^/\\]|\\.)*)/(\w*)")


class FilterError(ValueError):
    """A mistake: from which character to which, and the nearest right form of that place, if there is one."""

    def __init__(self, sentence: str, start: int, end: int, instead: str = "") -> None:
        super().__init__(sentence)
        self.start, self.end, self.instead = start, end, instead

    @property
    def with_place(self) -> str:
        """The sentence with the place of the mistake, for programs and terminals."""
        hint = f" Did you mean {self.instead}?" if self.instead else ""
        return f"Character {self.start + 1} of the filter: {self}{hint}"


class FilterToken(NamedTuple):
    """Part of the text, for its colour and for completion: name | operator | value | keyword."""

    kind: str
    start: int
    end: int


@dataclass
class FilterReader:
    """A text and how far it is read. `tokens`: what was read before a mistake, too."""

    text: str
    position: int = 0
    tokens: list[FilterToken] = field(default_factory=list)

    @property
    def is_at_end(self) -> bool:
        return self.position >= len(self.text)

    @property
    def following(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.position : self.position + 1]

    def skip(self, characters: int = 0) -> None:
        """Go on by so many characters, and over blanks."""
        match = BLANK.match(self.text, self.position + characters)
        self.position = match.end() if match else self.position

    def mistake(self, sentence: str, end: int | None = None, instead: str = "") -> FilterError:
        """From here to `end`; to the end of the text if absent."""
        end = len(self.text) if end is None else min(end, len(self.text))
        return FilterError(sentence, self.position, max(end, self.position), instead)

    def token(self, kind: str, start: int, end: int | None = None) -> None:
        """Note what was read from `start` on."""
        self.tokens.append(FilterToken(kind, start, self.position if end is None else end))

    def keyword(self, word: str) -> bool:
        """Read this word, if it comes next and stands alone."""
        if not (match := self._keyword_here(word)):
            return False
        start, self.position = self.position, match.end()
        self.token("keyword", start)
        self.skip()
        return True

    def is_before(self, word: str) -> bool:
        """Whether this word comes next."""
        return self._keyword_here(word) is not None

    def _keyword_here(self, word: str) -> re.Match[str] | None:
        match = NAME.match(self.text, self.position)
        if not match or match[0].lower() != word:
            return None
        after = self.text[match.end() : match.end() + 1]
        return match if not after or after.isspace() or after in "()" else None

    def field_ahead(self) -> tuple[str, tuple[str, ...], re.Match[str]] | None:
        """Name, path and operator of a test; None where a text without a name comes next. Nothing is read by this."""
        if not (name := NAME.match(self.text, self.position)):
            return None
        steps, position = [], name.end()
        while step := STEP.match(self.text, position):
            steps.append(step[2] if step[1] is None else unescaped(step[1]))
            position = step.end()
        operator = OPERATOR.match(self.text, position)
        return (name[0], tuple(steps), operator) if operator else None

    def read_text(self, word: re.Pattern[str], meaning: str) -> TextMatch:
        """Words, stars and quoted texts without blanks in between."""
        start, is_quoted = self.position, False
        pieces: list[str | None] = []
        while not self.is_at_end:
            if self.following == "*":
                pieces.append(None)
                self.position += 1
            elif quoted := QUOTED.match(self.text, self.position):
                pieces.append(unescaped(quoted[1]))
                self.position, is_quoted = quoted.end(), True
            elif self.following == '"':
                closed = f'{self.text[self.position :]}"'
                raise self.mistake("This quotation mark is not closed.", instead=closed)
            elif match := word.match(self.text, self.position):
                pieces.append(match[0])
                self.position = match.end()
            else:
                break
        if not pieces:
            raise FilterError(f"A value is missing here: {meaning}.", start, min(len(self.text), start + 1))
        text = TextMatch(joined(pieces), is_quoted)
        if not is_quoted and not text.has_star and word is WORD_ALONE and text.literal.lower() in KEYWORDS:
            sentence = f"A test is missing next to {text.literal}. Quote the word to search for it."
            raise FilterError(sentence, start, self.position, f'"{text.literal}"')
        return text

    def read_regex(self) -> RegexMatch:
        """What stands between slashes, checked by RE2."""
        if not (match := REGEX.match(self.text, self.position)):
            raise self.mistake("A regular expression stands between slashes, such as /^pay/ or /^pay/i.")
        expression = match[1].replace("\\/", "/")
        if match[2] not in ("", "i"):
            raise FilterError(
                "After a regular expression only i is allowed: it ignores case.", *match.span(2)
            )
        if not expression or len(expression) > MAX_EXPRESSION:
            raise FilterError(f"A regular expression has 1 to {MAX_EXPRESSION} characters.", *match.span())
        try:
            re2.compile(expression, quiet())
        except re2.error as problem:
            sentence = f"This is not a regular expression of RE2: {reason(problem)}."
            raise FilterError(sentence, *match.span(1)) from problem
        self.position = match.end()
        return RegexMatch(expression, match[2] == "i")


def joined(pieces: list[str | None]) -> tuple[str | None, ...]:
    """Texts that follow each other as one, stars as well."""
    result: list[str | None] = []
    for piece in pieces:
        if result and result[-1] is None and piece is None:
            continue
        if piece is not None and result and result[-1] is not None:
            result[-1] += piece
        else:
            result.append(piece)
    return tuple(result)


def unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def quiet() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    return options


def reason(problem: Exception) -> str:
    text = problem.args[0] if problem.args else ""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
