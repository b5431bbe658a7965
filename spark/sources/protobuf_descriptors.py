"""Protobuf descriptors next to a journal: a `FileDescriptorSet`, as `protoc --descriptor_set_out --include_imports` writes it.

Kept as base64. Source: `google/protobuf/descriptor.proto`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._schema_file import MAX_BYTES, content_of, has_ending, one_row
from spark.terms.wording import listed, plural

ENDINGS = (".desc", ".pb", ".protoset", ".binpb")
WELL_KNOWN = "google/protobuf/"  # these come with every Protobuf library
MAX_NAMED = 3


def recognise(file: InputFile, head: bytes) -> Recognition:
    if not has_ending(file, *ENDINGS):
        return Recognition(False, f"its name does not end in {', '.join(ENDINGS)}")
    if file.size_bytes > MAX_BYTES:
        return Recognition(False, f"it is larger than {MAX_BYTES // 2**20} MB")
    files = files_of(content_of(file.path))
    if files is None:
        return Recognition(False, "it is not a FileDescriptorSet that describes a message")
    return Recognition(True, sentence(files), 95)


def files_of(content: bytes) -> list[Any] | None:
    """The .proto files in a set; None if the bytes are not a set of files with messages."""
    # Only inputs with such a file pay for the library.
    from google.protobuf.descriptor_pb2 import FileDescriptorSet
    from google.protobuf.message import DecodeError

    try:
        files = list(FileDescriptorSet.FromString(content).file)
    except DecodeError:
        return None
    is_set = all(file.name for file in files) and any(file.message_type for file in files)
    return files if is_set and all(isinstance(name, str) for name in names_in(files)) else None


def names_in(files: list[Any]) -> Iterator[Any]:
    """Every displayed name; the library returns bytes for one that is not UTF-8."""
    for file in files:
        yield from (file.name, file.package, *file.dependency)
        yield from (message.name for message in file.message_type)


def sentence(files: list[Any]) -> str:
    """A summary for users: its messages, and missing imports."""
    messages = [
        f"{file.package}.{message.name}".lstrip(".") for file in files for message in file.message_type
    ]
    text = f"{plural(len(messages), 'Protobuf message')}: {', '.join(messages[:MAX_NAMED])}"
    text += ", ..." if len(messages) > MAX_NAMED else ""
    contained = {file.name for file in files}
    lacking = sorted({name for file in files for name in file.dependency if name not in contained})
    lacking = [name for name in lacking if not name.startswith(WELL_KNOWN)]
    if not lacking:
        return f"{text}. They are tried on records that no other schema decodes"
    return (
        f"{text}. It lacks {listed(lacking[:MAX_NAMED])}, so files that import it cannot be used: write the file again "
        "with protoc --include_imports"
    )


def read(split: Split) -> Iterator[Chunk]:
    """Its bytes as base64: the column is text."""
    yield from one_row(split, base64.b64encode(content_of(split.path)).decode())


source = Source(
    id="protobuf-descriptors",
    title="Protobuf descriptors",
    kind="companion",
    recognise=recognise,
    read=read,
)
