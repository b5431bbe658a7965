"""Schemas that a capture fetched from a registry (`journalscope-schemas.json`): a record's page decodes values with them.

    Schemas => {"journalscope_schemas": 1, "schemas": [{"id", "type", "schema", "references", "subjects"}], "missing": [{"id", "why"}]}

One row of `properties` for each id, `schema <id>`, with JSON. No detector reads them.

    Row => {"type", "name": subject/version, "schema": text, "references": [text, ...], "descriptors": base64, "root": file, "why"}
         | {"missing": why}      the registry did not return it

Page: docs/sources/registry-schemas.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._rows import RowOrigin, properties
from spark.sources.capture_manifest.members import Form, InvalidManifest, Members
from spark.sources.companion.names import file_name
from spark.sources.companion.rows import damage
from spark.sources.registry_schemas.descriptors import NotCovered, descriptors
from spark.terms.wording import plural

# 192 MB: a capture fetches at most 128
SCHEMAS = Form("journalscope_schemas", "the file of schemas", version=1, most_bytes=192 << 20)
NAME = re.compile(r"journalscope-schemas.*\.json")
MARK = re.compile(rb'\s*\{\s*"journalscope_schemas"\s*:')


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its first member, or by its name."""
    if not MARK.match(head) and not NAME.fullmatch(file_name(file.name)):
        return Recognition(False, 'does not begin with the member "journalscope_schemas"')
    return Recognition(True, "schemas of a registry, fetched with a capture", 96)


def read(split: Split) -> Iterator[Chunk]:
    """One row for each id, or the reason why there are none."""
    try:
        document = SCHEMAS.read(split.path)
        rows = named(document)
    except InvalidManifest as error:
        wrong = f"{error} Values are not decoded with it. The segments are still read."
        yield Chunk(damage=damage(split, wrong, split.end), note=wrong)
        return
    yield Chunk(others={"properties": properties(RowOrigin.of_split(split), rows)}, note=sentence(document))


MAX_REFERENCES = 100
ROOT = "schema-{}.proto"

SubjectVersions = dict[tuple[str, int], Members]


def named(document: Members) -> dict[str, str]:
    """Name -> value of each row. Raises InvalidManifest."""
    schemas = list(document.objects("schemas"))
    versions = {version: schema for schema in schemas for version in schema.pairs("subjects")}
    rows = {
        f"schema {schema.number('id')}": {"missing": schema.text("why")}
        for schema in document.objects("missing")
    }
    rows |= {f"schema {schema.number('id')}": entry(schema, versions) for schema in schemas}
    return {name: orjson.dumps(row).decode() for name, row in rows.items()}


def entry(schema: Members, versions: SubjectVersions) -> dict[str, Any]:
    subjects = sorted(schema.pairs("subjects"))
    kind = (schema.text("type") or "AVRO").upper()
    name = f"{subjects[0][0]}/{subjects[0][1]}" if subjects else f"id {schema.number('id')}"
    entry: dict[str, Any] = {"type": kind, "name": name, "schema": schema.text("schema") or ""}
    others = referred(schema, versions)
    if kind != "PROTOBUF":
        return {**entry, "references": [f"schema {other.number('id')}" for other in others.values()]}
    root = ROOT.format(schema.number("id"))
    try:
        texts = {root: schema} | others
        return {
            **entry,
            "descriptors": descriptors({name: member.text("schema") or "" for name, member in texts.items()}),
            "root": root,
        }
    except NotCovered as error:
        return {**entry, "why": f"its text is not readable with: {error}"}


def referred(schema: Members, versions: SubjectVersions) -> dict[str, Members]:
    """The schemas that it refers to, directly or indirectly, by the names in its references."""
    references: dict[str, Members] = {}
    waiting = [schema]
    while waiting and len(references) < MAX_REFERENCES:
        for reference in waiting.pop().objects("references"):
            version = reference.text("subject") or "", reference.number("version") or 0
            name = reference.text("name") or ""
            if name not in references and version in versions:
                references[name] = versions[version]
                waiting.append(versions[version])
    return references


def sentence(document: Members) -> str:
    count, missing = (len(list(document.objects(name))) for name in ("schemas", "missing"))
    lost = f"; {plural(missing, 'id')} it did not give" if missing else ""
    return f"{plural(count, 'schema')} of the registry at {document.text('registry') or 'an unknown address'}{lost}"


source = Source(
    id="registry-schemas",
    title="Schemas of a registry",
    kind="companion",
    recognise=recognise,
    read=read,
)
