"""A journal of every dialect with a mark in each of its fields.

Fields of Kafka's own topics come from their tables in `spark.codecs.kafka_topics`, so that a new field is planted as soon as
somebody adds it. Journals of JSON are written out here; of Apicurio's, whatever text its dialect reads the same with a mark
in its place is replaced by one.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

import pyarrow as pa

from spark.codecs.kafka_message import MessageSchema
from spark.codecs.kafka_message.schema import Field
from spark.codecs.kafka_message.write import write, write_versioned
from spark.codecs.kafka_topics import (
    cluster_metadata,
    consumer_offsets,
    mirror_maker,
    remote_log_metadata,
    share_group_state,
    transaction_state,
)
from spark.dialects import Dialect, dialects
from tests.builders import records_table
from tests.generator import streams
from tests.generator.segment import SOME_TIME_MS, Record
from tests.spark.hostile_records import apicurio_2, apicurio_3
from tests.webapp.sharing.planted.marks import Part, Planting, as_json, marks_in

Rows = list[Record]
# Fields that identify what a journal keeps: of all keys, and of values of some messages.
NAMES_OF = {
    "key": {"group", "groupId", "topic", "memberId", "regularExpression", "topicId", "transactionalId", "sourceClusterAlias", "targetClusterAlias"},
    "GroupMetadataValue": {"memberId"},
    **{f"{name}Record": {"name", "id", "topicId", "resourceName", "entityName", "tokenId", "topicName", "principal", "key", "entityType"}
       for name in cluster_metadata.NUMBERS.values()},
    **{name: {"name", "id"} for name in remote_log_metadata.TABLES},
}  # fmt: skip
NAMES_IN_REGISTRIES = {
    "groupId", "artifactId", "version", "ruleType", "type", "branchId", "commentId", "propertyName", "principalId", "logger", "uuid", "tenantId",
    "bootstrapId",
}  # fmt: skip
MASKED_BY_NAME = {"tokenId"}  # no secret, but `**.*token*` fits it
SCRAM_SECRETS = {"salt", "storedKey", "serverKey"}


def record(key: Any, value: Any, *headers: tuple[bytes, bytes]) -> Record:
    """A record; what is neither bytes nor null is JSON."""
    parts = (part if isinstance(part, bytes | None) else as_json(part) for part in (key, value))
    return Record(*parts, headers=list(headers))


# Kafka's own topics


def message(
    planting: Planting, part: Part, schema: MessageSchema, secrets: Iterable[str] = (), **given: Any
) -> Any:
    """Members of the newest version of a message with a mark in each text and run of bytes."""
    version = schema.last_version
    return members(planting, part, schema.name, schema.fields, version, set(secrets)) | given


def members(
    planting: Planting, part: Part, path: str, fields: Iterable[Field], version: int, secrets: set[str]
) -> dict[str, Any]:
    """The same of a structure."""
    return {
        field.name: member(planting, part, f"{path}.{field.name}", field, version, secrets)
        for field in fields
        if field.is_in(version)
    }


def member(planting: Planting, part: Part, path: str, field: Field, version: int, secrets: set[str]) -> Any:
    """One field's member; an array has one item."""
    if field.type == "{}":
        single: Any = members(planting, part, path, field.fields, version, secrets)
    elif field.type in ("string", "bytes", "uuid"):
        is_name = field.name in NAMES_OF.get(part, set()) or field.name in NAMES_OF.get(
            path.split(".")[0], set()
        )
        mark = planting.mark(
            part, path, masked=field.name in secrets, name=is_name, readable=field.name not in MASKED_BY_NAME
        )
        single = mark if field.type == "string" else base64_of(mark, 16 if field.type == "uuid" else 0)
    else:
        single = 1
    return [single] if field.is_array else single


def base64_of(mark: str, size: int) -> str:
    """The mark as bytes of this size at least, as Kafka's JSON writes them."""
    return base64.b64encode(mark.encode().ljust(size, b"-")).decode().replace("+", "-")


def of_messages(
    planting: Planting, key: MessageSchema | None, value: MessageSchema | None, first: bytes = b""
) -> Record:
    """A record whose key and value are messages behind their versions."""
    written_key = None if key is None else first + write(key, key.last_version, message(planting, "key", key))
    if value is None or value.is_open:
        return Record(written_key, b"\0\0\0\0\0\1")
    return Record(written_key, write_versioned(value, value.last_version, message(planting, "value", value)))


def consumer_offsets_journal(planting: Planting) -> Rows:
    """A record of each type, and the metadata of a classic group's member as consumers write it."""
    rows = [
        of_messages(planting, kind.key, value, struct.pack(">h", number))
        for number, kind in consumer_offsets.RECORD_TYPES.items()
        for value in kind.values or (None,)
    ]
    key = write_versioned(
        consumer_offsets.KEYS["GroupMetadataKey"],
        2,
        message(planting, "key", consumer_offsets.KEYS["GroupMetadataKey"]),
    )
    schema = consumer_offsets.VALUES["GroupMetadataValue"]
    of_group = message(planting, "value", schema, protocolType="consumer")
    topics = [planting.mark("value", f"member's {name}") for name in ("subscription", "assignment")]
    data = [string(b"", topics[0]), string(b"", topics[1])]
    of_group["members"][0]["subscription"] = coded(struct.pack(">hi", 0, 1) + data[0] + struct.pack(">i", -1))
    of_group["members"][0]["assignment"] = coded(
        struct.pack(">hi", 0, 1) + data[1] + struct.pack(">iii", 1, 0, -1)
    )
    return [*rows, Record(key, write_versioned(schema, schema.last_version, of_group))]


def dead_letters(planting: Planting) -> Rows:
    """A record that a share group could not process: the report counts what its headers say."""
    names = ("topic", "group", "message")
    marks = [
        (f"__dlq.errors.{name}".encode(), planting.mark("header-value", name).encode()) for name in names
    ]
    place = [(b"__dlq.errors.partition", b"1"), (b"__dlq.errors.offset", b"7")]
    key, value = planting.mark("key", "letter").encode(), planting.mark("value", "letter").encode()
    return [Record(key, value, headers=(*marks, *place))]


def string(before: bytes, text: str) -> bytes:
    """A text behind its length."""
    return before + struct.pack(">h", len(text)) + text.encode()


def coded(data: bytes) -> str:
    """Base64."""
    return base64.b64encode(data).decode()


def cluster_metadata_journal(planting: Planting) -> Rows:
    """A record of each type; settings whose names are secret, and some that only look so."""
    rows = []
    for number, (name, schema) in cluster_metadata.TYPES.items():
        secrets = SCRAM_SECRETS if name == "UserScramCredential" else ()
        rows.append(
            controller(number, schema, message(planting, "value", schema, secrets, **NUMBERS.get(name, {})))
        )
    number, schema = next(
        (number, schema) for number, (name, schema) in cluster_metadata.TYPES.items() if name == "Config"
    )
    for name in (*SECRET_SETTINGS, *OPEN_SETTINGS):
        value = planting.mark("value", f"config {name}", masked=name in SECRET_SETTINGS)
        resource = planting.name("value", f"resource of {name}")
        given = {"resourceType": 2, "resourceName": resource, "name": name, "value": value}
        rows.append(controller(number, schema, given))
    return rows


NUMBERS = {"Config": {"resourceType": 2}, "UserScramCredential": {"mechanism": 1}}
SECRET_SETTINGS = (
    "sasl.jaas.config",
    "ssl.key.password",
    "ssl.keystore.key",
    "listener.name.x.ssl.truststore.password",
)
OPEN_SETTINGS = ("cleanup.policy", "sasl.mechanism")


def controller(number: int, schema: MessageSchema, given: Mapping[str, Any]) -> Record:
    """A controller's record behind its frame."""
    return Record(None, bytes([1, number, schema.last_version]) + write(schema, schema.last_version, given))


def transaction_state_journal(planting: Planting) -> Rows:
    """A transactional id."""
    return [
        of_messages(planting, transaction_state.KEY, transaction_state.VALUE, b"\0\0"),
        Record(
            write_versioned(transaction_state.KEY, 0, message(planting, "key", transaction_state.KEY)), None
        ),
    ]


def share_group_state_journal(planting: Planting) -> Rows:
    """A snapshot, an update, a deletion."""
    rows = [
        of_messages(planting, share_group_state.KEY, kind.values[0], struct.pack(">h", number))
        for number, kind in share_group_state.RECORD_TYPES.items()
    ]
    key = share_group_state.KEY
    return [*rows, Record(struct.pack(">h", 0) + write(key, 1, message(planting, "key", key)), None)]


def remote_log_metadata_journal(planting: Planting) -> Rows:
    """An event of each kind."""
    return [
        Record(
            None,
            bytes([1, number, 0])
            + write(kind.message, 0, version_0(message(planting, "value", kind.message, **STATES[number]))),
        )
        for number, kind in remote_log_metadata.KINDS.items()
    ]


STATES = {0: {"remoteLogSegmentState": 0}, 1: {"remoteLogSegmentState": 1}, 2: {}}


def version_0(given: dict[str, Any]) -> dict[str, Any]:
    """Without the fields of version 1."""
    return {
        name: value for name, value in given.items() if name not in ("brokerLeaderEpoch", "endOffset")
    } | ({"endOffset": 9} if "startOffset" in given else {})


def mirrored(number: int) -> Callable[[Planting], Rows]:
    """Two records of one of MirrorMaker's kinds: a topic has records of one kind."""
    kind = mirror_maker.KINDS[number]

    def make(planting: Planting) -> Rows:
        body = message(planting, "value", kind.value)
        written = write_versioned(kind.value, 0, body) if kind.is_versioned else write(kind.value, 0, body)
        return [Record(write(kind.key, 0, message(planting, "key", kind.key)), written) for _ in range(2)]

    return make


# Kafka Streams


def streams_windows(planting: Planting) -> Rows:
    key, value = (planting.mark(part, "window").encode() for part in ("key", "value"))
    return [
        streams.window(key, value=value),
        streams.session(planting.mark("key", "session").encode(), value=value),
    ]


def streams_suppress(planting: Planting) -> Rows:
    """Binary, and hidden whole by masks."""
    value = {
        name: planting.mark("value", f"buffer's {name}", readable=False).encode()
        for name in ("new", "prior", "old", "topic")
    }
    headers = [
        (
            planting.mark("value", "buffered header's name", readable=False).encode(),
            planting.mark("value", "buffered header", readable=False).encode(),
        )
    ]
    return [streams.buffered(planting.mark("key", "buffered").encode(), headers=headers, **value)]


def streams_joins(planting: Planting) -> Rows:
    """Each behind a byte that says which side it is of: binary, and hidden whole by masks."""
    values = [planting.mark("value", "waiting", readable=False).encode() for _ in range(2)]
    return [streams.waiting(*values, key=planting.mark("key", "waiting").encode())]


# Journals of JSON

CONNECT_SECRETS = (
    "database.password", "connection.password.value", "api.secret", "some.token", "sasl.jaas.config", "producer.override.sasl.jaas.config",
    "aws.access.key", "my.api.key", "gcp.private.key", "ssl.keystore.key",
)  # fmt: skip
CONNECT_OPEN = (
    "connector.class",
    "topics",
    "value.converter",
    "token.converter.class",
    "secret.columns",
    "sasl.mechanism",
)


def connect(planting: Planting) -> Rows:
    """Settings by name, tasks, offsets, states, and the key with which workers sign."""
    _, value, secret = part_marks(planting)

    def settings(what: str) -> dict[str, str]:
        found = {name: secret(f"{what} {name}") for name in CONNECT_SECRETS}
        found |= {name: value(f"{what} {name}") for name in CONNECT_OPEN}
        found["connection.url"] = (
            f"jdbc:postgresql://ada:{secret(f'{what} password in an address')}@db/{value(f'{what} database')}"
        )
        return found | {value(f"{what} name of a setting"): "1"}

    name = planting.name("key", "connector")
    session = {"key": secret("session-key"), "algorithm": "HmacSHA256", "creation-timestamp": 5}
    topic = {
        "name": value("topic"),
        "connector": value("topic's connector"),
        "task": 0,
        "discoverTimestamp": 5,
    }
    trace = {"state": "FAILED", "trace": value("trace"), "worker_id": value("worker"), "generation": 3}
    return [
        record(f"connector-{name}".encode(), {"properties": settings("connector")}),
        record(f"task-{name}-0".encode(), {"properties": settings("task")}),
        record(f"commit-{name}".encode(), {"tasks": 1}),
        record(f"target-state-{name}".encode(), {"state": "PAUSED", "other": value("target state")}),
        record(b"session-key", session),
        record(as_json([planting.name("key", "offset's connector"), {"server": planting.name("key", "offset's server")}]), {"file": value("offset"), "token": secret("offset")}),
        record(f"status-connector-{name}".encode(), trace | {"trace": value("connector's trace")}),
        record(f"status-task-{name}-0".encode(), trace),
        record(f"status-topic-{planting.name('key', 'topic')}:connector-{name}".encode(), {"topic": topic}),
    ]  # fmt: skip


def part_marks(planting: Planting) -> tuple[Callable[[str], str], ...]:
    """Marks of keys, of values, and of values that masks cover."""
    return (
        lambda where: planting.mark("key", where),
        lambda where: planting.mark("value", where),
        lambda where: planting.secret("value", where),
    )


def debezium_history(planting: Planting) -> Rows:
    """Tables and statements, one of them with a password."""
    key, value, secret = part_marks(planting)

    def name(where: str) -> str:
        return planting.name("value", where)

    column = {"name": value("column"), "typeName": "INT", "typeExpression": value("column's type")}
    table = {
        "columns": [column],
        "primaryKeyColumnNames": [value("primary key")],
        "comment": value("comment"),
    }
    change = {"type": "CREATE", "id": f'"{name("schema")}"."{name("table")}"', "table": table}
    statements = [
        f"CREATE TABLE {value('statement')} (id INT)",
        f"CREATE USER {value('user')} IDENTIFIED BY '{secret('IDENTIFIED BY')}'",
        f"alter user u identified with mysql_native_password as '{secret('identified with')}'",
        f'ALTER USER u IDENTIFIED BY "{secret("IDENTIFIED BY in double quotes")}"',
        f"GRANT ALL ON *.* TO u IDENTIFIED BY PASSWORD '{secret('IDENTIFIED BY PASSWORD')}'",
    ]
    return [
        record(
            {"k": key(f"statement {number}")},
            {
                "source": {"server": value("server")}, "position": {"file": value("position")}, "ts_ms": 5,
                "databaseName": name("database"), "schemaName": value("schema's name"), "ddl": ddl,
                "tableChanges": [] if number else [change],
            },
        )
        for number, ddl in enumerate(statements)
    ]  # fmt: skip


def debezium_signals(planting: Planting) -> Rows:
    """An order to take a snapshot."""
    key, value, secret = part_marks(planting)
    data = {
        "data-collections": [value("table")],
        "additional-conditions": value("condition"),
        "password": secret("data"),
    }
    return [record(key("prefix").encode(), {"id": value("id"), "type": "execute-snapshot", "data": data})]


def ksqldb_commands(planting: Planting) -> Rows:
    """Statements whose settings are secret, and settings of the session."""
    _, value, secret = part_marks(planting)
    statements = [
        f"CREATE SOURCE CONNECTOR {value('connector')} WITH ('connector.class'='{value('class')}', "
        f"'connection.password'='{secret('WITH password')}', 'aws.secret.access.key' = '{secret('WITH secret')}')",
        f"create stream s (id int) with (kafka_topic='{value('topic')}', \"ssl.key.password\"='{secret('WITH in double quotes')}')",
    ]
    settings = {"ksql.streams.sasl.jaas.config": secret("setting"), "auto.offset.reset": value("setting")}
    return [
        record(
            as_json(f"stream/`{planting.name('key', 'stream')}`/create"),
            {
                "statement": statement, "version": 12, "streamsProperties": settings,
                "originalProperties": settings, "plan": {
                    "queryPlan": {"queryId": planting.name("value", "query"), "sources": [value("source")], "sink": value("sink")},
                    "statementText": f"{statement[:8]} WITH ('password'='{secret('plan')}')",
                },
            },
        )
        for statement in statements
    ]  # fmt: skip


def schema_registry(planting: Planting) -> Rows:
    """The record types of the three registries."""
    _, value, secret = part_marks(planting)

    def named(keytype: str, **more: Any) -> dict[str, Any]:
        return {"keytype": keytype, "subject": planting.name("key", f"{keytype} subject"), **more, "magic": 0}

    avro = {
        "type": "record", "name": value("schema's name"), "doc": value("schema's doc"), "password": secret("in a schema's text"),
        "fields": [{"name": value("schema's field"), "type": "string", "default": value("schema's default")}],
    }  # fmt: skip
    reference = {"name": value("reference"), "subject": value("reference's subject"), "version": 1}
    metadata = {
        "properties": {"owner": value("metadata"), "api.token": secret("metadata")},
        "tags": {"a": [value("tag")]},
    }
    rules = {
        "domainRules": [
            {
                "name": value("rule"),
                "kind": "CONDITION",
                "type": "CEL",
                "mode": "WRITE",
                "expr": value("rule's text"),
            }
        ]
    }
    schema = {
        "subject": planting.name("value", "subject"), "version": 1, "id": 1, "schema": json.dumps(avro), "references": [reference],
        "metadata": metadata, "ruleSet": rules, "deleted": False,
    }  # fmt: skip
    proto = {
        "subject": planting.name("value", "subject"),
        "version": 1,
        "id": 2,
        "schemaType": "PROTOBUF",
        "deleted": False,
    }
    proto["schema"] = f"// password: {secret('in the text of a Protobuf schema')}\n"
    other = proto | {"id": 3, "schema": f"message {value('Protobuf message')} {{}}"}
    by = [
        (b"X-Origin-Host", planting.mark("header-value", "X-Origin-Host").encode()),
        (b"X-Registry-Version", b"karapace-3.9.0"),
    ]
    config = {
        "compatibilityLevel": "FULL",
        "alias": value("alias"),
        "compatibilityGroup": value("compatibility group"),
    }
    return [
        record(named("SCHEMA", version=1), schema),
        record(named("SCHEMA", version=1), proto, *by),
        record(named("SCHEMA", version=1), other),
        record(named("CONFIG"), config),
        record(named("MODE"), {"mode": "READONLY", "other": value("mode")}),
        record(
            {
                "keytype": "CONTEXT",
                "tenant": planting.mark("key", "tenant"),
                "context": f".{planting.name('key', 'context')}",
                "magic": 0,
            },
            {"context": value("context")},
        ),
        record(named("DELETE_SUBJECT"), {"subject": value("deleted subject"), "version": 1}),
    ]


def strimzi(planting: Planting) -> Rows:
    """A command of the Topic Operator."""
    key, value, secret = part_marks(planting)
    topic = {"topicName": value("topic"), "config": {"a": value("config"), "password": secret("config")}}
    return [record(key("topic").encode(), {"uuid": value("uuid"), "type": 0, "topic": topic})]


def free_text(planting: Planting) -> Rows:
    """Keys and values of an application: JSON, and text."""
    key, value, secret = part_marks(planting)
    document = {
        "note": value("JSON"),
        "inner": {"deep": [value("nested JSON")], "password": secret("nested JSON")},
    }
    return [record({"id": key("JSON")}, document), record(key("text").encode(), value("text").encode())]


def apicurio(dialect: str, rows: Callable[[], list[dict[str, Any]]]) -> Callable[[Planting], Rows]:
    """The first records of each kind that an Apicurio registry writes, with marks in place of texts."""

    def make(planting: Planting) -> Rows:
        return replaced(planting, dialects()[dialect], some_of_each(dialects()[dialect], rows()))

    return make


def some_of_each(dialect: Dialect, rows: list[dict[str, Any]], most: int = 2) -> list[dict[str, Any]]:
    """Of each kind of entry the first few."""
    taken: dict[tuple[Any, ...], int] = {}
    kept = []
    for row, kind in zip(rows, readings(dialect, rows), strict=True):
        taken[kind] = taken.get(kind, 0) + 1
        kept += [row] if taken[kind] <= most else []
    return kept


def readings(dialect: Dialect, rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """How the dialect reads each: type, action, whether it can."""
    assert dialect.interpret is not None
    entries: pa.Table = dialect.interpret(records_table(*rows))
    columns = (entries.column(name).to_pylist() for name in ("entry_type", "entry_action", "decode_error"))
    return [(kind, action, error is None) for kind, action, error in zip(*columns, strict=True)]


def replaced(planting: Planting, dialect: Dialect, rows: list[dict[str, Any]]) -> Rows:
    """Each text of keys and of values becomes a mark, wherever the records are read as before with it."""
    expected = readings(dialect, rows)
    for part in ("key", "value"):
        for member, text in dict.fromkeys(one for row in rows for one in texts(document_of(row[part])[1])):
            mark = planting.mark(
                part,
                f"{member} {text[:30]}",
                name=member in NAMES_IN_REGISTRIES and not (part == "key" and dialect.id == "apicurio-v3"),
            )
            changed = [row | {part: with_mark(row[part], text, mark)} for row in rows]
            if readings(dialect, changed) == expected:
                rows = changed
            else:
                del planting.places[mark]
                planting.first += 1
    return [
        Record(
            row["key"], row["value"], headers=[(one["key"], one["value"]) for one in row.get("headers", ())]
        )
        for row in rows
    ]


def document_of(data: bytes | None) -> tuple[bytes, Any]:
    """The JSON in a key or value, and the byte before it that says of which type it is."""
    start = 0 if (data or b"")[:1] in (b"{", b"[") else 1
    try:
        return (data or b"")[:start], json.loads((data or b"")[start:])
    except ValueError:
        return b"", None


def texts(document: Any, name: str = "") -> list[tuple[str, str]]:
    """Every text in a document with the name of its member; not names of members, and texts too short to be planted."""
    if isinstance(document, Mapping):
        return [text for member, each in document.items() for text in texts(each, member)]
    if isinstance(document, list):
        return [text for each in document for text in texts(each, name)]
    return [(name, document)] if isinstance(document, str) and len(document) > 1 else []


def with_mark(data: bytes | None, text: str, mark: str) -> bytes | None:
    """The document with a mark in place of a text."""
    head, document = document_of(data)
    return data if document is None else head + as_json(exchanged(document, text, mark))


def exchanged(document: Any, text: str, mark: str) -> Any:
    if isinstance(document, Mapping):
        return {name: exchanged(each, text, mark) for name, each in document.items()}
    if isinstance(document, list):
        return [exchanged(each, text, mark) for each in document]
    return mark if document == text else document


DIALECTS: dict[str, Callable[[Planting], Rows]] = {
    "apicurio-v2": apicurio("apicurio-v2", apicurio_2), "apicurio-v3": apicurio("apicurio-v3", apicurio_3),
    "cluster-metadata": cluster_metadata_journal, "confluent-command": free_text, "connect": connect,
    "consumer-offsets": consumer_offsets_journal, "cruise-control": free_text, "dead-letters": dead_letters, "debezium-history": debezium_history,
    "debezium-signals": debezium_signals, "ksqldb-commands": ksqldb_commands, "mirror-maker": mirrored(0),
    "mirror-maker/offset-sync": mirrored(1), "mirror-maker/heartbeat": mirrored(2),
    "plain": free_text, "remote-log-metadata": remote_log_metadata_journal, "schema-registry": schema_registry,
    "share-group-state": share_group_state_journal, "streams-changelog": free_text, "streams-joins": streams_joins,
    "streams-repartition": free_text, "streams-suppress": streams_suppress, "streams-versioned": free_text,
    "streams-windows": streams_windows, "strimzi-topic-store": strimzi, "transaction-state": transaction_state_journal,
}  # fmt: skip


def journal(planting: Planting) -> Rows:
    """The journal of `planting.of`; its first record has headers, one of them with a masked name."""
    first, *rest = DIALECTS[planting.of](planting)
    name = planting.mark("header-name", "header").encode()
    headers = [
        (name, planting.mark("header-value", "header").encode()),
        (b"password", planting.secret("header-value", "header password").encode()),
    ]
    used = marks_in(b"\n".join(part or b"" for one in (first, *rest) for part in (one.key, one.value)))
    headed = [Record(first.key, first.value, first.timestamp_ms, [*first.headers, *headers]), *rest]
    planting.keep_only(
        {
            mark
            for mark, place in planting.places.items()
            if mark in used or place.part not in ("key", "value")
        }
    )
    return [
        Record(one.key, one.value, SOME_TIME_MS + 1000 * number, one.headers)
        for number, one in zip(count(), headed)
    ]
