"""JSON documents that captures write, read whole; each member is checked for its type (an absent one is null)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from spark.codecs.json_text import why_not_json
from spark.storage.files import file_size, read_bytes

LEAST, MOST = -(2**63), 2**63 - 1


class InvalidManifest(Exception):
    """The document is not a capture's manifest; the message says where."""


@dataclass(frozen=True)
class Members:
    """An object of the document; `named_as` is its name in messages.

    Each member is None (or empty) if it is null, and raises InvalidManifest if it has another type.
    """

    values: dict[str, Any]
    named_as: str

    @classmethod
    def from_json(cls, value: object, named_as: str) -> Members:
        """Raises InvalidManifest if it is not an object."""
        if not isinstance(value, dict):
            raise InvalidManifest(f"{named_as[:1].upper()}{named_as[1:]} should be an object.")
        return cls(value, named_as)

    def number(self, name: str, most: int = MOST) -> int | None:
        value = self.values.get(name)
        if value is None or (type(value) is int and LEAST <= value <= most):
            return value
        raise self._wrong(name, "a whole number")

    def small(self, name: str) -> int | None:
        return self.number(name, 2**31 - 1)

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(name, "a text")

    def flag(self, name: str) -> bool | None:
        value = self.values.get(name)
        if value is None or isinstance(value, bool):
            return value
        raise self._wrong(name, "true or false")

    def member(self, name: str) -> Members:
        """An object; without members if it is null."""
        value = self.values.get(name)
        return Members.from_json({} if value is None else value, f"`{name}` of {self.named_as}")

    def is_known(self, name: str) -> bool:
        return self.values.get(name) is not None

    def objects(self, name: str) -> Iterator[Members]:
        for number, value in enumerate(self._list(name)):
            yield Members.from_json(value, f"`{name}[{number}]` of {self.named_as}")

    def named(self, name: str) -> Iterator[tuple[str, Members]]:
        inner = self.member(name)
        for key in inner.values:
            yield key, inner.member(key)

    def pairs(self, name: str) -> Iterator[tuple[str, int]]:
        for value in self._list(name):
            if not (isinstance(value, list) and [type(item) for item in value] == [str, int]):
                raise self._wrong(name, "a list of pairs of a name and a number")
            yield value[0], value[1]

    def _list(self, name: str) -> list[Any]:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value or []

    def _wrong(self, name: str, expected: str) -> InvalidManifest:
        return InvalidManifest(f"`{name}` of {self.named_as} should be {expected}.")


@dataclass(frozen=True)
class Form:
    """A kind of document: the member with its version, and its name in messages."""

    mark: str
    name: str
    version: int
    most_bytes: int

    def read(self, path: str) -> Members:
        """Raises InvalidManifest."""
        if file_size(path) > self.most_bytes:
            raise InvalidManifest(f"{self.begun} is larger than {self.most_bytes >> 20} MB.")
        try:
            content = read_bytes(path)
            document = Members.from_json(orjson.loads(content), self.name)
        except orjson.JSONDecodeError as error:
            raise InvalidManifest(
                f"{self.begun} is not JSON: {why_not_json(content, error)}. It was truncated or changed."
            ) from error
        version = document.number(self.mark)
        if version != self.version:
            raise InvalidManifest(
                f"{self.begun} has version {version}, but this Journalscope reads version {self.version}. Update Journalscope."
            )
        return document

    @property
    def begun(self) -> str:
        """Its name at the beginning of a sentence."""
        return self.name[:1].upper() + self.name[1:]
