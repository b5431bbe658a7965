"""Values that nothing names a schema for, tried with the schemas uploaded beside the journal.

A schema that reads a value to its last byte may have written it, or not: the note says so, and names every other that
fits. Framed values are tried behind their framing first, then as a whole, because an Avro value may begin with a zero.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from webapp import json_text
from webapp.reports.avro import Names, NotAvro, decode, names_of
from webapp.reports.protobuf import NotProtobuf, ProtoFile, link, message_place, read_message
from webapp.reports.queries.uploaded import SchemaFile, schema_files
from webapp.reports.results import Results

MOST_TRIED = 200
MOST_BYTES = 1_000_000  # of a value
LONGEST_S = 3.0  # for all schemas together
LONGEST_EACH_S = 1.0
MOST_NAMED = 3


@dataclass(frozen=True)
class Uploaded:
    """The schemas of all files: what may be tried, by the name that the reader sees."""

    avro: list[tuple[str, Any]]
    names: Names
    protobuf: list[tuple[str, ProtoFile]]


@dataclass(frozen=True)
class Attempt:
    """A schema to try: `read` gives its full name and the value, or raises NotAvro or NotProtobuf."""

    name: str
    form: str
    read: Callable[[bytes], tuple[str, Any]]


@dataclass(frozen=True)
class Fit:
    """A schema that reads the value to its last byte."""

    name: str
    form: str
    value: Any


@dataclass(frozen=True)
class Fits:
    """All of them by name; `tried` of `there` schemas were tried; `is_framed`: behind the framing."""

    found: list[Fit]
    tried: int
    there: int
    is_framed: bool = False

    @property
    def note(self) -> str:
        """What the reader must know of the value shown, which is that of the first."""
        if not self.found:
            schemas = "uploaded schema" if self.there == 1 else "uploaded schemas"
            return f"Tried with {self.tried}{self.of_all} {schemas}: none reads it to its last byte."
        first, *others = [fit.name for fit in self.found]
        cut = f" Tried were {self.tried}{self.of_all} uploaded schemas." if self.of_all else ""
        if not others:
            return f"Read with {first}, no proof that it was written with it.{cut}"
        more = ", ".join(others[:MOST_NAMED]) + (", ..." if len(others) > MOST_NAMED else "")
        return (
            f"Read with {first}, no proof that it was written with it: {len(self.found)} uploaded schemas fit, this is the "
            f"first by name ({more} fit, too).{cut}"
        )

    @property
    def of_all(self) -> str:
        """Of how many, where not all were tried."""
        return f" of {self.there:,}" if self.tried < self.there else ""


def try_uploaded(
    results: Results, data: bytes, start: int | None = None, *, only_protobuf: bool = False
) -> Fits | None:
    """What the uploaded schemas make of a value; `start`: where the payload of a framed one begins. `only_protobuf`: its
    framing is known to be right and its schema to be Protobuf.
    """
    if not data or len(data) > MOST_BYTES or not results.count("properties"):
        return None
    uploaded: Uploaded = results.remembered(("uploaded schemas",), lambda: understood(schema_files(results)))
    until = monotonic() + LONGEST_S
    if not uploaded.avro and not uploaded.protobuf:
        return None
    if start:
        fits = tried(behind_framing(uploaded, only_protobuf), data[start:], until)
        if fits.found or only_protobuf:
            return replace(fits, is_framed=True)
    return tried(as_a_whole(uploaded), data, until)


def tried(attempts: list[Attempt], data: bytes, until: float) -> Fits:
    """Every schema that fits, as far as time allows."""
    found, count = [], 0
    for attempt in attempts[:MOST_TRIED]:
        if monotonic() > until:
            break
        count += 1
        try:
            name, value = attempt.read(data)
        except (NotAvro, NotProtobuf, RecursionError):
            continue
        found.append(Fit(name, attempt.form, value))
    return Fits(found, count, len(attempts))


def behind_framing(uploaded: Uploaded, only_protobuf: bool) -> list[Attempt]:
    """Protobuf's framing says which message of a file it is."""
    avro = [] if only_protobuf else [by_avro(name, schema, uploaded.names) for name, schema in uploaded.avro]
    return in_order(avro + [by_place(name, file) for name, file in uploaded.protobuf])


def as_a_whole(uploaded: Uploaded) -> list[Attempt]:
    """Any top-level message of a file may be meant."""
    avro = [by_avro(name, schema, uploaded.names) for name, schema in uploaded.avro]
    messages = [by_message(name, file, message) for name, file in uploaded.protobuf for message in file.names]
    return in_order(avro + messages)


def in_order(attempts: list[Attempt]) -> list[Attempt]:
    """By name."""
    return sorted(attempts, key=lambda attempt: attempt.name)


def by_avro(name: str, schema: Any, names: Names) -> Attempt:
    """An Avro schema; it may name types of the other files."""
    return Attempt(
        name, "avro", lambda data: (name, decode(schema, data, names=names, longest_s=LONGEST_EACH_S))
    )


def by_message(name: str, file: ProtoFile, message: str) -> Attempt:
    """A top-level message."""
    whose = f"{name} ({message})"
    return Attempt(whose, "protobuf", lambda data: (whose, read_message(file.pool, message, data)))


def by_place(name: str, file: ProtoFile) -> Attempt:
    """The message whose place in its file stands before it."""

    def read(payload: bytes) -> tuple[str, Any]:
        indexes, data = message_place(payload)
        message = file.name_at(indexes)
        if message is None:
            raise NotProtobuf("the file has no message at that place")
        return f"{name} ({message})", read_message(file.pool, message, data)

    return Attempt(name, "protobuf", read)


def understood(files: list[SchemaFile]) -> Uploaded:
    """The files that can be used."""
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
                protobuf += [(file.name, one) for one in link(base64.b64decode(file.content))]
        except (NotAvro, NotProtobuf, ValueError, RecursionError):
            continue
    return Uploaded(avro, names, protobuf)
