"""The schemas of a registry beside a capture, as `journalscope-schemas.json`; form: docs/captures.md.

All of them are asked for, deleted ones too, since records outlive their schemas: by `GET /schemas` where the registry has
it, else subject by subject. Source: Confluent's REST API, which Karapace, Redpanda and Apicurio's `ccompat` speak.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from webapp.journals.disk.durable import sync
from workers.capture.manifest import now_ms
from workers.kafka import KafkaError, Networks
from workers.net.http import ask

NAME, FORMAT = "journalscope-schemas.json", 1
PAGE = 1000
MAX_SCHEMAS, MAX_BYTES = 20_000, 128 * 1024**2
TYPES = {"AVRO", "JSON", "PROTOBUF"}
OK, NOT_FOUND = 200, 404
NO_RIGHT = {401: "rejected the user name or the password", 403: "does not permit this user to read"}


class RegistryRefused(KafkaError):
    """The registry's answer contains no schemas."""


@dataclass(frozen=True)
class RegistryEndpoint:
    """Where a schema registry is and how to sign in; `ca_pem`: authorities to trust beside the system's."""

    url: str
    username: str = ""
    password: str = field(default="", repr=False)
    ca_pem: str | None = None


class _Reader:
    """Requests JSON from the registry within limits of size and time."""

    def __init__(self, registry: RegistryEndpoint, networks: Networks) -> None:
        self._registry, self._networks = registry, networks
        self._left = MAX_BYTES
        credentials = f"{registry.username}:{registry.password}".encode()
        is_known = registry.username or registry.password
        self._headers = {"Accept": "application/vnd.schemaregistry.v1+json, application/json"} | (
            {"Authorization": "Basic " + base64.b64encode(credentials).decode()} if is_known else {}
        )

    def get(self, path: str) -> Any:
        """The answer, null for what is not there. Raises KafkaError."""
        page = ask(
            "GET",
            self._registry.url.rstrip("/") + path,
            self._networks,
            confidential="the password" if "Authorization" in self._headers else "",
            headers=self._headers,
            ca_pem=self._registry.ca_pem,
            at_most_bytes=max(1, self._left),
        )
        self._left -= len(page.body)
        if page.status == NOT_FOUND:
            return None
        if page.status != OK:
            why = NO_RIGHT.get(page.status, f"answered with status {page.status}")
            raise RegistryRefused(
                f"The schema registry {why} ({path}).",
                "Check its address and the user in the cluster's settings.",
            )
        try:
            return page.json()
        except ValueError:
            raise RegistryRefused(
                f"The answer of the schema registry is not JSON ({path}).",
                "Check its address. Enter it without /subjects.",
            ) from None


def capture_schemas(registry: RegistryEndpoint, networks: Networks, folder: Path) -> dict[str, Any]:
    """Write all schemas of the registry into the folder; gives what was written. Raises KafkaError."""
    reader = _Reader(registry, networks)
    schemas: dict[int, dict[str, Any]] = {}
    missing: list[dict[str, Any]] = []
    for version in _listed(reader):
        _add(schemas, missing, version)
        if len(schemas) >= MAX_SCHEMAS:
            missing.append({"id": None, "why": f"The registry has more than {MAX_SCHEMAS} schemas."})
            break
    _follow(reader, schemas, missing)
    document = {
        "journalscope_schemas": FORMAT,
        "registry": registry.url,
        "fetched_at_ms": now_ms(),
        "schemas": [schemas[id] for id in sorted(schemas)],
        "missing": missing,
    }
    path = folder / NAME
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")
    sync(path)
    return document


def _listed(reader: _Reader) -> Iterator[dict[str, Any]]:
    """Versions of all subjects: {"subject", "version", "id", "schemaType"?, "references"?, "schema"}."""
    first = reader.get(f"/schemas?deleted=true&offset=0&limit={PAGE}")
    if not isinstance(first, list):
        yield from _by_subject(reader)
        return
    stored: set[tuple[str, int]] = set()
    page, offset = first, 0
    while unseen := [version for version in page if _subject_version(version) not in stored]:
        stored.update(map(_subject_version, unseen))
        yield from unseen
        if len(page) < PAGE:
            return
        offset += len(page)
        page = reader.get(f"/schemas?deleted=true&offset={offset}&limit={PAGE}") or []


def _subject_version(version: dict[str, Any]) -> tuple[str, int]:
    return str(version.get("subject")), int(version.get("version") or 0)


def _by_subject(reader: _Reader) -> Iterator[dict[str, Any]]:
    for subject in reader.get("/subjects?deleted=true") or []:
        path = f"/subjects/{quote(str(subject), safe='')}/versions"
        for version in reader.get(f"{path}?deleted=true") or []:
            described = reader.get(f"{path}/{int(version)}?deleted=true")
            if described:
                yield described


def _add(schemas: dict[int, dict[str, Any]], missing: list[dict[str, Any]], version: dict[str, Any]) -> None:
    """One version of a subject; several may share an id."""
    kind = version.get("schemaType") or "AVRO"
    if not isinstance(version.get("id"), int) or not isinstance(version.get("schema"), str):
        return
    if kind not in TYPES:
        missing.append({"id": version["id"], "why": f"The registry calls its type {kind}."})
        return
    schema = schemas.setdefault(
        version["id"],
        {
            "id": version["id"],
            "type": kind,
            "schema": version["schema"],
            "references": [
                {name: each.get(name) for name in ("name", "subject", "version")}
                for each in version.get("references") or []
            ],
            "subjects": [],
        },
    )
    subject_version = [version.get("subject"), version.get("version")]
    if subject_version not in schema["subjects"]:
        schema["subjects"].append(subject_version)


def _follow(reader: _Reader, schemas: dict[int, dict[str, Any]], missing: list[dict[str, Any]]) -> None:
    """Fetch referenced schemas that were not listed, transitively."""
    stored = {tuple(subject_version) for schema in schemas.values() for subject_version in schema["subjects"]}
    waiting = list(schemas.values())
    while waiting:
        schema = waiting.pop()
        for reference in schema["references"]:
            subject_version = (reference["subject"], reference["version"])
            if subject_version in stored or len(schemas) >= MAX_SCHEMAS:
                continue
            stored.add(subject_version)
            path = f"/subjects/{quote(str(subject_version[0]), safe='')}/versions/{quote(str(subject_version[1]), safe='')}"
            version = reader.get(f"{path}?deleted=true")
            if version is None:
                why = f"It refers to version {subject_version[1]} of {subject_version[0]}, which the registry does not have."
                missing.append({"id": schema["id"], "why": why})
                continue
            before = set(schemas)
            _add(schemas, missing, version)
            waiting += [schemas[id] for id in schemas.keys() - before]
