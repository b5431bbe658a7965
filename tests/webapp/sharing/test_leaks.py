"""A share that hides payloads and keys is crawled to its last link: none of the journal's marks is in any byte."""

from __future__ import annotations

import base64
import gzip
import html
import io
import json
import logging
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import pyarrow.parquet as pq
import pytest
from django.test import Client
from django.urls import resolve

from spark.redaction.columns import ColumnKind
from spark.tables.replica import PartitionReplica
from spark.terms.marked import quote
from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from tests.webapp.sharing.marked import (
    EVERY_MARK,
    LINKS,
    MARKS,
    REPORT_MARK,
    bytes_of,
    found_in,
    marked,
    stored_in,
)
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.urls import SHARED

pytestmark = pytest.mark.django_db
PLACE = PartitionReplica(MARKS[ColumnKind.TOPIC], 0, MARKS[ColumnKind.COPY])
SECRET = "hunter2-is-the-secret"
OF_A_KIND = 2
OF_A_VIEW = 60


@pytest.fixture
def closed(inspected: Any, share: Callable[..., Any]) -> tuple[Share, str]:
    """A share of everything that shows nothing."""
    return share(inspected(marked), names=False)


def crawled(client: Client, start: str, *more: str) -> Iterator[tuple[str, Any]]:
    """Every kind of address that can be reached from the first, each as a page and as a part of one.

    Addresses are of a kind when they are of one view and have the same parameters: of those, the first few.
    """
    waiting, seen, kinds = [start, *more], set(), Counter[Any]()
    while waiting:
        address = urldefrag(waiting.pop()).url
        if address in seen or not urlsplit(address).path.startswith("/s/"):
            continue
        seen.add(address)
        kind = resolve(urlsplit(address).path).view_name, frozenset(parse_qs(urlsplit(address).query))
        kinds.update((kind, kind[0]))
        if kinds[kind] > OF_A_KIND or kinds[kind[0]] > OF_A_VIEW:
            continue
        for headers in ({}, {"HX-Request": "true"}):
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
    """What was sent, unpacked."""
    sent = b"".join(response) if response.streaming else response.content
    if sent.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(sent)) as bundle:
            return b"".join(name.encode() + unpacked(bundle.read(name)) for name in bundle.namelist())
    return gzip.decompress(sent) if response.headers.get("Content-Encoding") == "gzip" else sent


def unpacked(held: bytes) -> bytes:
    """A file of an archive; Parquet also as its rows."""
    if not held.startswith(b"PAR1"):
        return held
    parquet = pq.ParquetFile(io.BytesIO(held))
    rows = b"".join(bytes_of(row) for row in parquet.read().to_pylist())
    return (
        held + repr(parquet.metadata.to_dict()).encode() + repr(parquet.schema_arrow.metadata).encode() + rows
    )


def everything(response: Any) -> bytes:
    return body(response) + repr(response.headers.items()).encode()


def test_the_marks_are_found_where_they_are_not_hidden(inspected: Any) -> None:
    """Without this the other tests would prove nothing."""
    folder = marked(inspected(marked).results)
    found = {one.split(" as ")[0] for _, data in stored_in(folder) for one in found_in(data)}
    assert found == set(EVERY_MARK)


def test_no_byte_on_disk_holds_a_mark(closed: tuple[Share, str]) -> None:
    leaks = [(where, found) for where, data in stored_in(closed[0].results) if (found := found_in(data))]
    assert leaks == []


def test_no_page_figure_fragment_or_error_page_holds_a_mark(closed: tuple[Share, str], guest: Client) -> None:
    token = closed[1]
    wrong = [f"/s/{token}/nothing/", f"/s/{token}/records/99/", f"/s/{token}/keys/{'0' * 32}/"]
    wrong += [f"/s/{token}/records/3/value.bin", f"/s/{token}/compare/", f"/s/{token}/repair/"]
    pages = set()
    for address, response in crawled(guest, f"/s/{token}/", *wrong):
        assert found_in(everything(response)) == [], address
        assert response.status_code in (200, 302, 404), address
        if response.status_code == 200:
            pages.add(response.resolver_match.url_name)
    assert pages >= SHARED - {"report-record-bytes"}


def test_a_page_of_the_share_is_more_than_an_error(closed: tuple[Share, str], guest: Client) -> None:
    page = guest.get(f"/s/{closed[1]}/records/").content.decode()
    assert "Shared report, read-only." in page
    assert "key-" in page
    assert "[hidden, fingerprint " in page


def test_who_searches_for_what_is_hidden_finds_nothing(closed: tuple[Share, str], guest: Client) -> None:
    address = f"/s/{closed[1]}/records/"
    assert guest.get(address, {"key": MARKS[ColumnKind.KEY]}).context["found"].rows == []
    assert guest.get(address, {"value": MARKS[ColumnKind.VALUE]}).context["found"].rows == []
    assert guest.get(f"/s/{closed[1]}/keys/", {"q": MARKS[ColumnKind.KEY]}).context["rows"] == []


def test_addresses_of_the_report_lead_nowhere_in_the_share(closed: tuple[Share, str], guest: Client) -> None:
    from tests.builders import key_hash
    from webapp.reports.queries.keys import key_id

    unsalted = key_id(*key_hash(f"{MARKS[ColumnKind.KEY]}-1".encode()))
    assert guest.get(f"/s/{closed[1]}/keys/{unsalted}/").status_code == 404
    assert guest.get(f"/s/{closed[1]}/records/3/value.bin").status_code == 404
    assert guest.get(f"/s/{closed[1]}/records/3/key.bin").status_code == 404


@pytest.mark.parametrize(
    "scope",
    [
        Scope("finding", "Zq7ReportMarkId"),
        pytest.param(
            Scope("tab", "report-records", PLACE, {"value": "Zq7ValueMark"}), marks=pytest.mark.long
        ),
        pytest.param(Scope("record", "3", PLACE), marks=pytest.mark.long),
    ],
    ids=["finding", "filtered tab", "record"],
)
def test_a_part_leaks_no_more_than_the_whole(
    inspected: Any, share: Callable[..., Any], guest: Client, scope: Scope
) -> None:
    made, token = share(inspected(marked), scope, names=False)
    assert [found for _, data in stored_in(made.results) if (found := found_in(data))] == []
    for address, response in crawled(guest, f"/s/{token}/"):
        assert found_in(everything(response)) == [], address
        assert response.status_code in (200, 302, 404), address


def test_what_is_masked_leaks_from_base64_neither(
    inspected: Any, share: Callable[..., Any], guest: Client
) -> None:
    def in_base64(data: bytes) -> str:
        return base64.b64encode(data).decode()

    told = json.dumps({"password": SECRET, "name": "orders"}).encode()
    within = json.dumps({"content": in_base64(told), "twice": in_base64(in_base64(told).encode())}).encode()
    values = [in_base64(told).encode(), within, in_base64(within).encode()]

    def write(folder: Path) -> Path:
        rows = [{"offset": n, "key": in_base64(told).encode(), "value": one} for n, one in enumerate(values)]
        finding_of_it = finding("secret", key=in_base64(told), title=quote(in_base64(told)))
        return write_results(folder, report_document(findings=[finding_of_it]), records=records_table(*rows))

    made, token = share(inspected(write), payloads=True, keys=True, headers=True)
    leaks = [(where, found) for where, data in stored_in(made.results) if (found := deep(data))]
    assert leaks == []
    for address, response in crawled(guest, f"/s/{token}/"):
        assert deep(everything(response)) == [], address
    shown = guest.get(f"/s/{token}/records/2/value.bin").content
    assert b"orders" in base64.b64decode(json.loads(base64.b64decode(shown))["content"])


def deep(data: bytes) -> list[str]:
    """The secret, also behind two layers of base64."""
    layers = [SECRET, f'"password": "{SECRET}"']
    layers += [base64.b64encode(json.dumps({"password": SECRET, "name": "orders"}).encode()).decode()]
    return found_in(data, tuple(layers))


def test_neither_token_nor_marks_get_into_logs_or_the_audit_log(
    closed: tuple[Share, str], guest: Client, caplog: pytest.LogCaptureFixture
) -> None:
    from webapp.audit.models import Event
    from webapp.sharing.models import ShareView

    with caplog.at_level(logging.DEBUG):
        guest.get(f"/s/{closed[1]}/")
    told = repr(list(Event.objects.values())) + repr(list(ShareView.objects.values()))
    assert closed[1] not in told
    assert found_in(told.encode(), (REPORT_MARK, MARKS[ColumnKind.KEY], MARKS[ColumnKind.VALUE])) == []
