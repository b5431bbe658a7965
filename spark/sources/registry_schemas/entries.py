"""Each schema of a registry with the texts that it refers to, as the JSON of one row.

Row => {"type", "name": subject/version, "schema": text, "references": [text, ...], "descriptors": base64, "root": file, "why"}
of a schema that the registry did not give => {"missing": why}
"""

from __future__ import annotations

from typing import Any

import orjson

from spark.sources.capture_manifest.members import Members
from spark.sources.registry_schemas.descriptors import NotCovered, descriptors
from spark.terms.wording import plural

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
