"""The syntax tree of a filter, and the text that parses to it.

filter  => either                          either => both ("or" both)*
both    => unary (["and"] unary)*          unary  => ("-" | "not ") unary | "(" either ")" | test
test    => name ":" match ("," match)* | name operator match | name "~" "/" RE2 "/" ["i"] | text
match   => text | [text] ".." [text] | operator text        operator => "=" | "!=" | "<" | "<=" | ">" | ">="
text    => (word | "*" | '"' ... '"')+     name   => word ("." (word | '"' ... '"'))*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

PLAIN_WORD = re.compile(r'[^\s()",*]+')
PLAIN_STEP = re.compile(r'[^\s:=<>!~()",.*]+')
PLAIN_HEADER = re.compile(r'[^\s:=<>!~()",*]+')
KEYWORDS = {"and", "or", "not"}
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
STAR = None  # in the pieces of a text: any characters


@dataclass(frozen=True)
class TextMatch:
    """Literal pieces and stars. What is quoted is neither a number nor the word null."""

    pieces: tuple[str | None, ...]
    is_quoted: bool = False

    @property
    def has_star(self) -> bool:
        return STAR in self.pieces

    @property
    def literal(self) -> str:
        """The text, of one without stars."""
        return "".join(piece or "" for piece in self.pieces)

    @property
    def is_anything(self) -> bool:
        return self.pieces == (STAR,)

    @property
    def is_null(self) -> bool:
        return not self.is_quoted and self.pieces == ("null",)

    @property
    def number(self) -> float | int | None:
        """Its number; None where it is none, or quoted."""
        if self.is_quoted or self.has_star or not NUMBER.fullmatch(self.literal):
            return None
        text = self.literal
        return int(text) if text.lstrip("-").isdigit() else float(text)


@dataclass(frozen=True)
class RangeMatch:
    """From one text to another, both included; None: no bound."""

    low: TextMatch | None
    high: TextMatch | None


@dataclass(frozen=True)
class BoundMatch:
    """`<`, `<=`, `>` or `>=` and a text."""

    operator: str
    bound: TextMatch


@dataclass(frozen=True)
class RegexMatch:
    """A regular expression of RE2, found anywhere."""

    expression: str
    ignores_case: bool = False


Match = TextMatch | RangeMatch | BoundMatch | RegexMatch


@dataclass(frozen=True)
class FieldTest:
    """A record passes if one of the matches does. `path`: the member of a value or key, the name of a header."""

    name: str
    path: tuple[str, ...]
    matches: tuple[Match, ...]
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True)
class WordTest:
    """A text without a name: key, value or entity contains it, in capitals or not."""

    text: TextMatch
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True)
class BothTest:
    """Every part holds."""

    parts: tuple[FilterTree, ...]


@dataclass(frozen=True)
class EitherTest:
    """At least one part holds."""

    parts: tuple[FilterTree, ...]


@dataclass(frozen=True)
class NegatedTest:
    """The part does not hold."""

    branch: FilterTree


FilterTree = FieldTest | WordTest | BothTest | EitherTest | NegatedTest


def tests_of(tree: FilterTree | None) -> Iterator[FieldTest | WordTest]:
    """Every test, from left to right."""
    if isinstance(tree, BothTest | EitherTest):
        for branch in tree.parts:
            yield from tests_of(branch)
    elif isinstance(tree, NegatedTest):
        yield from tests_of(tree.branch)
    elif tree is not None:
        yield tree


def both(*parts: FilterTree | None) -> FilterTree | None:
    """All of these that are there, as one tree; None: every record."""
    flat: list[FilterTree] = []
    for branch in parts:
        flat += branch.parts if isinstance(branch, BothTest) else [branch] if branch else []
    return flat[0] if len(flat) == 1 else BothTest(tuple(flat)) if flat else None


def written(tree: FilterTree | None) -> str:
    """The text that parses to this tree."""
    return "" if tree is None else _written(tree, 0)


def _written(tree: FilterTree, level: int) -> str:
    """`level`: 0 where `or` needs no brackets, 1 where `and` needs none, 2 in what is negated."""
    if isinstance(tree, FieldTest):
        return _test(tree)
    if isinstance(tree, WordTest):
        return text_of(tree.text)
    if isinstance(tree, NegatedTest):
        return f"-{_written(tree.branch, 2)}"
    own, word = (0, " or ") if isinstance(tree, EitherTest) else (1, " ")
    text = word.join(_written(branch, own + 1) for branch in tree.parts)
    return f"({text})" if own < level else text


def _test(test: FieldTest) -> str:
    name = name_of(test.name, test.path)
    first = test.matches[0]
    if isinstance(first, RegexMatch):
        return f"{name} ~ {_regex(first)}"
    if isinstance(first, BoundMatch) and len(test.matches) == 1 and test.path:
        return f"{name} {first.operator} {text_of(first.bound)}"
    return f"{name}:{','.join(map(_match, test.matches))}"


def name_of(name: str, path: tuple[str, ...]) -> str:
    """The name of a field with its path: `value.items.0."unit price"`."""
    if not path:
        return name
    plain = PLAIN_HEADER if name == "header" else PLAIN_STEP
    return ".".join([name, *(step if plain.fullmatch(step) else _quoted(step) for step in path)])


def _match(match: Match) -> str:
    if isinstance(match, RangeMatch):
        return "..".join(text_of(bound) if bound else "" for bound in (match.low, match.high))
    if isinstance(match, BoundMatch):
        return f"{match.operator}{text_of(match.bound)}"
    return text_of(match) if isinstance(match, TextMatch) else _regex(match)


def text_of(text: TextMatch) -> str:
    pieces = (
        "*" if piece is STAR else _quoted(piece) if text.is_quoted else str(piece) for piece in text.pieces
    )
    return "".join(pieces)


def literal(text: str) -> TextMatch:
    """A text as it is, quoted where the language would read it otherwise."""
    return TextMatch((text,), needs_quotes(text))


def containing(text: str) -> TextMatch:
    """A text that contains this one."""
    return TextMatch((STAR, text, STAR), needs_quotes(text))


def needs_quotes(text: str) -> bool:
    is_plain = PLAIN_WORD.fullmatch(text) and text.lower() not in KEYWORDS | {"null"} and ".." not in text
    return not is_plain or text[0] in "-=<>!~:" or bool(NUMBER.fullmatch(text))


def _quoted(text: str | None) -> str:
    return '"' + (text or "").replace("\\", "\\\\").replace('"', '\\"') + '"'


def _regex(match: RegexMatch) -> str:
    return f"/{match.expression.replace('/', chr(92) + '/')}/{'i' if match.ignores_case else ''}"
