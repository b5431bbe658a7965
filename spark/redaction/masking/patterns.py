"""Patterns of masks: written as Python's `re` has them, run by RE2 (the package `google_re2`) in linear time.

The grammar is read by Python's own parser and written again for RE2, because the two differ: in Python `\\d`, `\\w`,
`\\s` and `\\b` cover all letters, `\\Z` is the end and `$` also matches before a last line break. What RE2 cannot do
(lookaround, references to groups, possessive repeats) is rejected with a reason for users.

Source of both grammars: docs.python.org/3/library/re.html; github.com/google/re2/wiki/Syntax.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import re2

from spark.redaction.masking.fields import writable
from spark.redaction.masking.views import TextSpan

MAX_CHARACTERS = 2_000  # of one pattern
MAX_REPEATS = 1_000  # RE2's own limit
MAX_SECONDS = 2.0  # over one text; what takes longer is hidden whole
FLAGS = ((re.IGNORECASE, "i"), (re.MULTILINE, "m"), (re.DOTALL, "s"))
SPACE = r"\t-\r\x1c-\x20\x{85}\p{Z}"
LINE_END = r"(?:\n?\z)"
UNICODE = {"digit": r"\p{Nd}", "space": SPACE, "word": r"\p{L}\p{N}_"}
ASCII = {"digit": "0-9", "space": r"\t-\r ", "word": "0-9A-Za-z_"}
UNSUPPORTED = {
    code.ASSERT: "it looks ahead or behind, as with (?=…), (?!…), (?<=…) or (?<!…)",
    code.ASSERT_NOT: "it looks ahead or behind, as with (?=…), (?!…), (?<=…) or (?<!…)",
    code.GROUPREF: "it refers to a group that matched before, as with \\1",
    code.GROUPREF_EXISTS: "it depends on a group that matched before, as with (?(1)…)",
    code.POSSESSIVE_REPEAT: "it repeats possessively, as with a++",
    code.ATOMIC_GROUP: "it has an atomic group, as with (?>…)",
}


class Unusable(ValueError):
    """A pattern that cannot be used; the message says why, for its author."""


class PatternTooSlow(Exception):
    """A text takes longer than any text may."""


class Pattern:
    """One pattern. `wide` has no word boundaries, for letters that RE2's boundaries do not know."""

    def __init__(self, narrow: str, wide: str) -> None:
        self.sources = narrow, wide
        self._narrow = _compiled(narrow)
        self._wide = self._narrow if wide == narrow else _compiled(wide)

    @classmethod
    def any_of(cls, patterns: list[Pattern]) -> Pattern:
        """Matches wherever one of them does. Raises Unusable if they are too large together."""
        either = ("|".join(f"(?:{pattern.sources[at]})" for pattern in patterns) for at in (0, 1))
        return cls(*either)

    def spans(self, text: str) -> Iterator[TextSpan]:
        """Where the pattern matches. Raises PatternTooSlow."""
        until = time.monotonic() + MAX_SECONDS
        regexp = self._narrow if text.isascii() else self._wide
        for match in regexp.finditer(writable(text)):
            yield match.span()
            if time.monotonic() > until:
                raise PatternTooSlow


@lru_cache(maxsize=512)
def pattern_of(text: str) -> Pattern:
    """The compiled pattern. Raises Unusable."""
    if len(text) > MAX_CHARACTERS:
        raise Unusable(f"it has more than {MAX_CHARACTERS:,} characters")
    try:
        tree = parser.parse(text)
        narrow, wide = (_Writer(tree.state.flags, is_wide).sequence(tree) for is_wide in (False, True))
    except re.error as problem:
        raise Unusable(str(problem)) from problem
    except (RecursionError, OverflowError) as problem:
        raise Unusable("it is nested too deeply") from problem
    return Pattern(narrow, wide)


def matches_nothing(text: str) -> bool:
    """Whether the pattern also matches the empty string."""
    return next(pattern_of(text).spans(""), None) is not None


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern, options)
    except re2.error as problem:
        reason = problem.args[0].decode() if isinstance(problem.args[0], bytes) else str(problem)
        raise Unusable(f"RE2, which runs patterns, does not take it: {reason}") from problem


class _Writer:
    """Writes a syntax tree of Python's `re` for RE2."""

    def __init__(self, flags: int, is_wide: bool) -> None:
        self._flags, self._is_wide = flags, is_wide

    def sequence(self, tree: Any) -> str:
        items = list(tree)
        return "".join(self._item(items, at) for at in range(len(items)))

    def _item(self, items: list[Any], at: int) -> str:
        kind, value = items[at]
        if kind in UNSUPPORTED:
            raise Unusable(f"{UNSUPPORTED[kind]}, and takes time without limit that way")
        if kind is code.AT:
            beside = [items[side][0:2] for side in (at - 1, at + 1) if 0 <= side < len(items)]
            return self._at(value, any(map(_is_ascii_word, beside)))
        write: Callable[[Any], str] = getattr(self, f"_{str(kind).lower()}")
        return write(value)

    def _literal(self, value: int) -> str:
        return self._cased(_letter(value))

    def _not_literal(self, value: int) -> str:
        return self._cased(f"[^{_letter(value)}]")

    def _any(self, _: None) -> str:
        return "(?s:.)" if self._flags & re.DOTALL else r"[^\n]"

    def _in(self, value: list[Any]) -> str:
        is_negated = value[0][0] is code.NEGATE
        parts = value[1:] if is_negated else value
        if any(kind is code.CATEGORY and _is_not(name) for kind, name in parts):
            return self._mixed(parts, is_negated)
        within = "".join(self._of_set(kind, each) for kind, each in parts)
        return self._cased(f"[{'^' if is_negated else ''}{within}]")

    def _mixed(self, parts: list[Any], is_negated: bool) -> str:
        r"""A set with `\D`, `\W` or `\S`; RE2 has no difference of sets, so a negated one is written character by character."""
        if is_negated:
            within = "".join(self._of_python(kind, value) for kind, value in parts)
            return self._cased(f"[{_letters_of(f'[^{within}]', self._flags & re.ASCII)}]")
        each = (
            f"[^{self._category(name)}]"
            if kind is code.CATEGORY and _is_not(name)
            else f"[{self._of_set(kind, name)}]"
            for kind, name in parts
        )
        return self._cased(f"(?:{'|'.join(each)})")

    def _of_set(self, kind: Any, value: Any) -> str:
        if kind is code.LITERAL:
            return _letter(value)
        if kind is code.RANGE:
            return f"{_letter(value[0])}-{_letter(value[1])}"
        return self._category(value)

    def _of_python(self, kind: Any, value: Any) -> str:
        if kind is not code.CATEGORY:
            ends = (value,) if kind is code.LITERAL else value
            return "-".join(re.escape(chr(end)) for end in ends)
        name = str(value).lower().rsplit("_", 1)[-1][0]
        return f"\\{name.upper() if _is_not(value) else name}"

    def _category(self, name: Any) -> str:
        classes = ASCII if self._flags & re.ASCII else UNICODE
        return classes[str(name).lower().rsplit("_", 1)[-1]]

    def _at(self, value: Any, is_beside_ascii: bool) -> str:
        if value in (code.AT_BOUNDARY, code.AT_NON_BOUNDARY):
            is_exact = (is_beside_ascii and value is code.AT_BOUNDARY) or self._flags & re.ASCII
            boundary = r"\b" if value is code.AT_BOUNDARY else r"\B"
            return "" if self._is_wide and not is_exact else boundary
        is_line = bool(self._flags & re.MULTILINE)
        if value in (code.AT_BEGINNING, code.AT_BEGINNING_STRING):
            return "(?m:^)" if is_line and value is code.AT_BEGINNING else r"\A"
        if value is code.AT_END:
            return "(?m:$)" if is_line else LINE_END
        return r"\z"

    def _branch(self, value: tuple[None, list[Any]]) -> str:
        return f"(?:{'|'.join(self.sequence(option) for option in value[1])})"

    def _subpattern(self, value: tuple[Any, int, int, Any]) -> str:
        _, added, removed, tree = value
        return f"(?:{_Writer((self._flags | added) & ~removed, self._is_wide).sequence(tree)})"

    def _max_repeat(self, value: tuple[int, Any, Any], lazy: str = "") -> str:
        minimum, maximum, tree = value
        is_open = maximum is code.MAXREPEAT
        if minimum > MAX_REPEATS or (not is_open and maximum > MAX_REPEATS):
            raise Unusable(f"it repeats something more than {MAX_REPEATS:,} times; write + or * instead")
        return f"(?:{self.sequence(tree)}){{{minimum},{'' if is_open else maximum}}}{lazy}"

    def _min_repeat(self, value: tuple[int, Any, Any]) -> str:
        return self._max_repeat(value, "?")

    def _cased(self, text: str) -> str:
        return f"(?i:{text})" if self._flags & re.IGNORECASE else text


def _letter(value: int) -> str:
    """A character; by its number if it could be a sign of the grammar."""
    if 0xD800 <= value <= 0xDFFF:
        raise Unusable("it has half a surrogate pair in it")
    letter = chr(value)
    return letter if value < 128 and letter.isalnum() else f"\\x{{{value:x}}}"


@lru_cache(maxsize=64)
def _letters_of(python_set: str, flags: int) -> str:
    """The ranges of all characters that Python's `re` finds in a set."""
    matches = re.compile(f"{python_set}+", flags).finditer(_every_letter())
    spans = (match.group() for match in matches)
    return "".join(f"{_letter(ord(text[0]))}-{_letter(ord(text[-1]))}" for text in spans)


@lru_cache(maxsize=1)
def _every_letter() -> str:
    return "".join(chr(number) for number in range(0x110000) if not 0xD800 <= number <= 0xDFFF)


def _is_not(category: Any) -> bool:
    return "_NOT_" in str(category)


def _is_ascii_word(item: Any) -> bool:
    """Whether the item next to a boundary is a letter or digit that RE2's boundaries know."""
    kind, value = item
    if kind is code.LITERAL:
        return value < 128 and (chr(value).isalnum() or value == ord("_"))
    if kind is code.SUBPATTERN:
        return len(value[3]) > 0 and all(_is_ascii_word(inner) for inner in value[3])
    if kind is code.BRANCH:
        return all(len(inner) > 0 and all(_is_ascii_word(each) for each in inner) for inner in value[1])
    if kind in (code.MAX_REPEAT, code.MIN_REPEAT):
        return value[0] > 0 and all(_is_ascii_word(inner) for inner in value[2])
    return kind is code.IN and all(_is_ascii_word(_highest(inner)) for inner in value)


def _highest(item: Any) -> Any:
    """For a range of ASCII letters or digits: a letter; otherwise the item."""
    kind, value = item
    ends = "".join(map(chr, value)) if kind is code.RANGE else ""
    return (code.LITERAL, ord("a")) if ends.isascii() and ends.isalnum() else item
