"""JSON objects as rows: one after another, in a list, or in a list within one object.

    {"k": 1}\\n{"k": 2}     [{"k": 1}, {"k": 2}]     {"hits": {"hits": [{"_source": {"k": 1}}, ...]}}

A column is a member, or a path of members (`message.value`); a member whose own name has dots goes first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from spark.sources._json.shape import CUT, look
from spark.sources._lines.lines import decoder

MAX_DEPTH = 4
MAX_PATHS = 200
SAMPLED = 50
MISSING = object()
BEGINNING = re.compile(r"(?:\s|data:)*[\[{]")


@dataclass(frozen=True)
class Objects:
    """Objects of a head: the paths of their members in order, and the first ones. `within`: names of the members around a list."""

    paths: tuple[str, ...]
    sample: tuple[dict[str, Any], ...]
    within: str = ""

    @property
    def title(self) -> str:
        return f"JSON objects in the list `{self.within}`" if self.within else "JSON objects"

    def rows(self) -> list[list[str | None]]:
        """The first objects as cells for people and for the guess."""
        return [[printed(resolved(members, path)) for path in self.paths] for members in self.sample]


@lru_cache(maxsize=2)
def find_objects(head: bytes) -> Objects | None:
    """Objects with at least two members, or with one that is an object."""
    if not BEGINNING.match(head[:4096].decode("latin-1").removeprefix("ï»¿")):
        return None
    shape = look(head)
    if not shape.objects:
        return None
    objects, within = [in_utf_8(members) for members in shape.objects], ""
    if len(objects) == 1 and not shape.is_array and (in_file := list_within(objects[0], head)):
        within, objects = in_file
    objects = [
        {name: value for name, value in members.items() if value is not CUT} for members in objects[:SAMPLED]
    ]
    paths = list(dict.fromkeys(path for members in objects for path in paths_of(members)))[:MAX_PATHS]
    return Objects(tuple(paths), tuple(objects), within) if len(paths) > 1 else None


def in_utf_8(value: Any) -> Any:
    """A value whose strings were read as Latin-1, with their characters."""
    if isinstance(value, dict):
        return {in_utf_8(name): in_utf_8(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [in_utf_8(inner) for inner in value]
    try:
        return value.encode("latin-1").decode() if isinstance(value, str) else value
    except ValueError:
        return value  # it was written by its escape


def list_within(members: dict[str, Any], head: bytes) -> tuple[str, list[dict[str, Any]]] | None:
    """The longest list of objects in an object, and its path; of a head that ends within it the objects that are whole."""
    lists = [
        (path, [item for item in value if isinstance(item, dict)])
        for path, value in lists_of(members)
        if value and all(isinstance(item, dict) for item in value)
    ]
    if not lists:
        lists = cut_lists(members, head.decode("utf-8", "replace"))
    return max(lists, key=lambda in_file: len(in_file[1]), default=None)


def cut_lists(members: dict[str, Any], text: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Lists that begin in a head and do not end there."""
    names = [name for name, value in members.items() if value is CUT]
    in_file = []
    for match in re.finditer(r'"((?:[^"\\]|\\.)*)"\s*:\s*\[\s*(?=\{)', text) if names else ():
        items = [item for _, _, item in islice(items_at(text, match.end()), SAMPLED)]
        in_file.append((match[1], [item for item in items if item]))
    return in_file


def lists_of(members: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    for name, value in members.items():
        if isinstance(value, list):
            yield f"{before}{name}", value
        elif isinstance(value, dict) and depth < MAX_DEPTH:
            yield from lists_of(value, f"{before}{name}.", depth + 1)


def paths_of(members: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[str]:
    """Members, and behind an object's name those of the object."""
    for name, value in members.items():
        yield f"{before}{name}"
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from paths_of(value, f"{before}{name}.", depth + 1)


def resolved(members: Any, path: str) -> Any:
    """What a path leads to, or MISSING."""
    if not isinstance(members, dict):
        return MISSING
    if path in members:
        return members[path]
    names = path.split(".")
    for count in range(1, len(names)):
        inner = resolved(members.get(".".join(names[:count])), ".".join(names[count:]))
        if inner is not MISSING:
            return inner
    return MISSING


def printed(value: Any) -> str | None:
    if value is MISSING or value is None:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def objects_of(text: str, within: str) -> Iterator[tuple[int, int, Any]]:
    """Objects with their positions in bytes; invalid text up to the next object is None. `within`: the list to read."""
    begin = list_at(text, within) if within else 0
    done, position = 0, 0
    for start, end, members in items_at(text, begin, bool(within)):
        first = position + len(text[done:start].encode())
        position = first + len(text[start:end].encode())
        done = end
        yield first, position, members


def list_at(text: str, within: str) -> int:
    """Where the objects of a list begin."""
    name = json.dumps(within.rpartition(".")[2], ensure_ascii=False)
    pattern = re.compile(re.escape(name) + r"\s*:\s*\[\s*(?=\{)")
    match = pattern.search(text) or re.compile(r"\[\s*(?=\{)").search(text)
    return match.end() if match else len(text)


def items_at(text: str, at: int, is_list: bool = False) -> Iterator[tuple[int, int, Any]]:
    """Objects from a position on; of a list up to its end."""
    while (begin := text.find("{", at)) >= 0:
        if is_list and "]" in text[at:begin]:
            return
        try:
            members, end = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError):
            following = text.find("\n{", begin + 1)
            end = following + 1 if following >= 0 else len(text)
            members = None
        yield begin, end, members
        at = end
