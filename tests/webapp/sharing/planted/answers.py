"""Everything that a share can answer: its pages and their parts, figures, downloads, bundles and errors, and the files it lies in."""

from __future__ import annotations

import gzip
import html
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urldefrag, urlencode, urljoin, urlsplit

import pyarrow.parquet as pq
from django.test import Client
from django.urls import resolve
from pypdf import PdfReader

from tests.webapp.sharing.planted.marks import bytes_of
from webapp.reports.pages import report_addresses
from webapp.reports.queries.keys import key_id
from webapp.reports.results import open_results
from webapp.sharing.models import Share

LINKS = re.compile(rb"""(?:href|src|action|hx-get|data-[a-z-]*url)=["']([^"']+)["']""")
OF_A_KIND = 2
OF_A_VIEW = 12
EXPORTS = ("csv", "ndjson", "parquet")
PLACES = 'SELECT DISTINCT topic, "partition", replica FROM lifelines ORDER BY ALL'
HELD = 'SELECT topic, "partition", replica, "offset", key_hash_1, key_hash_2 FROM lifelines ORDER BY ALL'
ENTITIES = 'SELECT DISTINCT topic, "partition", replica, entity_type, entity_id, valid_from_offset FROM state ORDER BY ALL'


def answers(client: Client, share: Share, token: str, most: int | None = None) -> Iterator[tuple[str, Any]]:
    """Every address of the share with its answer; `most`: so many records, keys and entities of each partition."""
    start = f"/s/{token}/"
    yield from crawled(client, start, *(start + address for address in addresses(share, most)))


def addresses(share: Share, most: int | None) -> list[str]:
    """What can be asked of the share by what its own tables hold, below its link."""
    found = [
        "nothing/",
        "evidence/",
        "records/99999/",
        f"keys/{'0' * 32}/",
        "compare/",
        "repair/",
        "files/0/text/",
    ]
    with open_results(share.results) as results:
        held, entities = results.rows(HELD), results.rows(ENTITIES)
    for place in dict.fromkeys((row["topic"], row["partition"], row["replica"]) for row in held):
        query = urlencode(dict(zip(("topic", "partition", "replica"), place, strict=True)))
        own = [row for row in held if (row["topic"], row["partition"], row["replica"]) == place][:most]
        found += [
            f"{page.path}?{query}"
            for page in report_addresses().values()
            if page.shared and "<" not in page.path
        ]
        found += [f"records/export/{layout}/?{query}" for layout in EXPORTS]
        found += [
            f"records/{row['offset']}/{part}?{query}" for row in own for part in ("", "key.bin", "value.bin")
        ]
        ids = dict.fromkeys(key_id(row["key_hash_1"], row["key_hash_2"]) for row in own)
        found += [f"keys/{identity}/?{query}" for identity in ids]
        found += [f"state/?{query}&at={row['offset']}" for row in own[:: max(1, len(own) // 3)]]
        of_place = [row for row in entities if (row["topic"], row["partition"], row["replica"]) == place][
            :most
        ]
        found += [
            f"state/entity/?{query}&{urlencode({'type': row['entity_type'], 'id': row['entity_id'], 'at': row['valid_from_offset']})}"
            for row in of_place
        ]
    return found


def crawled(client: Client, start: str, *more: str) -> Iterator[tuple[str, Any]]:
    """The given addresses, and every kind of address that can be reached from them, each as a page and as a part of one.

    Addresses are of a kind when they are of one view and have the same parameters: of those that are reached, the first few.
    """
    waiting, given, seen, kinds = [start, *more], {start, *more}, set(), Counter[Any]()
    while waiting:
        address = urldefrag(waiting.pop()).url
        if address in seen or not urlsplit(address).path.startswith("/s/"):
            continue
        seen.add(address)
        kind = resolve(urlsplit(address).path).view_name, frozenset(parse_qs(urlsplit(address).query))
        kinds.update((kind, kind[0]))
        if address not in given and (kinds[kind] > OF_A_KIND or kinds[kind[0]] > OF_A_VIEW):
            continue
        for headers in ({}, {"HX-Request": "true"}) if kinds[kind] <= OF_A_KIND else ({},):
            response = client.get(address, headers=headers)
            yield address, response
            waiting += [
                urljoin(address, html.unescape(link.decode()))
                for link in LINKS.findall(body(response))
                if not link.startswith((b"#", b"data:"))
            ]
        if response.headers.get("Location"):
            waiting.append(urljoin(address, response.headers["Location"]))


def body(response: Any) -> bytes:
    """What was sent, unpacked; read once, kept with the response."""
    if not hasattr(response, "unpacked_body"):
        sent = b"".join(response) if response.streaming else response.content
        response.unpacked_body = unpacked(sent, response.headers.get("Content-Encoding"))
    return bytes(response.unpacked_body)


def unpacked(sent: bytes, encoding: str | None) -> bytes:
    """A body as it is read; of an archive all members with their names."""
    if sent.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(sent)) as bundle:
            return b"".join(name.encode() + rows_too(bundle.read(name)) for name in bundle.namelist())
    return gzip.decompress(sent) if encoding == "gzip" else sent


def rows_too(held: bytes) -> bytes:
    """A file of an archive; Parquet also as its rows, PDF as its text."""
    if held.startswith(b"%PDF"):
        return "".join(page.extract_text() for page in PdfReader(io.BytesIO(held)).pages).encode()
    if not held.startswith(b"PAR1"):
        return held
    parquet = pq.ParquetFile(io.BytesIO(held))
    rows = b"".join(bytes_of(row) for row in parquet.read().to_pylist())
    return (
        held + repr(parquet.metadata.to_dict()).encode() + repr(parquet.schema_arrow.metadata).encode() + rows
    )


def everything(response: Any) -> bytes:
    """Body and headers."""
    return body(response) + repr(response.headers.items()).encode()


def stored_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every byte of a folder: files as they lie there, and what Parquet holds behind its compression."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        yield file.name, str(file.relative_to(folder)).encode() + file.read_bytes()
        if file.suffix == ".parquet":
            parquet = pq.ParquetFile(file)
            yield f"metadata of {file}", repr(parquet.metadata.to_dict()).encode()
            for row in parquet.read().to_pylist():
                yield f"row of {file}", bytes_of(row)
