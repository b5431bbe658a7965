"""Journals of a server, asked by its API with a token: the report as it is there, and of its tables only what a call needs.

The rows become a small result folder of this machine, which is redacted like every other: the server's answers are as much
material as files are. Only GET is sent.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from spark.redaction import Options
from spark.tables import HEADERS, TABLES, Manifest
from spark.tables.parquet import write_parts
from webapp.networks.errors import NetError
from webapp.networks.guard import Networks
from webapp.reports.queries.keys import hashes_of
from workers.management.assistants.journals import (
    RAW,
    WHOLE_REPORT,
    InspectedJournal,
    KeptResults,
    NeededResults,
    redacted,
)
from workers.management.assistants.refused import RefusedCall
from workers.net.http import ask

PREFIX = "journal:"
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
PAGE_ROWS, MAX_STATE = 1_000, 5_000
END = 2**62
MANY_ENTITIES = f"The state has more than {MAX_STATE:,} entities. Only the first {MAX_STATE:,} in the order of their offsets are in this answer."
NO_ID = f"Name a journal of the server as {PREFIX}ID. Its ID is in the address of its page."
NOT_DONE = (
    "This journal has no finished inspection on the server. Wait for it, or start one on the journal's page."
)
NO_STATE = "Topics that no service replays have no state here. Ask for their records by offset."
REFUSALS: Mapping[int, str] = {
    HTTPStatus.UNAUTHORIZED: "The server does not accept the token. The environment variable JOURNALSCOPE_TOKEN must have a valid one.",
    HTTPStatus.FORBIDDEN: "The token has no right to read this. It needs the scope read.",
    HTTPStatus.NOT_FOUND: "The server has no such journal or record, or the token's user has no right to it.",
    HTTPStatus.GONE: "The results of this journal no longer exist on the server. Inspect it again there.",
    HTTPStatus.TOO_MANY_REQUESTS: "The server got too many requests with this token. Wait a minute.",
}
OTHER_STATUS = "The server answered with status {status}."
NO_DOCUMENT = (
    "The server's answer is not a document of Journalscope's API. Check the address that --server names."
)


THIS_MACHINE_TOO = Networks(("loopback",))


@dataclass(frozen=True)
class JournalServer:
    """Where it is, and the token for it. Of its answers only rows and states are believed, no words."""

    url: str
    token: str
    networks: Networks = THIS_MACHINE_TOO

    def get(self, path: str, **query: object) -> Any:
        """A document below /api/v1. Raises RefusedCall."""
        address = f"{self.url.rstrip('/')}/api/v1/{path}{'?' + urlencode(query) if query else ''}"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        try:
            answer = ask("GET", address, self.networks, headers=headers, confidential="the token")
        except NetError as problem:
            raise RefusedCall(str(problem)) from problem
        if answer.status != HTTPStatus.OK:
            raise RefusedCall(REFUSALS.get(answer.status, OTHER_STATUS.format(status=answer.status)))
        try:
            return answer.json()
        except ValueError as problem:
            raise RefusedCall(NO_DOCUMENT) from problem

    def rows(self, path: str, most: int, **query: object) -> Iterator[dict[str, Any]]:
        """Rows of a list, page by page, one more than `most` at most."""
        count = 0
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, **query, **cursor, limit=PAGE_ROWS)
            for row in page["results"]:
                yield row
                count += 1
                if count > most:
                    return
            match = re.search(r"[?&]cursor=([^&]+)", page["next"] or "")
            if match is None:
                return
            cursor = {"cursor": match[1]}


class ServedJournals:
    """Journals of one server."""

    def __init__(self, server: JournalServer, scratch: Path, options: Options) -> None:
        self._server, self._options = server, options
        self._results = KeptResults(scratch)

    def of(self, name: str, needed: NeededResults = WHOLE_REPORT) -> InspectedJournal:
        """Raises RefusedCall."""
        match = UUID.fullmatch(name.removeprefix(PREFIX))
        if match is None:
            raise RefusedCall(NO_ID)
        try:
            inspection = self._inspection(match[0])
            identity = (inspection, needed)
            return self._results.get(identity) or self._results.keep(identity, self._made(inspection, needed))
        except (KeyError, TypeError, AttributeError) as problem:
            raise RefusedCall(NO_DOCUMENT) from problem

    def _inspection(self, journal_id: str) -> str:
        """The id of the newest one. Raises RefusedCall unless it is finished."""
        journal = self._server.get(f"journals/{journal_id}/")
        newest = journal["newest"] or journal["same_input"]
        if not newest or newest["state"] != "done" or not UUID.fullmatch(newest["id"]):
            raise RefusedCall(NOT_DONE)
        return str(newest["id"])

    def _made(self, inspection: str, needed: NeededResults) -> InspectedJournal:
        """A result folder with what the call needs."""
        folder, server = self._results.room(), self._server
        report = server.get(f"inspections/{inspection}/report/")
        rows = {"files": list(server.rows(f"inspections/{inspection}/files/", PAGE_ROWS))}
        notes: tuple[str, ...] = ()
        if needed.offset is None:
            rows |= self._state(inspection, needed)
            notes = (MANY_ENTITIES,) if len(rows["state"]) > MAX_STATE else ()
            rows["state"] = rows["state"][:MAX_STATE]
            if not all(is_replayed(journal) for journal in report["journals"]):
                notes += (NO_STATE,)
        else:
            rows |= self._at(inspection, needed.offset)
        write_results(folder / RAW, report, rows)
        return redacted(folder, self._options, notes)

    def _state(self, inspection: str, needed: NeededResults) -> dict[str, list[dict[str, Any]]]:
        """Entities at an offset; they also say which names of the report are names of entities."""
        at = END if needed.at is None else needed.at
        rows = list(self._server.rows(f"inspections/{inspection}/state/", MAX_STATE, view=needed.view, at=at))
        latest: dict[tuple[Any, ...], dict[str, Any]] = {}
        for row in rows:  # a partition is replayed of the copy that has a record in the table of lifelines
            replica = {name: row[name] for name in ("topic", "partition", "replica")}
            latest[tuple(replica.values())] = {
                **replica,
                "offset": row["valid_from_offset"],
                "kind": "create",
            }
        return {"state": rows, "lifelines": list(latest.values())}

    def _at(self, inspection: str, offset: int) -> dict[str, list[dict[str, Any]]]:
        within = {"first": offset, "last": offset}
        marks = list(self._server.rows(f"inspections/{inspection}/marks/", PAGE_ROWS, **within))
        return {
            "records": self._server.get(f"inspections/{inspection}/records/{offset}/"),
            "entries": list(self._server.rows(f"inspections/{inspection}/entries/", PAGE_ROWS, **within)),
            "lifelines": marks,
            "marks": marks,
        }


def is_replayed(journal: dict[str, Any]) -> bool:
    return bool(journal["is_replayed"]) and journal["dialect"] != "plain"


def write_results(folder: Path, report: dict[str, Any], rows: Mapping[str, list[dict[str, Any]]]) -> None:
    """The result folder of an inspection with these rows of its tables."""
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(report))
    manifest = Manifest(folder, {}, {})
    tables = {
        name: TABLES[name].filled([row_of(name, document) for document in documents])
        for name, documents in rows.items()
    }
    manifest.with_parts(write_parts(manifest, tables)).save()


def row_of(table: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """A row as tables have it, of a row as the API has it."""
    row: dict[str, Any] = {}
    for column in TABLES[table].columns:
        value = document.get(column.name)
        if column.type == "binary":
            value = bytes_of(value)
        elif column.type == HEADERS and value is not None:
            value = [{name: bytes_of(header[name]) for name in ("key", "value")} for header in value]
        elif column.name == "attributes":
            value = json.dumps(value)
        row[column.name] = value
    if "key_id" in document:
        row["key_hash_1"], row["key_hash_2"] = hashes_of(document["key_id"])
    return row


def bytes_of(payload: Mapping[str, Any] | None) -> bytes | None:
    return None if payload is None else b64decode(payload["base64"])
