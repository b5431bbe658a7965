"""A message in one version as a function that reads it: built once from its table, then called for every record.

Adjacent fields of fixed size are read together by one `struct`. A step takes the data, a position and the members so far,
and returns the position after its bytes; data that ends too early raises IndexError or struct.error.
"""

from __future__ import annotations

import struct
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from typing import Any

from spark.codecs.kafka_message.schema import Field, MessageSchema
from spark.codecs.varint import InvalidVarint, read_unsigned
from spark.terms.errors import Unreadable

Members = dict[str, Any]
Step = Callable[[bytes, int, Members], int]
Take = Callable[[bytes, int], tuple[Any, int]]  # one value and the place behind it
FIXED = {
    "bool": "?", "int8": "b", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "float64": "d",
}  # fmt: skip
UUID_BYTES = 16


@cache
def reader(message: MessageSchema, version: int) -> Step:
    return structure(message.fields, version, version >= message.flexible_from, has_end=not message.is_open)


def structure(fields: Iterable[Field], version: int, is_flexible: bool, *, has_end: bool = True) -> Step:
    """Reads these fields in order and, in flexible versions, the tagged fields after the last."""
    present = [field for field in fields if field.is_in(version)]
    in_order = [field for field in present if field.tag is None or not is_flexible]
    steps: list[Step] = []
    for is_fixed, run in groupby(in_order, lambda field: field.type in FIXED and not field.is_array):
        group = list(run)
        steps += [together(group)] if is_fixed else [variable(field, version, is_flexible) for field in group]
    if is_flexible and has_end:
        steps.append(tagged([field for field in present if field.tag is not None], version))
    return steps[0] if len(steps) == 1 else sequence(tuple(steps))


def sequence(steps: tuple[Step, ...]) -> Step:
    def run(data: bytes, at: int, members: Members) -> int:
        for step in steps:
            at = step(data, at, members)
        return at

    return run


def together(fields: list[Field]) -> Step:
    """Fields of fixed size, read with one struct."""
    form = struct.Struct(">" + "".join(FIXED[field.type] for field in fields))
    names, unpack, size_bytes = tuple(field.name for field in fields), form.unpack_from, form.size

    def step(data: bytes, at: int, members: Members) -> int:
        members.update(zip(names, unpack(data, at), strict=True))
        return at + size_bytes

    return step


def variable(field: Field, version: int, is_flexible: bool) -> Step:
    name, take = field.name, taker(field, version, is_flexible)

    def step(data: bytes, at: int, members: Members) -> int:
        members[name], at = take(data, at)
        return at

    return step


def taker(field: Field, version: int, is_flexible: bool) -> Take:
    if not field.is_array:
        return single(field, version, is_flexible)
    if field.type in FIXED:
        return numbers(FIXED[field.type], field, is_flexible)
    item, size = single(field, version, is_flexible), length(">i", is_flexible)

    def take(data: bytes, at: int) -> tuple[list[Any] | None, int]:
        count, at = size(data, at)
        if count < 0:
            return nothing(field), at
        if count > len(data) - at:
            raise IndexError
        items = []
        for _ in range(count):
            value, at = item(data, at)
            items.append(value)
        return items, at

    return take


def numbers(form: str, field: Field, is_flexible: bool) -> Take:
    size, width = length(">i", is_flexible), struct.calcsize(f">{form}")

    def take(data: bytes, at: int) -> tuple[list[Any] | None, int]:
        count, at = size(data, at)
        if count < 0:
            return nothing(field), at
        if count * width > len(data) - at:
            raise IndexError
        return list(struct.unpack_from(f">{count}{form}", data, at)), at + count * width

    return take


def single(field: Field, version: int, is_flexible: bool) -> Take:
    """What reads one value of the field's type; an array's item."""
    if field.type in FIXED:
        form = struct.Struct(">" + FIXED[field.type])
        return lambda data, at: (form.unpack_from(data, at)[0], at + form.size)
    if field.type == "uuid":
        return uuid
    if field.type == "{}":
        return nested(field, version, is_flexible)
    size = length(">h" if field.type == "string" else ">i", is_flexible)
    return text(field, size) if field.type == "string" else octets(field, size)


def nested(field: Field, version: int, is_flexible: bool) -> Take:
    """A structure. A nullable one follows a marker: -1 is null, unless the field is tagged."""
    read = structure(field.fields, version, is_flexible)
    may_be_null = field.is_nullable and not field.is_array
    of_null = 255 if field.tag is None else 0

    def take(data: bytes, at: int) -> tuple[Members | None, int]:
        if may_be_null:
            mark, at = (data[at], at + 1) if field.tag is None else varint(data, at)
            if mark == of_null:
                return None, at
        members: Members = {}
        return members, read(data, at, members)

    return take


def text(field: Field, size: Take) -> Take:
    def take(data: bytes, at: int) -> tuple[str | None, int]:
        count, at = size(data, at)
        if count < 0:
            return nothing(field), at
        end = at + count
        if end > len(data):
            raise IndexError
        return data[at:end].decode("utf-8", "replace"), end

    return take


def octets(field: Field, size: Take) -> Take:
    """Bytes, as base64."""

    def take(data: bytes, at: int) -> tuple[str | None, int]:
        count, at = size(data, at)
        if count < 0:
            return nothing(field), at
        end = at + count
        if end > len(data):
            raise IndexError
        return b64encode(data[at:end]).decode(), end

    return take


def nothing(field: Field) -> Any:
    """Null, or an error for a field that is not nullable."""
    if field.is_nullable:
        return None
    raise Unreadable(f"Field {field.name} is null, which the format does not allow.")


def uuid(data: bytes, at: int) -> tuple[str, int]:
    """A UUID as Kafka prints it: URL-safe base64."""
    end = at + UUID_BYTES
    if end > len(data):
        raise IndexError
    return urlsafe_b64encode(data[at:end]).decode()[:22], end


def length(form: str, is_flexible: bool) -> Take:
    """The length before a text or an array; -1 is null."""
    fixed = struct.Struct(form)
    if not is_flexible:
        return lambda data, at: (fixed.unpack_from(data, at)[0], at + fixed.size)

    def compact(data: bytes, at: int) -> tuple[int, int]:
        byte = data[at]
        if byte < 0x80:
            return byte - 1, at + 1
        count, at = varint(data, at)
        return count - 1, at

    return compact


def varint(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned varint of at most five bytes."""
    try:
        return read_unsigned(data, at)
    except InvalidVarint as error:
        raise Unreadable("A length takes more than five bytes.") from error


def tagged(fields: list[Field], version: int) -> Step:
    """Tagged fields; unknown tags are skipped."""
    takers = {field.tag: (field.name, taker(field, version, is_flexible=True)) for field in fields}

    def step(data: bytes, at: int, members: Members) -> int:
        count, at = (0, at + 1) if data[at] == 0 else varint(data, at)
        for _ in range(count):
            tag, at = varint(data, at)
            size_bytes, at = varint(data, at)
            end = at + size_bytes
            if end > len(data):
                raise IndexError
            if tag in takers:
                name, take = takers[tag]
                members[name], behind = take(data, at)
                if behind != end:
                    raise Unreadable(f"The tagged field {name} does not take the {size_bytes} bytes it says.")
            at = end
        return at

    return step
