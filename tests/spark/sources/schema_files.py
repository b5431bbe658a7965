"""Files of schemas as people have them: Avro's by hand, Protobuf's by its own library."""

from __future__ import annotations

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

LABELS = {"one": FieldDescriptorProto.LABEL_OPTIONAL, "many": FieldDescriptorProto.LABEL_REPEATED}


def message(name: str, *fields: tuple[str, int, str, str]) -> DescriptorProto:
    """A message: name, number, type (`int64`, or `.shop.Money`) and `one` or `many` of each field."""
    found = DescriptorProto(name=name)
    for field, number, kind, label in fields:
        one = found.field.add(name=field, number=number, label=LABELS[label])
        if kind.startswith("."):
            one.type, one.type_name = FieldDescriptorProto.TYPE_MESSAGE, kind
        else:
            one.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")
    return found


def file(
    name: str, *messages: DescriptorProto, imports: tuple[str, ...] = (), package: str = "shop"
) -> FileDescriptorProto:
    """A .proto file."""
    return FileDescriptorProto(
        name=name, package=package, syntax="proto3", dependency=imports, message_type=messages
    )


def descriptors(*files: FileDescriptorProto) -> bytes:
    """What `protoc --descriptor_set_out` writes."""
    return FileDescriptorSet(file=files).SerializeToString()


MONEY = file("money.proto", message("Money", ("units", 1, "int64", "one")))
ORDER = file(
    "order.proto",
    message("Line", ("article", 1, "string", "one"), ("count", 2, "int32", "one")),
    message(
        "Order",
        ("id", 1, "string", "one"),
        ("lines", 2, ".shop.Line", "many"),
        ("price", 3, ".shop.Money", "one"),
        ("seal", 4, "bytes", "one"),
        ("paid", 5, "bool", "one"),
    ),
    imports=("money.proto",),
)
SHOP = descriptors(MONEY, ORDER)


def field(number: int, content: bytes) -> bytes:
    """A field of a size and so many bytes, by hand."""
    size, head = len(content), bytes([number << 3 | 2])
    while size > 0x7F:
        head += bytes([size & 0x7F | 0x80])
        size >>= 7
    return head + bytes([size]) + content


def deep_descriptors(levels: int) -> bytes:
    """A set whose message holds a message that holds a message, as no library would write it."""
    inner = field(1, b"Deep")
    for _ in range(levels):
        inner = field(1, b"Deep") + field(3, inner)
    return field(1, field(1, b"deep.proto") + field(4, inner))
