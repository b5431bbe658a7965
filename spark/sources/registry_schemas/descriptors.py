"""The text of Protobuf files -> a `FileDescriptorSet` with what decoding values needs: types, fields, numbers.

Parsed by the rules of `spark.codecs.proto_file`; options other than `packed` do not change how a
value is read. Source: `google/protobuf/descriptor.proto`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any

from spark.codecs.proto_file.elements import Enum, ParsedProto, ProtoBlock, ProtoMessage
from spark.codecs.proto_file.parser import parsed
from spark.codecs.proto_file.scanner import NotCovered

__all__ = ["NotCovered", "descriptors"]

# As the parser prints them, documentation before them.
FIELD = re.compile(
    r"(?:(?P<label>optional|required|repeated) )?(?P<type>map<.*>|[\w.]+) (?P<name>\w+) = (?P<number>\d+)(?P<options>.*);\n",
    re.ASCII | re.DOTALL,
)
CONSTANT = re.compile(r"(?P<name>\w+) = (?P<number>-?\d+).*;\n", re.ASCII | re.DOTALL)
MAP = re.compile(r"map<\s*([\w.]+)\s*,\s*([\w.]+)\s*>", re.ASCII)
PACKED = re.compile(r"\bpacked = (true|false)\b")
LABELS = {"optional": 1, "required": 2, "repeated": 3}
SCALARS = {
    "double": 1, "float": 2, "int64": 3, "uint64": 4, "int32": 5, "fixed64": 6, "fixed32": 7, "bool": 8,
    "string": 9, "bytes": 12, "uint32": 13, "sfixed32": 15, "sfixed64": 16, "sint32": 17, "sint64": 18,
}  # fmt: skip
MESSAGE = 11
MAX_CHARACTERS = 1 << 20  # each schema keeps what it imports


def descriptors(texts: Mapping[str, str]) -> str:
    """The descriptor set as base64; keys of `texts`: file names in imports. Raises NotCovered for a text that cannot be read."""
    # Only captures with such a schema pay for the library.
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    if sum(map(len, texts.values())) > MAX_CHARACTERS:
        raise NotCovered(f"with its imports it has more than {MAX_CHARACTERS >> 20} million characters")
    file_set = FileDescriptorSet()
    for name, text in texts.items():
        file = parsed(text.encode())
        if file is None:
            raise NotCovered(
                f"{name} is not Protobuf, or contains unsupported syntax (groups, options of a custom form)"
            )
        fill(file_set.file.add(name=name), file)
    return base64.b64encode(file_set.SerializeToString()).decode()


def fill(target: Any, file: ParsedProto) -> None:
    """A FileDescriptorProto."""
    target.syntax = file.syntax or "proto2"
    target.package = file.package or ""
    target.dependency.extend([*file.imports, *file.public_imports])
    start = len(file.imports)
    target.public_dependency.extend(range(start, start + len(file.public_imports)))
    types(target.message_type, target.enum_type, file.types, file.syntax == "proto3")


def types(messages: Any, enums: Any, declarations: list[ProtoMessage | Enum], is_proto3: bool) -> None:
    """Messages and enums of a file or of a message."""
    for declaration in declarations:
        if isinstance(declaration, Enum):
            enum(enums.add(name=declaration.name), declaration)
        else:
            message(messages.add(name=declaration.name), declaration, is_proto3)


def enum(target: Any, declaration: Enum) -> None:
    """An EnumDescriptorProto."""
    if any("allow_alias" in option for option in declaration.options):
        target.options.allow_alias = True
    for text in declaration.constants:
        constant = declared(CONSTANT, text)
        target.value.add(name=constant["name"], number=int(constant["number"]))


def message(target: Any, declaration: ProtoMessage, is_proto3: bool) -> None:
    """A DescriptorProto. An `optional` field of proto3 is alone in a oneof, after those of the text."""
    alone = []
    for member in declaration.members:
        if isinstance(member, ProtoBlock):
            number = len(target.oneof_decl)
            target.oneof_decl.add(name=member.name)
            for text in member.members:
                field(target, declared(FIELD, text)).oneof_index = number
        else:
            parts = declared(FIELD, member)
            added = field(target, parts)
            alone += [added] if is_proto3 and parts["label"] == "optional" else []
    for added in alone:
        added.proto3_optional, added.oneof_index = True, len(target.oneof_decl)
        target.oneof_decl.add(name=f"_{added.name}")
    types(target.nested_type, target.enum_type, declaration.nested, is_proto3)


def field(target: Any, parts: re.Match[str]) -> Any:
    """A FieldDescriptorProto."""
    label = LABELS[parts["label"] or "optional"]
    added = target.field.add(name=parts["name"], number=int(parts["number"]), label=label)
    if pair := MAP.fullmatch(parts["type"]):
        added.label, added.type = LABELS["repeated"], MESSAGE
        added.type_name = mapped(target, parts["name"], pair[1], pair[2])
    else:
        typed(added, parts["type"])
    if packed := PACKED.search(parts["options"]):
        added.options.packed = packed[1] == "true"
    return added


def mapped(target: Any, name: str, key: str, value: str) -> str:
    """The name of the entry type of a map field, which is added next to the field."""
    entry = target.nested_type.add(
        name="".join(word[:1].upper() + word[1:] for word in name.split("_")) + "Entry"
    )
    entry.options.map_entry = True
    typed(entry.field.add(name="key", number=1, label=LABELS["optional"]), key)
    typed(entry.field.add(name="value", number=2, label=LABELS["optional"]), value)
    return str(entry.name)


def typed(target: Any, name: str) -> None:
    """A scalar, or a name that is resolved when the files are linked."""
    if name in SCALARS:
        target.type = SCALARS[name]
    else:
        target.type_name = name


def declared(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    """The declaration after its documentation."""
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if not line.startswith("//")), 0)
    match = pattern.fullmatch("".join(lines[start:]))
    if match is None:
        raise NotCovered(f"the declaration {text.strip()[:60]!r}")
    return match
