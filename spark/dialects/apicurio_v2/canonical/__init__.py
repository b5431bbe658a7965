"""Canonical texts of a content: what the registry hashes to recognise a schema in any formatting.

json_text  JSON Schema, OpenAPI, AsyncAPI, Connect      avro  the schema's own text, 2.5.9 on; sorted JSON before
xml        C14N without comments                        Protobuf as Wire prints it: `spark.codecs.proto_file`

A content that its canonicalizer cannot parse is used unchanged. GraphQL is not attempted: its printer has its own rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from spark.codecs.proto_file.elements import ParsedProto
from spark.codecs.proto_file.parser import parsed as parsed_protobuf
from spark.dialects.apicurio_v2.canonical import avro, json_text, xml

RAW = "bytes as they are"
XML_TYPES = ("XML", "XSD", "WSDL")
JSON_TYPES = ("AVRO", "JSON", "OPENAPI", "ASYNCAPI", "KCONNECT")
Form = tuple[str, bytes, bool]  # family, canonical text, is outdated: no version from 2.4.0 on computes it so


@dataclass(frozen=True)
class Candidates:
    """The canonical texts that a content may have. `is_certain`: it has one of these, or the hash belongs to another content."""

    forms: Iterator[Form]
    family: str
    is_certain: bool = False
    why: str = ""


@dataclass(frozen=True)
class CanonicalTexts:
    """The canonical texts that a release computes for a content of a known type, in all spellings. `is_certain`: it is one of
    these; `outdated`: texts that earlier releases computed."""

    texts: tuple[bytes, ...]
    is_certain: bool
    outdated: tuple[bytes, ...] = ()


def of_type(artifact_type: str, content: bytes) -> CanonicalTexts:
    """What 2.5.9 and later compute for an artifact's content without references."""
    if artifact_type == "PROTOBUF":
        file = parsed_protobuf(content)
        if file is None:
            return CanonicalTexts((content,), False)
        return CanonicalTexts(
            (file.text(),), file.is_plain, (file.text(oneofs_last=True),) if file.has_oneof else ()
        )
    if artifact_type in XML_TYPES:
        text = xml.canonical(content)
        return CanonicalTexts((content,), False) if text is None else CanonicalTexts((text,), True)
    document = json_text.parsed(content)
    if document is None or artifact_type not in JSON_TYPES:
        return CanonicalTexts((content,), False)
    if artifact_type == "AVRO":
        before = json_text.quick_text(avro.with_sorted_fields(document.value))
        texts = tuple(avro.texts(document.value))
        return CanonicalTexts(texts, bool(texts), (before,))
    return CanonicalTexts(
        (json_text.quick_text(document.value), json_text.text(document.value)), not document.is_doubtful
    )


def quick_forms(content: bytes) -> Iterator[Form]:
    """The texts that nearly every JSON content has, by a parser ten times faster than one that matches Jackson exactly."""
    if not content.lstrip().startswith((b"{", b"[")):
        return
    try:
        value = orjson.loads(content)
    except ValueError:
        return
    yield "JSON", json_text.quick_text(value), False
    if avro.is_schema(value):
        yield "Avro before 2.5.9", json_text.quick_text(avro.with_sorted_fields(value)), False


def candidates(content: bytes, has_references: bool) -> Candidates:
    """The canonical texts of a content, most likely first."""
    start = content.lstrip()[:1]
    if start in b'{["' and start:
        return of_json(content, has_references)
    if start == b"<":
        return of_xml(content)
    return of_protobuf(content)


def of_json(content: bytes, has_references: bool) -> Candidates:
    """JSON families. For an Avro schema with references, 2.5.9 and later include the referenced types, which are unknown here."""
    document = json_text.parsed(content)
    if document is None:
        return Candidates(iter([(RAW, content, False)]), "JSON", why="the content is not valid JSON")
    is_avro = avro.is_schema(document.value)
    is_certain = not document.is_doubtful and not is_avro
    why = "the schema may have been printed with what it refers to" if has_references else "a schema of Avro"
    return Candidates(json_forms(content, document, is_avro), "JSON", is_certain, why)


def json_forms(content: bytes, document: json_text.Document, is_avro: bool) -> Iterator[Form]:
    """Sorted JSON in both spellings, Avro in both forms, the bytes."""
    yield "JSON", json_text.quick_text(document.value), False
    if is_avro:
        yield "Avro before 2.5.9", json_text.quick_text(avro.with_sorted_fields(document.value)), False
        for text in avro.texts(document.value):
            yield "Avro", text, False
    yield "JSON", json_text.text(document.value), False
    yield RAW, content, False


def of_xml(content: bytes) -> Candidates:
    text = xml.canonical(content)
    forms: list[Form] = [] if text is None else [("XML", text, False)]
    forms.append((RAW, content, False))
    return Candidates(iter(forms), "XML", why="XML whose canonical form is not certain")


def of_protobuf(content: bytes) -> Candidates:
    """Protobuf as the Wire of 2.4.0 and later prints it, as earlier Wire did, and unchanged as before 2.1.2."""
    file = parsed_protobuf(content)
    if file is None:
        return Candidates(iter([(RAW, content, False)]), "", why="a format that is not recomputed here")
    return Candidates(
        protobuf_forms(content, file), "Protobuf", file.is_plain, "Protobuf with more than is certain"
    )


def protobuf_forms(content: bytes, file: ParsedProto) -> Iterator[Form]:
    """The texts of one Protobuf file. If it already equals Wire's text, its bytes are not an outdated form."""
    yield "Protobuf", file.text(), False
    if file.has_oneof:
        yield "Protobuf before 2.4.0", file.text(oneofs_last=True), True
    yield RAW, content, True
