"""Schemas of a company that takes orders and payments, with the hashes Apicurio Registry 2.4.2 to 2.5.8 gives them.

    content hash   = sha256(content + references)
    canonical hash = sha256(canonical form of the content + references)

Canonical form: JSON with sorted members; Avro the same, its fields sorted by name; Protobuf as Wire prints it.
Source: Apicurio Registry `ContentCanonicalizer` and its subclasses, `SqlUtil.serializeReferences`; Wire `ProtoFileElement`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

ArtifactType = Literal["AVRO", "JSON", "OPENAPI", "PROTOBUF"]
WIRE_HEADER = "// Proto schema formatted by Wire, do not edit.\n// Source: \n"


@dataclass(frozen=True)
class Reference:
    """A reference from one artifact to a version of another."""

    group: str | None
    artifact: str
    version: str
    name: str


@dataclass(frozen=True)
class Schema:
    """One version of one artifact, as a client would send it."""

    group: str | None
    artifact: str
    type: ArtifactType
    content: bytes
    canonical: bytes
    references: tuple[Reference, ...] = ()
    title: str | None = None

    @property
    def reference_bytes(self) -> bytes:
        """References as the registry serialises them; nothing when there are none."""
        rows = [
            {"groupId": r.group, "artifactId": r.artifact, "version": r.version, "name": r.name}
            for r in self.references
        ]
        return compact(rows).encode() if rows else b""

    @property
    def content_hash(self) -> str:
        """The hash in the key of its Content record."""
        return sha256(self.content + self.reference_bytes)

    @property
    def canonical_hash(self) -> str:
        """The canonical hash stored when the content is created."""
        return sha256(self.canonical + self.reference_bytes)

    @property
    def legacy_canonical_hash(self) -> str:
        """The canonical hash as the upgrader at start-up computes it: without references."""
        return sha256(self.canonical)


def sha256(content: bytes) -> str:
    """Lower-case hex."""
    return hashlib.sha256(content).hexdigest()


def compact(document: object, sort_keys: bool = False) -> str:
    """JSON without white space."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False, sort_keys=sort_keys)


def json_schema(
    group: str | None, artifact: str, type: ArtifactType, document: dict[str, Any], title: str
) -> Schema:
    """A schema whose canonical form is its JSON with sorted members."""
    content = json.dumps(document, indent=2, ensure_ascii=False).encode()
    return Schema(group, artifact, type, content, compact(document, sort_keys=True).encode(), title=title)


def avro(
    group: str | None,
    artifact: str,
    name: str,
    fields: Sequence[dict[str, Any]],
    references: tuple[Reference, ...] = (),
) -> Schema:
    """An Avro record in the namespace of its group."""
    document = {"type": "record", "name": name, "namespace": f"com.example.{group or 'common'}"}
    in_order = document | {"fields": list(fields)}
    by_name = document | {"fields": sorted(fields, key=lambda each: str(each["name"]))}
    content = json.dumps(in_order, indent=2).encode()
    canonical = compact(by_name, sort_keys=True).encode()
    return Schema(group, artifact, "AVRO", content, canonical, references, title=name)


def protobuf(
    group: str | None,
    artifact: str,
    messages: dict[str, Sequence[str]],
    references: tuple[Reference, ...] = (),
) -> Schema:
    """A Protobuf file: message names and their fields, such as `string currency`; it imports its references."""
    head = 'syntax = "proto3";\n' + f"\npackage {group or 'common'};\n"
    if references:
        head += "\n" + "".join(f'import "{reference.name}";\n' for reference in references)
    numbered = {
        name: [f"  {each} = {number};\n" for number, each in enumerate(fields, 1)]
        for name, fields in messages.items()
    }
    content = head + "".join(f"\nmessage {name} {{\n{''.join(lines)}}}\n" for name, lines in numbered.items())
    wire = f"{WIRE_HEADER}\n{head}" + "".join(
        f"\nmessage {name} {{\n" + "\n".join(lines) + "}\n" for name, lines in numbered.items()
    )
    return Schema(group, artifact, "PROTOBUF", content.encode(), wire.encode(), references)


AVRO_EVENTS = {
    "orders": ["OrderPlaced", "OrderConfirmed", "OrderCancelled", "CartCheckedOut", "StockReserved"],
    "payments": [
        "PaymentAuthorized",
        "PaymentCaptured",
        "PaymentDeclined",
        "RefundRequested",
        "ChargebackOpened",
    ],
    "shipping": ["ParcelPacked", "ParcelDispatched", "ParcelDelivered", "ReturnReceived"],
}
AVRO_FIELDS = [
    {"name": "orderId", "type": "string"},
    {"name": "customerId", "type": "string"},
    {"name": "amountMinor", "type": "long"},
    {"name": "currency", "type": {"type": "string", "avro.java.string": "String"}},
    {"name": "occurredAt", "type": {"type": "long", "logicalType": "timestamp-millis"}},
    {"name": "channel", "type": ["null", "string"], "default": None},
    {"name": "note", "type": ["null", "string"], "default": None, "doc": "Größe, Farbe, Lieferhinweis"},
    {"name": "warehouse", "type": "string", "default": "central"},
    {"name": "attempt", "type": "int", "default": 1},
]
JSON_DOCUMENTS = {
    "orders": ["Customer", "Cart", "DeliverySlot"],
    "payments": ["PaymentMethod", "Payout", "FeeTable"],
    "shipping": ["Address", "Carrier"],
}
JSON_PROPERTIES = {
    "id": {"type": "string", "format": "uuid"},
    "country": {"type": "string", "minLength": 2, "maxLength": 2},
    "validFrom": {"type": "string", "format": "date"},
    "limit": {"type": "integer", "minimum": 0},
    "labels": {"type": "array", "items": {"type": "string"}},
    "active": {"type": "boolean"},
}
APIS = {"orders": "Orders API", "payments": "Payments API", "shipping": "Tracking API"}
PLAIN_PROTO = {
    "payments/money.proto": ("Money", ["string currency", "int64 units", "int32 nanos"]),
    "shipping/address.proto": (
        "Address",
        ["string street", "string postal_code", "string city", "string country"],
    ),
    "orders/clock.proto": ("Clock", ["int64 epoch_millis"]),
}
REFERRING_PROTO = {
    "payments/invoice.proto": ("Invoice", ["string id", "payments.Money total"], "payments/money.proto"),
    "payments/settlement.proto": (
        "Settlement",
        ["string batch", "payments.Money net"],
        "payments/money.proto",
    ),
    "orders/order.proto": ("Order", ["string id", "payments.Money total"], "payments/money.proto"),
    "shipping/parcel.proto": ("Parcel", ["string id", "shipping.Address receiver"], "shipping/address.proto"),
    "orders/pickup.proto": ("Pickup", ["string id", "shipping.Address shop"], "shipping/address.proto"),
}
LATER_PROTO_FIELDS = ["string channel", "bool test", "int64 created_at_millis", "string remark"]


def _kebab(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")


def _growing(pool: Sequence[Any], rng: Random, version_count: int) -> list[list[Any]]:
    """One list per version, each longer than the one before."""
    shuffled = rng.sample(list(pool), len(pool))
    start = rng.randint(2, len(pool) - version_count)
    return [shuffled[: start + version] for version in range(version_count)]


def avro_versions(group: str, name: str, rng: Random, version_count: int) -> list[Schema]:
    """Versions of one event, each with one field more."""
    return [avro(group, _kebab(name), name, fields) for fields in _growing(AVRO_FIELDS, rng, version_count)]


def json_versions(group: str, name: str, rng: Random, version_count: int) -> list[Schema]:
    """Versions of one JSON Schema, each with one property more."""
    return [
        json_schema(
            group,
            _kebab(name),
            "JSON",
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "title": name,
                "type": "object",
                "properties": {key: JSON_PROPERTIES[key] for key in keys},
            },
            name,
        )
        for keys in _growing(list(JSON_PROPERTIES), rng, version_count)
    ]


def openapi_versions(group: str, title: str, version_count: int) -> list[Schema]:
    """Versions of one API description, each with one path more."""
    paths = {
        f"/{group}{tail}": {verb: {"responses": {"200": {"description": "Fine"}}}}
        for tail, verb in (("", "get"), ("/{id}", "get"), ("/{id}/events", "get"), ("/search", "post"))
    }
    return [
        json_schema(
            group,
            f"{group}-api",
            "OPENAPI",
            {
                "openapi": "3.0.2",
                "info": {"title": title, "version": f"1.{version}"},
                "paths": dict(list(paths.items())[: version + 1]),
            },
            title,
        )
        for version in range(version_count)
    ]


def _place(path: str) -> tuple[str, str]:
    group, _, artifact = path.partition("/")
    return group, artifact


def plain_proto(path: str) -> Schema:
    """A Protobuf file that refers to no other."""
    group, artifact = _place(path)
    name, fields = PLAIN_PROTO[path]
    return protobuf(group, artifact, {name: fields})


def referring_proto(path: str, version_count: int) -> list[Schema]:
    """Versions of a Protobuf file that imports another one."""
    group, artifact = _place(path)
    name, fields, target = REFERRING_PROTO[path]
    references = (Reference(*_place(target), version="1", name=target),)
    return [
        protobuf(group, artifact, {name: [*fields, *LATER_PROTO_FIELDS[:version]]}, references)
        for version in range(version_count)
    ]


def catalogue(rng: Random, artifact_count: int, version_count: int = 3) -> list[list[Schema]]:
    """Artifacts without Protobuf references, shuffled; each a list of one to `version_count` versions.

    About one in six lives in the default group.
    """
    makers: list[Callable[[], list[Schema]]] = []
    for group, names in AVRO_EVENTS.items():
        makers += [partial(avro_versions, group, name, rng, version_count) for name in names]
    for group, names in JSON_DOCUMENTS.items():
        makers += [partial(json_versions, group, name, rng, version_count) for name in names]
    makers += [partial(openapi_versions, group, title, version_count) for group, title in APIS.items()]
    chosen = [make() for make in rng.sample(makers, min(artifact_count, len(makers)))]
    return [_in_some_group(versions[: rng.randint(1, len(versions))], rng) for versions in chosen]


def _in_some_group(versions: list[Schema], rng: Random) -> list[Schema]:
    return [replace(each, group=None) for each in versions] if rng.random() < 1 / 6 else versions
