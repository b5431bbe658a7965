"""Forms of keys and values by their bytes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from spark.tables.forms import forms_of


@pytest.mark.parametrize(
    ("content", "form", "schema_id"),
    [
        (None, None, None),
        (b"", "empty", None),
        (b"\0\0\0\0\x07\x02a", "framed", 7),
        (b"\0\0\0\0\x07", "framed", 7),
        (b"\0\0\0\0\0\0\0\0\x07", "binary", None),
        (b"\0\xff\xff\xff\xff\x07", "binary", None),
        (b'{"a":1}', "object", None),
        (b' {"a":1}\r\n', "object", None),
        (b'{"a":1', "text", None),
        (b"[1]", "array", None),
        (b'"abc"', "string", None),
        (b'""', "string", None),
        (b'"', "text", None),
        (b'"{\\"a\\":1}"', "encoded_object", None),
        (b"12", "scalar", None),
        (b"-1.5e+3", "scalar", None),
        (b"1-", "text", None),
        (b"true", "scalar", None),
        (b"null", "null_text", None),
        (b" null\n", "null_text", None),
        (b"NULL", "text", None),
        (b'{"schema":null,"payload":null}', "connect_null", None),
        (b'{ "schema" : null, "payload" : null }', "connect_null", None),
        (b'{"schema":null,"payload":{}}', "object", None),
        ("Zürich".encode(), "text", None),
        (b"a\x01b", "binary", None),
        (b"   ", "text", None),
    ],
)
def test_a_form_is_told_by_the_bytes(content: bytes | None, form: str | None, schema_id: int | None) -> None:
    forms, ids = forms_of(pa.array([b"before", content, b"after"], pa.binary()).slice(1, 1))
    assert (forms.to_pylist(), ids.to_pylist()) == ([form], [schema_id])


def test_no_value_has_no_form() -> None:
    assert [len(part) for part in forms_of(pa.array([], pa.binary()))] == [0, 0]
