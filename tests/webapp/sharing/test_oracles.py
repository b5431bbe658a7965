"""What two links tell when they are laid side by side: nothing of one is found again in another, and other hidden bytes look alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.generator.segment import Record, segment, segment_name
from tests.spark.whole_pipeline import report_of
from tests.webapp.sharing.planted.answers import answers, body
from webapp.sharing.models import Share

pytestmark = pytest.mark.django_db
Made = Callable[..., tuple[Share, str]]
RUNNING = re.compile(rb"\d\d:\d\d:\d\d(\.\d+)?|term-\d+")  # the time, and what numbers the hints of all pages
HASH = re.compile(rb"\b[0-9a-f]{8,}\b|\b[0-9A-Za-z_-]{32,}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
STATIC = re.compile(rb"""["'(]/static/[^"')]*""")
PAGES = re.compile(
    r"(|timeline/|keys/|records/|state/|transactions/|log/|profile/|formats/|files/|records/\d+/)"
)


def keyed(*records: tuple[bytes, bytes | None]) -> Callable[[Path], Any]:
    """Writes the results of an inspection of one segment; times count from one and the same moment."""

    def write(results: Path) -> Any:
        partition = results.parent / f"{results.name}-input" / "orders-0"
        partition.mkdir(parents=True)
        (partition / segment_name(0)).write_bytes(segment([Record(*record) for record in records]))
        return report_of(partition.parent, results)

    return write


def told(guest: Client, made: tuple[Share, str]) -> dict[str, bytes]:
    """Its pages by their address, without those of static files."""
    share, token = made
    start = f"/s/{token}/"
    shown = {}
    for address, answer in answers(guest, share, token, most=3):
        page = address.removeprefix(start).partition("?")[0]
        if PAGES.fullmatch(page) and page not in shown:
            shown[page] = STATIC.sub(b"", body(answer)).replace(token.encode(), b"")
    return shown


def hashes(pages: dict[str, bytes]) -> set[bytes]:
    return {found for page in pages.values() for found in HASH.findall(page)}


def test_nothing_hidden_has_the_same_name_in_two_links_of_one_report(
    inspected: Any, share: Made, guest: Client
) -> None:
    inspection = inspected(keyed((b"customer-1", b"paid"), (b"customer-2", b"paid"), (b"customer-1", None)))
    first, second = (hashes(told(guest, share(inspection, names=False))) for _ in range(2))
    of_every_page = hashes(told(guest, share(inspected(keyed((b"a", b"b"))), names=False)))
    assert first & second <= of_every_page
    assert len(first - of_every_page) > 3  # there were pseudonyms, fingerprints and ids to compare


def test_journals_that_differ_in_hidden_bytes_only_have_links_that_read_the_same(
    inspected: Any, share: Made, guest: Client
) -> None:
    """Of the same lengths, and equal where they were equal: sizes and equality within a link are told, and no more."""
    written = [
        keyed((b"customer-1", b"paid"), (b"customer-2", b"paid"), (b"customer-1", None)),
        keyed((b"Smith,Jane", b"owes"), (b"Miller,Joe", b"owes"), (b"Smith,Jane", None)),
    ]
    first, second = (told(guest, share(inspected(write), names=False)) for write in written)
    assert first.keys() == second.keys()
    for page, shown in first.items():
        alike = [Counter(RUNNING.sub(b"", HASH.sub(b"#", text)).split()) for text in (shown, second[page])]
        assert alike[0] == alike[1], (page, alike[0] - alike[1], alike[1] - alike[0])
