"""Masks by field path and by pattern, for payloads that are shown: JSON by its members, everything else as text.

    config.password     the member `password` of `config` at the top
    **.token            `token` at any depth; names are compared in small letters
    *.secret-*          `*` within a name stands for anything, alone for one name

JSON within strings, and behind the few bytes that some journals put before it, is masked the same way, and so is
text in base64 that is all of a value or a string: what remains of it is encoded again. What is no text cannot be
searched, so it is hidden whole.
"""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from webapp.sharing.redaction.base64_text import decoded, encoded

MASKED = "[masked]"
BINARY = b"[hidden: no text, so it cannot be searched for what is masked]"
PREFIX_BYTES = 16
MOST_DEPTH = 60
MOST_LAYERS = 2  # base64 within base64 is looked into, and no deeper
QUOTES = ' \t\r\n"'


class Masks:
    """The masks of one share."""

    def __init__(self, fields: tuple[str, ...], patterns: tuple[str, ...]) -> None:
        self._paths = [tuple(field.casefold().split(".")) for field in fields]
        self._patterns = [re.compile(pattern) for pattern in patterns]

    @property
    def are_any(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._paths or self._patterns)

    def text(self, text: str) -> str:
        """Text with what fits a pattern masked, also where all of it is base64."""
        within = self._encoded(text, (), 0)
        return self._plain(text) if within is None else within

    def _plain(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(MASKED, text)
        return self._named.sub(lambda found: found[1] + MASKED, text) if self._named else text

    def payload(self, data: bytes) -> bytes:
        """Bytes of a value, a key or a header."""
        if not self.are_any or not data:
            return data
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return BINARY
        return self.document(text).encode()

    def document(self, text: str) -> str:
        """JSON, or JSON behind a prefix, by its members; else as text."""
        return self._document(text, (), 0)

    def _document(self, text: str, path: tuple[str, ...], layers: int) -> str:
        """`layers` of base64 were taken off."""
        for start in [place for place, letter in enumerate(text[: PREFIX_BYTES + 1]) if letter in "{["][:3]:
            try:
                whole = json.loads(text[start:])
            except (ValueError, RecursionError):
                continue
            masked = self._value(whole, path, layers)
            if masked == whole:
                return self._plain(text)
            return self._plain(text[:start]) + json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
        within = self._encoded(text, path, layers)
        return self._plain(text) if within is None else within

    def _encoded(self, text: str, path: tuple[str, ...], layers: int) -> str | None:
        """Base64, bare or in quotes, with what it holds masked; None where there is nothing to mask in it."""
        core = text.strip(QUOTES)
        held = decoded(core) if layers < MOST_LAYERS else None
        if held is None or (masked := self._document(held, path, layers + 1)) == held:
            return None
        return self._plain(text.replace(core, encoded(masked)))

    def _value(self, value: Any, path: tuple[str, ...], layers: int) -> Any:
        if len(path) > MOST_DEPTH:
            return MASKED
        if isinstance(value, dict):
            return {
                self.text(name): self._member(each, (*path, name.casefold()), layers)
                for name, each in value.items()
            }
        if isinstance(value, list):
            return [self._value(each, path, layers) for each in value]
        if isinstance(value, str):
            return self._inner(value, path, layers)
        return value if not self._patterns or self._plain(str(value)) == str(value) else MASKED

    def _member(self, value: Any, path: tuple[str, ...], layers: int) -> Any:
        if value is not None and any(fits(path, wanted) for wanted in self._paths):
            return MASKED
        return self._value(value, path, layers)

    def _inner(self, text: str, path: tuple[str, ...], layers: int) -> str:
        """A string; where it is JSON of its own, its members are looked at too, paths going on through it."""
        if text[:1] in ("{", "["):
            try:
                whole = json.loads(text)
            except (ValueError, RecursionError):
                return self._plain(text)
            masked = self._value(whole, path, layers)
            return text if masked == whole else json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
        within = self._encoded(text, path, layers)
        return self._plain(text) if within is None else within

    @cached_property
    def _named(self) -> re.Pattern[str] | None:
        """`name: value` in text that is no JSON, for the last names of the paths that hold no wildcard."""
        names = sorted({path[-1] for path in self._paths if "*" not in path[-1]})
        if not names:
            return None
        either = "|".join(map(re.escape, names))
        return re.compile(
            rf"((?i:(?<![a-z0-9])(?:{either}))\\?[\"']?\s*[=:]\s*)(?!{re.escape(MASKED)})[^\s,;&}}]+"
        )


def fits(path: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether a path of names is meant; `**` stands for any number of names, a wanted name may hold dots itself."""
    if not wanted:
        return not path
    if wanted[0] == "**":
        return any(fits(path[start:], wanted[1:]) for start in range(len(path) + 1))
    if not path:
        return False
    dotted = path[0].count(".") + 1
    if dotted > 1 and len(wanted) >= dotted and fnmatchcase(path[0], ".".join(wanted[:dotted])):
        return fits(path[1:], wanted[dotted:])
    return fnmatchcase(path[0], wanted[0]) and fits(path[1:], wanted[1:])
