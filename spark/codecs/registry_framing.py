"""The framing that a schema registry's serialisers write before a payload.

    Framed  => magic:0  schema_id:int32  payload        Confluent, Redpanda, Karapace, Apicurio 3.x
    Framed  => magic:0  global_id:int64  payload        Apicurio Registry 2.x
    payload => Avro | JSON | indexes  message           Protobuf
    indexes => count, then that many; a count of 0 is the index 0. All are zigzag varints: the message's index in its file,
               then the index within that message, and so on

A first byte of 0 alone proves nothing. Source: Confluent's wire format; Apicurio `DefaultIdHandler`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from spark.codecs.avro import MAX_DEPTH, AvroCursor, InvalidAvro
from spark.codecs.protobuf import InvalidProtobuf

SHORT, LONG = struct.Struct(">bi"), struct.Struct(">bq")
MAGIC = 0
PRINTABLE = range(
    0x20, 0x7F
)  # four letters are text: as an id they would be above 538,976,287, and registries count from 1


@dataclass(frozen=True)
class Frame:
    """The id before a payload, and where the payload starts."""

    schema_id: int
    start: int


def frame_of(data: bytes) -> Frame | None:
    """The framing that the first bytes may be; None if they cannot be one."""
    if len(data) < SHORT.size or data[0] != MAGIC:
        return None
    schema_id = SHORT.unpack_from(data)[1]
    if all(letter in PRINTABLE for letter in data[1 : SHORT.size]):
        return None
    if schema_id > 0:
        return Frame(schema_id, SHORT.size)
    if schema_id == 0 and len(data) >= LONG.size and LONG.unpack_from(data)[1] > 0:
        return Frame(LONG.unpack_from(data)[1], LONG.size)
    return None


def message_indexes(payload: bytes) -> tuple[list[int], bytes]:
    """The index path before a Protobuf message, and the message. Raises InvalidProtobuf."""
    cursor = AvroCursor(payload)
    try:
        count = cursor.long()
        if not 0 <= count <= MAX_DEPTH:
            raise InvalidProtobuf("no place of a message stands before it")
        indexes = [cursor.long() for _ in range(count)] or [0]
    except InvalidAvro as error:
        raise InvalidProtobuf("it ends within the place of its message") from error
    return indexes, payload[cursor.position :]
