"""Masks by field path and by pattern, for shown payloads: JSON by its members, everything else as text.

    fields      which names are masked
    patterns    which patterns are searched in text
    views       text without escapes and look-alikes
    named       values next to names in text; xml_text in elements; pairs in documents with names as values

JSON within strings, and after the few bytes that some journals put before it, is masked in the same way, and so is base64 that
is a whole value or string: the rest is encoded again. Anything but text cannot be searched and is hidden as a whole; so is
text with a masked name whose value cannot be separated.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from spark.codecs.avro import HexBytes
from spark.codecs.length_blocks import read_blocks, written_blocks
from spark.codecs.registry_framing import frame_of
from spark.redaction.masking import json_text
from spark.redaction.masking.encodings import decoded, encoded, narrowed
from spark.redaction.masking.fields import FieldPaths, Path
from spark.redaction.masking.json_text import JsonObject
from spark.redaction.masking.named import HiddenWhole, named_spans
from spark.redaction.masking.pairs import is_name_word, is_value_word
from spark.redaction.masking.patterns import Pattern, PatternTooSlow, pattern_of
from spark.redaction.masking.spans import masked_text, shows_nothing
from spark.redaction.masking.values import MASKED
from spark.redaction.masking.views import TextSpan, TextView, folded, unescaped
from spark.redaction.masking.xml_text import xml_spans

__all__ = ["BINARY", "MASKED", "ShareMasks"]

BINARY = b"[hidden: no text, so it cannot be searched for what is masked]"
PREFIX_BYTES = 16
MAX_DEPTH = 60
MAX_LAYERS = 2  # base64 within base64 is looked into, and no deeper
QUOTES = ' \t\r\n"'
BINARY_SIGNS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]")
NUMBER_BYTES = 8  # as serialisers of numbers write them
LETTERS = re.compile(rb"[!-~]{2}")
BLOCKS_PREFIX = 2  # bytes before blocks that may be shown
NAME_ALONE = re.compile(r"[\w.$/-]+")  # a key that is nothing but the name of a setting
PAIR_LENGTH = 2


class ShareMasks:
    """The masks of one share. Raises Unusable for a pattern that cannot run."""

    def __init__(self, fields: tuple[str, ...], patterns: tuple[str, ...]) -> None:
        self._fields = FieldPaths(fields)
        self._patterns = [pattern_of(pattern) for pattern in patterns]
        self._any = _any_of(patterns)
        self._name = lru_cache(maxsize=10_000)(self.text)  # the names of members come again and again

    @property
    def are_any(self) -> bool:
        return bool(self._fields.are_any or self._patterns)

    def names(self, path: Path) -> bool:
        """Whether a value below these names is masked; the last may also be a name as it stands in text."""
        return self._fields.means(path) or self._fields.is_name(folded(unescaped(path[-1])).text)

    def is_named_by(self, key: bytes) -> bool:
        """Whether a key is a masked name, bare or in quotes: then its value is masked."""
        try:
            name = key.decode().strip(QUOTES)
        except UnicodeDecodeError:
            return False
        return bool(NAME_ALONE.fullmatch(name)) and self.names((name,))

    def text(self, text: str) -> str:
        """Text with matches masked, including a text that is base64 as a whole."""
        within = self._encoded(text, (), 0)
        return self._plain(text) if within is None else within

    def payload(self, data: bytes, path: Path = ()) -> bytes:
        """Bytes of a value, a key or a header; `path`: the names that lead to it."""
        if not self.are_any or not data:
            return data
        if path and self.names(path):
            return MASKED.encode()
        wide = narrowed(data)
        if wide is not None and ((masked := self.document(wide.text, path)) != wide.text or wide.encoding):
            return wide.encoded(masked)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return self._binary(data)
        if BINARY_SIGNS.search(text) and self._json(text) is None:
            return self._binary(data)
        return self.document(text, path).encode()

    def members(self, value: Any) -> str:
        """A decoded value as JSON with members masked; bytes in it are not text and are hidden."""
        document = json_text.as_read(value)
        if isinstance(document, JsonObject) and self._is_innocent(document):
            return json_text.written(document)
        return self._searched(json_text.written(self._value(document, (), 0)))

    def _is_innocent(self, members: JsonObject) -> bool:
        """Whether nothing can match, seen in one pass: few names, and nothing that can hide a text. True of most rows."""
        texts = [text for member in members for text in member if isinstance(text, str)]
        if any(isinstance(member, HexBytes | list | float) for _, member in members) or any(
            decoded(text.strip(QUOTES)) for text in texts
        ):
            return False
        text = json_text.written(members)
        is_bare = text.isascii() and not set(text) & set("\\%&")
        return (
            is_bare and not self._fields.may_be_in(folded(TextView(text)).text) and not self._may_match(text)
        )

    def _binary(self, data: bytes) -> bytes:
        """A number, or length-prefixed blocks, each masked; other binary data cannot be searched and is hidden."""
        if len(data) <= NUMBER_BYTES and not LETTERS.search(data):
            return data
        blocks = None if frame_of(data) else read_blocks(data, BLOCKS_PREFIX)
        if blocks is None or LETTERS.search(blocks[0]):
            return BINARY
        return written_blocks(blocks[0], [self.payload(block) for block in blocks[1]])

    def document(self, text: str, path: Path = ()) -> str:
        """JSON, or JSON after a prefix, by its members; else as text."""
        return self._document(text, path, 0)

    def crosses(self, text: str) -> list[TextSpan]:
        """Matches in text that was joined. Raises PatternTooSlow."""
        return [span for pattern in self._patterns for span in pattern.spans(text)]

    def _document(self, text: str, path: Path, layers: int) -> str:
        """`layers`: how many layers of base64 were removed."""
        parsed = self._json(text)
        if parsed is not None:
            start, whole = parsed
            masked = self._value(whole, path, layers)
            if masked == whole:
                return self._searched(text)
            return self._searched(self._plain(text[:start]) + json_text.written(masked))
        within = self._encoded(text, path, layers)
        return self._plain(text) if within is None else within

    @staticmethod
    def _json(text: str) -> tuple[int, Any] | None:
        """The start of a document that takes the rest of the text, and the document."""
        openings = [at for at, letter in enumerate(text[: PREFIX_BYTES + 1]) if letter in "{["]
        for start in openings[:3]:
            try:
                return start, json_text.read(text[start:])
            except ValueError:
                continue
        return None

    def _encoded(self, text: str, path: Path, layers: int) -> str | None:
        """Base64, bare or in quotes, with its content masked; None if nothing in it is masked."""
        core = text.strip(QUOTES)
        content = decoded(core) if layers < MAX_LAYERS else None
        if content is None or (masked := self._masked_content(content, path, layers + 1)) == content:
            return None
        return self._plain(text.replace(core, encoded(masked)))

    def _masked_content(self, text: str, path: Path, layers: int) -> str:
        wide = narrowed(text.encode())
        if wide is not None and (masked := self._document(wide.text, path, layers)) != wide.text:
            return masked
        return self._document(text, path, layers)

    def _value(self, value: Any, path: Path, layers: int) -> Any:
        if len(path) > MAX_DEPTH:
            return MASKED
        if isinstance(value, JsonObject):
            return self._members(value, path, layers)
        if isinstance(value, list):
            return self._items(value, path, layers)
        if isinstance(value, HexBytes):
            return BINARY.decode() if self.are_any else value
        if isinstance(value, str):
            return self._document(value, path, layers)
        is_same = value is None or not self._patterns or self._searched(str(value)) == str(value)
        return value if is_same else MASKED

    def _members(self, members: JsonObject, path: Path, layers: int) -> JsonObject:
        names_one = any(
            is_name_word(name)
            and isinstance(value, str)
            and len(value) < 300
            and self.names((*path, value.strip()))
            for name, value in members
        )
        masked = JsonObject()
        for name, value in members:
            is_value = names_one and value is not None and is_value_word(name)
            member = MASKED if is_value else self._member(value, (*path, name), layers)
            masked.append((self._name(name), self._in_sight_of(name, value, member)))
        return masked

    def _items(self, items: list[Any], path: Path, layers: int) -> list[Any]:
        """A list; in lists of options or of pairs, the values of masked names."""
        are_pairs = bool(items) and all(
            isinstance(pair, list) and len(pair) == PAIR_LENGTH and isinstance(pair[0], str) for pair in items
        )
        masked = [self._value(each, path, layers) for each in items]
        for at, each in enumerate(items):
            if are_pairs and self.names((*path, each[0])) and each[1] is not None:
                masked[at] = [masked[at][0], MASKED]
            is_option = (
                isinstance(each, str) and each.startswith("-") and "=" not in each and self.names((each,))
            )
            following = items[at + 1] if at + 1 < len(items) else None
            if is_option and isinstance(following, str) and not following.startswith("-"):
                masked[at + 1] = MASKED
        return masked

    def _member(self, value: Any, path: Path, layers: int) -> Any:
        if value is not None and self._fields.means(path):
            return MASKED
        return self._value(value, path, layers)

    def _in_sight_of(self, name: str, value: Any, masked: Any) -> Any:
        """The value, masked if name and value match a pattern only together."""
        if value is None or isinstance(value, list) or masked == MASKED or not self._patterns:
            return masked
        masked_text = json_text.written(masked)
        if not self._may_match(f'"{name}":{masked_text}\n"{name}": {masked_text}'):
            return masked
        try:
            for between in ('":', '": '):
                text = f'"{name}{between}{masked_text}'
                if self._may_match(text) and any(
                    span[1] > len(name) + 3 > span[0] for span in self._telling(text)
                ):
                    return MASKED
        except PatternTooSlow:
            return MASKED
        return masked

    def _plain(self, text: str) -> str:
        """Text that is not a document: values next to names, then pattern matches."""
        may_be_escaped = not text.isascii() or "\\" in text or "%" in text or "&" in text
        view = unescaped(text) if may_be_escaped else TextView(text)
        small = folded(view)
        if self._fields.may_be_in(small.text):
            try:
                spans = named_spans(small, self._fields) + (
                    xml_spans(small.text, self._fields) if "<" in small.text else []
                )
            except HiddenWhole:
                return MASKED
            if spans:
                return self._searched(masked_text(text, [small.original(span) for span in spans]))
        return self._searched(text, view)

    def _searched(self, text: str, view: TextView | None = None) -> str:
        """Text with pattern matches masked, even if they are escaped."""
        view = unescaped(text) if view is None else view
        if not self._may_match(text) and (view.text == text or not self._may_match(view.text)):
            return text
        try:
            spans = self._telling(text)
            if view.text != text:
                spans += [view.original(span) for span in self._telling(view.text)]
        except PatternTooSlow:
            return MASKED
        return masked_text(text, spans)

    def _may_match(self, text: str) -> bool:
        return bool(self._patterns) and (self._any is None or next(self._any.spans(text), None) is not None)

    def _telling(self, text: str) -> list[TextSpan]:
        return [span for span in self.crosses(text) if not shows_nothing(text[slice(*span)])]


def _any_of(patterns: tuple[str, ...]) -> Pattern | None:
    """All patterns as one, to find quickly that none matches; None if that is too large for RE2."""
    try:
        each = [pattern_of(pattern) for pattern in patterns]
        return Pattern.any_of(each) if each else None
    except ValueError:
        return None
