"""A filter as people type it -> syntax tree (grammar: tree.py), by recursive descent."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from spark.terms.wording import listed
from webapp.reports.filters.fields import FIELDS, ORDERED, WORDS, FilterField, nearest
from webapp.reports.filters.moments import EXAMPLE, read_moment
from webapp.reports.filters.reading import (
    WORD,
    WORD_ALONE,
    WORD_WITH_DOTS,
    FilterError,
    FilterReader,
)
from webapp.reports.filters.tree import (
    BothTest,
    BoundMatch,
    EitherTest,
    FieldTest,
    FilterTree,
    Match,
    NegatedTest,
    RangeMatch,
    TextMatch,
    WordTest,
    text_of,
)

MAX_FILTER = 2000  # characters
MAX_TESTS = 50
MAX_DEPTH = 20
INT64 = range(-(2**63), 2**63)
COMPARED = re.compile(r"(<=|>=|<|>|=)\s*")


@dataclass
class FilterParser(FilterReader):
    """One filter. `hidden`: the parts of records that its reader does not get."""

    hidden: frozenset[str] = frozenset()
    tests: int = 0
    depth: int = 0

    def parse(self) -> FilterTree | None:
        """The tree; None: the filter is empty. Raises FilterError."""
        if len(self.text) > MAX_FILTER:
            sentence = f"A filter has {MAX_FILTER:,} characters at most."
            raise FilterError(sentence, MAX_FILTER, len(self.text))
        self.skip()
        if self.is_at_end:
            return None
        tree = self._either()
        if not self.is_at_end:
            raise self.mistake("This bracket closes nothing. Remove it.", self.position + 1)
        return tree

    def _either(self) -> FilterTree:
        parts = [self._both()]
        while self.keyword("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else EitherTest(tuple(parts))

    def _both(self) -> FilterTree:
        parts = [self._unary()]
        while not (self.is_at_end or self.following == ")" or self.is_before("or")):
            self.keyword("and")
            parts.append(self._unary())
        return parts[0] if len(parts) == 1 else BothTest(tuple(parts))

    def _unary(self) -> FilterTree:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            sentence = f"Brackets and negations are nested {MAX_DEPTH} deep at most."
            raise self.mistake(sentence, self.position + 1)
        start = self.position
        if self.following == "-":
            self.skip(1)
            self.token("keyword", start, start + 1)
            tree: FilterTree = NegatedTest(self._unary())
        elif self.keyword("not"):
            tree = NegatedTest(self._unary())
        else:
            tree = self._bracketed() if self.following == "(" else self._test()
        self.depth -= 1
        self.skip()
        return tree

    def _bracketed(self) -> FilterTree:
        start = self.position
        self.skip(1)
        tree = self._either()
        if self.is_at_end:
            raise FilterError("This bracket is not closed. Add ).", start, start + 1)
        self.position += 1
        return tree

    def _test(self) -> FilterTree:
        self.tests += 1
        if self.tests > MAX_TESTS:
            raise self.mistake(f"A filter has {MAX_TESTS} tests at most.")
        if self.is_at_end or self.following == ")":
            raise self.mistake("A test is missing here, such as kind:update.", self.position + 1)
        ahead = self.field_ahead()
        return self._field_test(*ahead) if ahead else self._word_test()

    def _word_test(self) -> WordTest:
        start = self.position
        text = self.read_text(WORD_ALONE, "a text")
        if not text.literal:
            raise FilterError("This matches every record. Remove it, or name a field.", start, self.position)
        name, dot, rest = text.literal.partition(".")
        if dot and name in FIELDS and FIELDS[name].has_path and not text.is_quoted:
            sentence = f"Compare {text.literal} with a value, such as {text.literal}:*, or quote it to search for it."
            raise FilterError(sentence, start, self.position, f"{text.literal}:*" if rest else "")
        if self.hidden & {"key", "value"}:
            instead = f"entity:{text_of(text)}"
            sentence = f"This link hides keys or values. Name a field, such as {instead}."
            raise FilterError(sentence, start, self.position, instead)
        self.token("value", start)
        return WordTest(text, start, self.position)

    def _field_test(self, name: str, path: tuple[str, ...], operator: re.Match[str]) -> FilterTree:
        start, name_end = self.position, operator.start()
        filter_field = self._field_of(name, path, name_end)
        if filter_field.name == "header":
            path = (".".join(path),)
        self.token("name", start, name_end)
        self.token("operator", *operator.span(1))
        self.position = operator.end()
        matches = self._matches(filter_field, operator[1])
        self.token("value", operator.end())
        test = FieldTest(filter_field.name, path, matches, start, self.position)
        return NegatedTest(test) if operator[1] == "!=" else test

    def _field_of(self, name: str, path: tuple[str, ...], end: int) -> FilterField:
        """The field, as a member where a path follows its name."""
        names = tuple(FIELDS)
        if (filter_field := FIELDS.get(name.lower())) is None:
            near = nearest(name, names)
            rest = self.text[self.position + len(name) : end]
            sentence = f"There is no field {name}. Fields are {listed(names)}."
            raise self.mistake(sentence, end, near and near + rest)
        if filter_field.hidden_with in self.hidden:
            raise self.mistake(f"This link hides {filter_field.name}s, so no filter can use them.", end)
        if path and not filter_field.has_path:
            raise self.mistake(f"{name} has no members.", end, filter_field.name)
        if filter_field.kind == "member" and not path:
            raise self.mistake("Name a header, such as header.trace.", end)
        return replace(filter_field, kind="member") if path else filter_field

    def _matches(self, filter_field: FilterField, operator: str) -> tuple[Match, ...]:
        if operator == "~":
            if filter_field.kind not in ("text", "member"):
                raise self.mistake(f"{filter_field.name} is no text. Write {filter_field.name}: and a value.")
            return (self.read_regex(),)
        if operator in ("<", "<=", ">", ">="):
            return (self._bound(filter_field, operator),)
        matches = [self._match(filter_field)]
        while self.following == ",":
            self.skip(1)
            matches.append(self._match(filter_field))
        return tuple(matches)

    def _match(self, filter_field: FilterField) -> Match:
        """One of the values behind a colon."""
        if compared := COMPARED.match(self.text, self.position):
            self.position = compared.end()
            if compared[1] != "=":
                return self._bound(filter_field, compared[1])
        start = self.position
        if filter_field.kind not in ORDERED:
            return self._checked(filter_field, self.read_text(WORD_WITH_DOTS, filter_field.meaning), start)
        low = None if self._is_range else self.read_text(WORD, filter_field.meaning)
        if not self._is_range:
            return self._checked(filter_field, low or TextMatch(()), start)
        self.position += 2
        is_open = self.is_at_end or self.following.isspace() or self.following in "(),"
        high = None if is_open else self.read_text(WORD, filter_field.meaning)
        for bound in (low, high):
            if bound:
                self._checked(filter_field, bound, start, is_bound=True)
        if low is None and high is None:
            raise FilterError("This range has no bound. Write 44.., ..60 or 44..60.", start, self.position)
        return RangeMatch(low, high)

    @property
    def _is_range(self) -> bool:
        return self.text.startswith("..", self.position)

    def _bound(self, filter_field: FilterField, operator: str) -> BoundMatch:
        start = self.position
        if filter_field.kind not in ORDERED:
            raise self.mistake(f"{filter_field.name} has no order. Write {filter_field.name}: and a value.")
        text = self.read_text(WORD, filter_field.meaning)
        return BoundMatch(operator, self._checked(filter_field, text, start, is_bound=True))

    def _checked(
        self, filter_field: FilterField, text: TextMatch, start: int, *, is_bound: bool = False
    ) -> TextMatch:
        """The text that was read from `start`, if the field can be compared with it."""
        end, kind = self.position, filter_field.kind
        if is_bound and text.has_star:
            raise FilterError("A bound has no star. Write a whole value.", start, end)
        if text.is_anything and kind not in ("number", "word"):
            return text
        if text.has_star and kind in ("number", "time", "word"):
            raise FilterError(f"A star has no meaning here. Write {filter_field.meaning}.", start, end)
        if kind == "number" and not (isinstance(text.number, int) and text.number in INT64):
            raise FilterError(f"{filter_field.name} is a whole number: {filter_field.meaning}.", start, end)
        if kind == "time" and read_moment(text.literal) is None:
            raise FilterError(f"“{text.literal[:60]}” is not a time. Write {EXAMPLE}.", start, end)
        if kind == "word" and text.literal not in WORDS[filter_field.name]:
            sentence = f"{filter_field.name} is {listed(filter_field.words, 'or')}."
            raise FilterError(sentence, start, end, nearest(text.literal, filter_field.words))
        return text


def parse_filter(text: str, hidden: frozenset[str] = frozenset()) -> FilterTree | None:
    """The tree; None for an empty filter. Raises FilterError."""
    return FilterParser(text, hidden=hidden).parse()
