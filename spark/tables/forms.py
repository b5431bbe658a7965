"""The form of keys and values, told by their bytes alone: framed by a schema registry, JSON of a kind, text, binary.

    framed       0x00 and a schema id above 0 in four bytes, big-endian (Confluent's wire format); four
                 bytes of text are no id
    object, array, string    JSON by its first and last byte
    encoded_object           a JSON string that holds a JSON object: "{\\"a\\":1}"
    scalar       a JSON number, true or false        null_text    the four letters null
    connect_null {"schema":null,"payload":null}      empty        no byte
    text         nothing of these, and no control character among the first bytes         binary    the rest

A form is a first look, not a proof: a number of eight bytes may look framed. Source: Confluent `AbstractKafkaSchemaSerDe`,
Kafka `JsonConverter`.
"""

# Integers in compiled code are numpy's, whatever the annotations of plain Python say.
# mypy: disable-error-code="return-value,arg-type,assignment"

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.runtime.compiled import compiled

FORMS = (
    "framed", "object", "array", "string", "encoded_object", "scalar", "null_text", "connect_null", "empty", "text", "binary",
)  # fmt: skip
FRAMED, OBJECT, ARRAY, STRING, ENCODED, SCALAR, NULL_TEXT, CONNECT_NULL, EMPTY, TEXT, BINARY = range(
    len(FORMS)
)
FRAME_BYTES = 5
LOOKED_AT_BYTES = 256  # of a text
CONNECT = np.frombuffer(b'{"schema":null,"payload":null}', np.uint8)
WORDS = tuple(np.frombuffer(word, np.uint8) for word in (b"null", b"true", b"false"))


@compiled
def _is_blank(byte: int) -> bool:
    return byte == 32 or (9 <= byte <= 13)


@compiled
def _equals(content: NDArray[np.uint8], start: int, end: int, word: NDArray[np.uint8]) -> bool:
    """Whether the bytes without blanks are these."""
    index = 0
    for position in range(start, end):
        if _is_blank(content[position]):
            continue
        if index == word.size or content[position] != word[index]:
            return False
        index += 1
    return index == word.size


@compiled
def _is_number(content: NDArray[np.uint8], start: int, end: int) -> bool:
    if end - start > 40 or not (content[start] == 45 or 48 <= content[start] <= 57):
        return False
    for position in range(start + 1, end):
        byte = content[position]
        if not (48 <= byte <= 57 or byte in (43, 45, 46, 69, 101)):
            return False
    return 48 <= content[end - 1] <= 57


@compiled
def _json_form(
    content: NDArray[np.uint8], start: int, end: int, connect: NDArray[np.uint8], null: NDArray[np.uint8],
    true: NDArray[np.uint8], false: NDArray[np.uint8],
) -> int:  # fmt: skip
    """The form of JSON without blanks around it; -1 for other text."""
    first, last = content[start], content[end - 1]
    if first == 123 and last == 125:
        return CONNECT_NULL if end - start <= 64 and _equals(content, start, end, connect) else OBJECT
    if first == 91 and last == 93:
        return ARRAY
    if first == 34 and last == 34 and end - start > 1:
        is_encoded = end - start > 4 and content[start + 1] == 123 and content[end - 2] == 125
        return ENCODED if is_encoded else STRING
    if end - start <= 5:
        if _equals(content, start, end, null):
            return NULL_TEXT
        if _equals(content, start, end, true) or _equals(content, start, end, false):
            return SCALAR
    return SCALAR if _is_number(content, start, end) else -1


@compiled
def tell_forms(
    content: NDArray[np.uint8], ends: NDArray[np.int32], forms: NDArray[np.int8], ids: NDArray[np.int32],
    connect: NDArray[np.uint8], null: NDArray[np.uint8], true: NDArray[np.uint8], false: NDArray[np.uint8],
) -> None:  # fmt: skip
    """Form and schema id of field `i`, the bytes from `ends[i]` to `ends[i + 1]`."""
    for field in range(forms.size):
        start, end = np.int64(ends[field]), np.int64(ends[field + 1])
        if start == end:
            forms[field] = EMPTY
            continue
        if content[start] == 0 and end - start >= FRAME_BYTES:
            id = np.int64(0)
            is_text = True
            for position in range(start + 1, start + FRAME_BYTES):
                id = id * 256 + content[position]
                is_text &= 32 <= content[position] < 127
            if 0 < id < 2147483648 and not is_text:
                forms[field], ids[field] = FRAMED, id
                continue
        while start < end and _is_blank(content[start]):
            start += 1
        while end > start and _is_blank(content[end - 1]):
            end -= 1
        form = TEXT if start == end else _json_form(content, start, end, connect, null, true, false)
        if form < 0:
            form = TEXT
            for position in range(start, min(end, start + LOOKED_AT_BYTES)):
                byte = content[position]
                if (byte < 32 and not _is_blank(byte)) or byte == 127:
                    form = BINARY
                    break
        forms[field] = form


def forms_of(values: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Names of forms, null for null, and schema ids, null for what is not framed."""
    binary = values.cast(pa.binary())
    forms, ids = np.zeros(len(binary), np.int8), np.zeros(len(binary), np.int32)
    if len(binary):
        _, ends, content = binary.buffers()
        tell_forms(
            np.frombuffer(content or b"", np.uint8),
            np.frombuffer(ends, np.int32)[binary.offset : binary.offset + len(binary) + 1],
            forms,
            ids,
            CONNECT,
            *WORDS,
        )
    is_null = binary.is_null().to_numpy(zero_copy_only=False)
    names = pa.DictionaryArray.from_arrays(pa.array(forms, mask=is_null), pa.array(FORMS))
    return names.cast(pa.string()), pa.array(ids, mask=is_null | (ids == 0))
