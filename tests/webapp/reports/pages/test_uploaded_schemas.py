"""Schemas uploaded beside a journal, from the files to the drawer: they decode values and change nothing else."""

from __future__ import annotations

import html
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.generator.segment import Record, segment, segment_name
from tests.spark.sources.schema_files import SHOP, field
from tests.spark.whole_pipeline import report_of

pytestmark = pytest.mark.django_db

MONEY = {
    "type": "record",
    "name": "shop.Money",
    "fields": [{"name": "units", "type": "long"}, {"name": "currency", "type": "string"}],
}
PRICE = b"\xc4\x13\x06EUR"
PROTO_ORDER = field(1, b"A7") + field(2, field(1, b"pen") + b"\x10\x03")
VALUES = [PRICE, struct.pack(">bi", 0, 9) + PRICE, PROTO_ORDER, b"\xff\xfe\xfd", b"readable"]


def journal(folder: Path) -> Path:
    """A topic whose values nothing in the upload names a schema for."""
    partition = folder / "orders-0"
    partition.mkdir(parents=True)
    records = [Record(b"k%d" % number, value) for number, value in enumerate(VALUES)]
    (partition / segment_name(0)).write_bytes(segment(records))
    return folder


def with_schemas(folder: Path) -> Path:
    """The same with a file of each kind, and one that is broken."""
    schemas = journal(folder) / "schemas"
    schemas.mkdir()
    (schemas / "money.avsc").write_text(json.dumps(MONEY))
    (schemas / "shop.desc").write_bytes(SHOP)
    (schemas / "broken.avsc").write_text("{")
    return folder


@pytest.fixture
def page(tmp_path: Path, inspected: Any, get: Any) -> Callable[..., str]:
    inspection = inspected(lambda results: report_of(with_schemas(tmp_path / "in"), results))

    def shown(name: str, *args: Any, **query: Any) -> str:
        response = get(inspection, name, *args, **query)
        assert response.status_code == 200
        return html.unescape(response.content.decode())

    return shown


def test_values_are_decoded_in_the_drawer(page: Callable[..., str]) -> None:
    bare, framed, proto, other, text = [page("report-record", number) for number in range(len(VALUES))]
    for drawer in (bare, framed):
        assert '"units": 1250' in drawer
        assert "Read with schemas/money.avsc, no proof that it was written with it." in drawer
    assert "schema ID 9, which no journal of a schema registry in this upload knows, then Avro." in framed
    assert '"article": "pen"' in proto
    assert "Read with schemas/shop.desc (shop.Order)" in proto
    assert "Tried with 4 uploaded schemas: none reads it to its last byte." in other
    for drawer in (other, text):
        assert "no proof" not in drawer
    assert "uploaded schema" not in text


def test_the_files_are_listed_with_what_they_are(page: Callable[..., str]) -> None:
    files = page("report-files")
    assert "an Avro schema: shop.Money" in files
    assert "3 Protobuf messages: shop.Money, shop.Line, shop.Order" in files
    assert "broken.avsc" in files


def test_the_report_on_the_journal_is_the_same_without_them(tmp_path: Path) -> None:
    without = report_of(journal(tmp_path / "a"), tmp_path / "a-results")
    beside = report_of(with_schemas(tmp_path / "b"), tmp_path / "b-results")
    for part in ("verdict", "findings", "journals", "clean"):
        assert beside[part] == without[part], part
