"""The shape of a file's head: its first objects with their members, or the reason why it has none.

The head is read as Latin-1, so that bytes which are not UTF-8 do not hide the members, and may end inside an object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from spark.sources._lines.lines import BOM, UTF_16_MARKS
from spark.terms.visible import one_line
from spark.terms.wording import listed

OBJECTS = 50  # looked at
ATTEMPTS = 500
CUT = object()  # stands for a value that the head does not hold to its end

_SKIPPED = re.compile(r"(?:[\s,\[\]\x1e]|%[^\n]*(?:\n|\Z)|data:(?=\s*\{))*")
_NAME = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_COMMA = re.compile(r"\s*,")
_NEXT = re.compile(r'(?<=[\n,}\[])\s*(?:data:)?(?={\s*")')
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class JsonShape:
    """The first objects of a file. `problem` is a sentence if there are none."""

    objects: tuple[dict[str, Any], ...] = ()
    is_array: bool = False
    is_clean: bool = True  # nothing unreadable before the first object
    problem: str | None = None

    @property
    def names(self) -> list[str]:
        """Members of any of the objects, in order of appearance."""
        return list(dict.fromkeys(name for members in self.objects for name in members))

    def values(self, name: str) -> list[Any]:
        """The member's values where present; `CUT` if the head ends within one."""
        return [members[name] for members in self.objects if name in members]

    def having(self, *names: str) -> JsonShape:
        """Only the objects that have all these members: others are no records of the layout. A problem if there are none."""
        whole = tuple(members for members in self.objects if all(name in members for name in names))
        return replace(self, objects=whole, problem=self.problem or (None if whole else self._lacking(names)))

    def _lacking(self, names: Sequence[str]) -> str:
        """Which members no object has, or that no object has all of them."""
        missing = [f"`{name}`" for name in names if name not in self.names]
        if not missing:
            return f"no object has {listed(f'`{name}`' for name in names)} together"
        has = ", ".join(self.names[:12])
        return f"no {listed(missing, 'or')} member; has {has or 'none'}"

    @property
    def form(self) -> str:
        """Array or objects, in words."""
        return "an array of objects" if self.is_array else "one object after another"


@lru_cache(maxsize=1)
def look(head: bytes) -> JsonShape:
    problem = _no_json(head)
    if problem:
        return JsonShape(problem=problem)
    text = head.removeprefix(BOM).decode("latin-1")
    start = _end_of(_SKIPPED, text, 0)
    is_array = "[" in re.sub(r"%[^\n]*", "", text[:start])
    if start == len(text):
        return JsonShape(
            is_array=is_array, problem="contains no object" + (": the array is empty" if is_array else "")
        )
    json_objects = _objects(text, start)
    if not json_objects:
        line = head.removeprefix(BOM).lstrip()[:80].decode("utf-8", "replace").partition("\n")[0]
        return JsonShape(
            is_array=is_array, problem=f"not JSON objects: begins with “{one_line(line[:20].rstrip())}”"
        )
    return JsonShape(tuple(json_objects), is_array, text[start] == "{")


def _no_json(head: bytes) -> str | None:
    if not head.strip():
        return "the file is empty"
    if head.startswith(UTF_16_MARKS):
        return "the text is UTF-16, as PowerShell's `>` writes it; save it as UTF-8"
    return "not text: it contains NUL bytes" if b"\0" in head[:1024] else None


def _objects(text: str, i: int) -> list[dict[str, Any]]:
    json_objects: list[dict[str, Any]] = []
    for _ in range(ATTEMPTS):
        i = _end_of(_SKIPPED, text, i)
        if i >= len(text) or len(json_objects) == OBJECTS:
            break
        members, after = _object(text, i) if text[i] == "{" else (None, i)
        if members is not None:
            json_objects.append(members)
            i = after
            continue
        following = _NEXT.search(text, i + 1)
        if following is None:
            break
        i = following.end()
    return json_objects


def _object(text: str, i: int) -> tuple[dict[str, Any] | None, int]:
    """The object at `i` and the position after it; None if it is invalid before its end or the head's."""
    try:
        value, after = _decoder.raw_decode(text, i)
        return value, after
    except (ValueError, RecursionError):
        members, is_cut = _members_until_cut(text, i + 1)
        return (members if is_cut and members else None), len(text)


def _members_until_cut(text: str, i: int) -> tuple[dict[str, Any], bool]:
    """Members in sequence; whether the end of the head stopped it."""
    members: dict[str, Any] = {}
    while name := _NAME.match(text, i):
        try:
            value, i = _decoder.raw_decode(text, name.end())
        except (ValueError, RecursionError) as error:
            members[name[1]] = CUT
            return members, _ran_off_the_end(error, text)
        members[name[1]] = value
        comma = _COMMA.match(text, i)
        if comma is None:
            return members, not text[i:].strip()
        i = comma.end()
    return members, '"' not in text[i:].strip()[1:]


def _ran_off_the_end(error: Exception, text: str) -> bool:
    if not isinstance(error, json.JSONDecodeError):
        return False
    return "Unterminated" in error.msg or error.pos >= len(text) - 10


def _end_of(pattern: re.Pattern[str], text: str, i: int) -> int:
    match = pattern.match(text, i)
    return match.end() if match else i
