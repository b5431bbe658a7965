"""Tries values without a known schema with every available schema.

A schema that reads a value to its last byte may have written it, or not: the note says so, and names every other that
fits. Framed values are tried after their framing first, then as a whole, because an Avro value may begin with a zero.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from spark.codecs import json_text
from spark.codecs.avro import InvalidAvro, Names, decode, names_of
from spark.codecs.protobuf import InvalidProtobuf, ProtoFile, link, read_message
from spark.codecs.registry_framing import message_indexes

MAX_TRIED = 200
MAX_BYTES = 1_000_000  # of a value
MAX_S = 3.0  # for all schemas together
MAX_EACH_S = 1.0
MAX_NAMED = 3


@dataclass(frozen=True)
class CandidateFile:
    """An uploaded file: the text of an Avro schema, or Protobuf descriptors as base64."""

    name: str
    is_avro: bool
    content: str


@dataclass(frozen=True)
class Schemas:
    """The schemas of all uploaded files, by the name that the reader sees."""

    avro: list[tuple[str, Any]]
    names: Names
    protobuf: list[tuple[str, ProtoFile]]


@dataclass(frozen=True)
class SchemaCandidate:
    """A schema to try. `read` returns its full name and the value, or raises InvalidAvro or InvalidProtobuf."""

    name: str
    form: str
    read: Callable[[bytes], tuple[str, Any]]


@dataclass(frozen=True)
class SchemaMatch:
    """A schema that reads the value to its last byte."""

    name: str
    form: str
    value: Any


@dataclass(frozen=True)
class SchemaMatches:
    """Every schema that fits, by name; `tried` of `candidates` were tried. `is_framed`: read after the framing."""

    matches: list[SchemaMatch]
    tried: int
    candidates: int
    is_framed: bool = False

    @property
    def note(self) -> str:
        """What the reader must know about the value shown, which is the first match's."""
        if not self.matches:
            schemas = "uploaded schema" if self.candidates == 1 else "uploaded schemas"
            return f"Tried with {self.tried}{self.of_all} {schemas}: none reads it to its last byte."
        first, *others = [match.name for match in self.matches]
        cut = f" Tried were {self.tried}{self.of_all} uploaded schemas." if self.of_all else ""
        if not others:
            return f"Read with {first}, no proof that it was written with it.{cut}"
        rest = ", ".join(others[:MAX_NAMED]) + (", ..." if len(others) > MAX_NAMED else "")
        return (
            f"Read with {first}, no proof that it was written with it: {len(self.matches)} uploaded schemas match, this is the "
            f"first by name ({rest} match, too).{cut}"
        )

    @property
    def of_all(self) -> str:
        return f" of {self.candidates:,}" if self.tried < self.candidates else ""


def match_schemas(
    schemas: Schemas, data: bytes, start: int | None = None, *, only_protobuf: bool = False
) -> SchemaMatches | None:
    """Every schema that fits a value; None if there is nothing to try.

    `start`: where the payload of a framed value begins; `only_protobuf`: the framing proves a Protobuf schema.
    """
    if not data or len(data) > MAX_BYTES or not (schemas.avro or schemas.protobuf):
        return None
    until = monotonic() + MAX_S
    if start:
        matches = try_each(behind_framing(schemas, only_protobuf), data[start:], until)
        if matches.matches or only_protobuf:
            return replace(matches, is_framed=True)
    return try_each(as_a_whole(schemas), data, until)


def try_each(candidates: list[SchemaCandidate], data: bytes, until: float) -> SchemaMatches:
    matches, count = [], 0
    for candidate in candidates[:MAX_TRIED]:
        if monotonic() > until:
            break
        count += 1
        try:
            name, value = candidate.read(data)
        except (InvalidAvro, InvalidProtobuf, RecursionError):
            continue
        matches.append(SchemaMatch(name, candidate.form, value))
    return SchemaMatches(matches, count, len(candidates))


def behind_framing(schemas: Schemas, only_protobuf: bool) -> list[SchemaCandidate]:
    """Candidates for the payload of a framed value: Avro, and the message that Protobuf's framing names."""
    avro = [] if only_protobuf else [by_avro(name, schema, schemas.names) for name, schema in schemas.avro]
    return in_order(avro + [by_indexes(name, file) for name, file in schemas.protobuf])


def as_a_whole(schemas: Schemas) -> list[SchemaCandidate]:
    """Candidates for a value without framing: any top-level message of a file may be meant."""
    avro = [by_avro(name, schema, schemas.names) for name, schema in schemas.avro]
    messages = [by_message(name, file, message) for name, file in schemas.protobuf for message in file.names]
    return in_order(avro + messages)


def in_order(candidates: list[SchemaCandidate]) -> list[SchemaCandidate]:
    return sorted(candidates, key=lambda candidate: candidate.name)


def by_avro(name: str, schema: Any, names: Names) -> SchemaCandidate:
    """An Avro schema, which may refer to types in other files."""
    return SchemaCandidate(
        name, "avro", lambda data: (name, decode(schema, data, names=names, max_s=MAX_EACH_S))
    )


def by_message(name: str, file: ProtoFile, message: str) -> SchemaCandidate:
    whose = f"{name} ({message})"
    return SchemaCandidate(whose, "protobuf", lambda data: (whose, read_message(file.pool, message, data)))


def by_indexes(name: str, file: ProtoFile) -> SchemaCandidate:
    """The message whose index path stands in front of the payload."""

    def read(payload: bytes) -> tuple[str, Any]:
        indexes, data = message_indexes(payload)
        message = file.name_at(indexes)
        if message is None:
            raise InvalidProtobuf("the file has no message at that place")
        return f"{name} ({message})", read_message(file.pool, message, data)

    return SchemaCandidate(name, "protobuf", read)


def read_schemas(files: list[CandidateFile]) -> Schemas:
    avro: list[tuple[str, Any]] = []
    names: Names = {}
    protobuf: list[tuple[str, ProtoFile]] = []
    for file in files:
        try:
            if file.is_avro:
                document = json_text.read(file.content, json_text.MAX_SCHEMA_DEPTH)
                names = names_of([document]) | names
                avro.append((file.name, document))
            else:
                protobuf += [(file.name, linked) for linked in link(base64.b64decode(file.content))]
        except (InvalidAvro, InvalidProtobuf, ValueError, RecursionError):
            continue
    return Schemas(avro, names, protobuf)
