"""Records of a `_schemas` topic -> entries; never raises.

An unreadable entry has `effects`, what each registry does with it, and `effect`, what the journal's own registry does,
judged by the records read together with it.
"""

from __future__ import annotations

import pyarrow as pa

from spark.dialects._interpret import Headers, Read, data_records, dumped, entry_rows, keys_and_values
from spark.dialects.schema_registry.keys import NOOP, Key, Members, UnreadableKey, read_key
from spark.dialects.schema_registry.owner import TITLES, last_writer, writer_of
from spark.dialects.schema_registry.values import UnreadableValue, read_value

HEADER_NAMES = {b"X-Origin-Host": "host", b"X-Registry-Version": "registryVersion"}
SAYS = {
    "skipped": "{} skips the record.",
    "tombstone": "{} treats it as a deletion.",
    "fatal": "{} does not start with it.",
    "applied": "{} reads it nevertheless.",
}
Entry = tuple[str | None, str | None, str | None, Members, str | None]


def interpret(records: pa.Table) -> pa.Table:
    data = data_records(records)
    rows = zip(*keys_and_values(data), headers_of(data), strict=True)
    read = [read_record(key, value, headers) for key, value, headers in rows]
    owner = last_writer((entry[1], entry[3].get("writer")) for entry in reversed(read))
    return entry_rows(data, [columns_of(entry, owner) for entry in read])


def headers_of(data: pa.Table) -> list[Headers]:
    """Each record's headers; only Karapace writes any."""
    return [
        [(pair["key"] or b"", pair["value"]) for pair in pairs] if pairs else ()
        for pairs in data.column("headers").to_pylist()
    ]


def read_record(key: bytes | None, value: bytes | None, headers: Headers) -> Entry:
    """Type, action, entity, members and error of one record."""
    try:
        read = read_key(key)
    except UnreadableKey as error:
        members = {"keytype": error.keytype, "effects": error.effects, "reason": error.reason}
        return error.keytype, None, None, members, str(error)
    members = key_members(read)
    for name, content in headers:
        if name in HEADER_NAMES and content is not None:
            members[HEADER_NAMES[name]] = content.decode("utf-8", "replace")
    action, why = add_value(read, value, members)
    members["writer"] = writer_of(read, action, members)
    return read.keytype, action, read.entity_id, members, why


def key_members(key: Key) -> Members:
    members = key.members
    subject = key.subject
    return {
        "keytype": key.keytype,
        "subject": subject,
        "version": key.version,
        "magic": members.get("magic"),
        "seq": members.get("seq"),
        "node": members.get("node"),
        "keyForm": key.form,
        "context": members.get("context") or context_of(subject),
    }


def context_of(subject: str | None) -> str | None:
    """`.ctx` of a qualified subject `:.ctx:subject`."""
    if subject and subject.startswith(":."):
        return subject[1:].partition(":")[0]
    return None


def add_value(key: Key, value: bytes | None, members: Members) -> tuple[str | None, str | None]:
    """Adds the value's members; returns the action's word, and why the value is unreadable."""
    if key.keytype == NOOP:
        return "restart", None
    if not value:
        return ("delete" if value is None else "empty"), None
    try:
        action, attributes = read_value(key, value)
    except UnreadableValue as error:
        members.update(error.members)
        members.update(effects=error.effects, reason="value-unreadable")
        return error.action, str(error)
    members.update(attributes)
    return action, None


def columns_of(entry: Entry, owner: str) -> Read:
    entry_type, action, entity, members, why = entry
    if why is not None:
        effect = members["effects"][owner]
        members["effect"] = effect
        why = f"{why} {SAYS[effect].format(TITLES[owner])}"
    text = dumped({name: member for name, member in members.items() if member is not None})
    return entry_type, action, entity, text, why, "raw"
