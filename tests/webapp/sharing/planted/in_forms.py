"""Keys and values in every form that data takes, each with an open mark and one below a masked name."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from urllib.parse import quote

from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark.sources import schema_files
from tests.webapp.sharing.planted.marks import Planting, as_json

Form = Callable[[str, str], bytes]  # an open mark and a secret one
Files = dict[str, bytes]
REGISTERED, UNKNOWN = 7, 99
AVRO = {
    "type": "record", "name": "shop.Note", "fields": [
        {"name": "note", "type": "string"},
        {"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [{"name": "password", "type": "string"}]}},
    ],
}  # fmt: skip
BINARY = {
    "type": "record", "name": "shop.Sealed", "fields": [{"name": "note", "type": "string"}, {"name": "api_token", "type": "bytes"}],
}  # fmt: skip
PROTOBUF = schema_files.descriptors(
    schema_files.file(
        "note.proto",
        schema_files.message("Note", ("note", 1, "string", "one"), ("password", 2, "string", "one")),
    )
)


def document(shown: str, secret: str) -> bytes:
    """JSON, the secret some levels down."""
    return as_json({"note": shown, "inner": [{"password": secret}]})


def in_base64(form: Form) -> Form:
    return lambda shown, secret: base64.b64encode(form(shown, secret))


def avro(shown: str, secret: str) -> bytes:
    """Two texts behind their lengths: the payload of both schemas, all of it valid UTF-8."""
    return b"".join(bytes([2 * len(text)]) + text.encode() for text in (shown, secret))


def protobuf(shown: str, secret: str) -> bytes:
    return schema_files.field(1, shown.encode()) + schema_files.field(2, secret.encode())


FORMS: dict[str, Form] = {
    "text": lambda shown, secret: f"note={shown} password={secret}".encode(),
    "JSON": document,
    "JSON in a string of JSON": lambda shown, secret: as_json({"inner": document(shown, secret).decode()}),
    "JSON behind a byte": lambda shown, secret: b"\x02" + document(shown, secret),
    "base64": in_base64(document),
    "base64 in JSON": lambda shown, secret: as_json({"content": in_base64(document)(shown, secret).decode()}),
    "base64 twice": in_base64(in_base64(document)),
    "URL-encoded": lambda shown, secret: f"note={quote(f'{shown} é')}&password={quote(f'{secret} é')}".encode(),
    "URL-encoded in JSON": lambda shown, secret: as_json({"query": f"note%3D{shown}%26password%3D{secret}"}),
    "UTF-16": lambda shown, secret: document(shown, secret).decode().encode("utf-16"),
    "XML": lambda shown, secret: f"<a note='{shown}'><password>{secret}</password></a>".encode(),
    "YAML": lambda shown, secret: f"note: {shown}\ndb:\n  password: {secret}\n".encode(),
    "a pair": lambda shown, secret: as_json({"note": shown, "settings": [{"name": "password", "value": secret}]}),
    "framed Avro": lambda shown, secret: struct.pack(">bi", 0, REGISTERED) + avro(shown, secret),
    "framed Avro with a member of bytes": lambda shown, secret: struct.pack(">bi", 0, REGISTERED + 1) + avro(shown, secret),
    "framed Avro of Apicurio": lambda shown, secret: struct.pack(">bq", 0, REGISTERED) + avro(shown, secret),
    "framed Avro by an uploaded schema": lambda shown, secret: struct.pack(">bi", 0, UNKNOWN) + avro(shown, secret),
    "bare Avro by an uploaded schema": avro,
    "framed Protobuf": lambda shown, secret: struct.pack(">bi", 0, UNKNOWN) + b"\0" + protobuf(shown, secret),
    "bare Protobuf": protobuf,
    "framed JSON": lambda shown, secret: struct.pack(">bi", 0, UNKNOWN) + document(shown, secret),
    "framed JSON of Apicurio": lambda shown, secret: struct.pack(">bq", 0, UNKNOWN) + document(shown, secret),
    "bytes that nothing decodes": lambda shown, secret: b"\xff\xfe\xfd\0" + f"password {secret}".encode() + b"\x80",
}  # fmt: skip
# What is hidden whole, since a mask may cover it, need not be readable.
MAY_BE_WHOLE = {"UTF-16", "bytes that nothing decodes", "base64 twice"}


def upload(planting: Planting, topic: str) -> Files:
    """A topic with a record for each form, its keys in another; a registry's journal; schemas as files."""
    rows = []
    for number, (name, form) in enumerate(FORMS.items()):
        sides = [
            form(planting.mark(part, name, readable=name not in MAY_BE_WHOLE), planting.secret(part, name))
            for part in ("key", "value")
        ]
        rows.append(Record(*sides, SOME_TIME_MS + number))
    for name in ("text", "JSON", "base64"):
        parts = (
            planting.mark("header-value", f"header {name}"),
            planting.secret("header-value", f"header {name}"),
        )
        rows.append(Record(b"k", b"v", SOME_TIME_MS + len(rows), [(b"about", FORMS[name](*parts))]))
    schemas = [
        Record(
            as_json({"keytype": "SCHEMA", "subject": f"s{id}", "version": 1, "magic": 1}),
            as_json(
                {"subject": f"s{id}", "version": 1, "id": id, "schema": json.dumps(schema), "deleted": False}
            ),
            SOME_TIME_MS,
        )
        for id, schema in ((REGISTERED, AVRO), (REGISTERED + 1, BINARY))
    ]
    return {
        f"{topic}-0/00000000000000000000.log": segment(rows),
        "_schemas-0/00000000000000000000.log": segment(schemas),
        "note.avsc": as_json(AVRO),
        "note.desc": PROTOBUF,
    }
