"""Topic names that are hidden are nowhere, though all else is shown; checksums and orders give nothing away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.test import Client

from spark.terms import marked
from tests.builders import batches_table, files_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from tests.webapp.sharing.marked import found_in
from tests.webapp.sharing.planted.answers import crawled, everything, stored_in
from webapp.journals.models import Journal
from webapp.sharing.models import Share

pytestmark = [pytest.mark.django_db, pytest.mark.heavy]
TOPIC, FILE = "payroll.v1", "exports/payroll.v1-0/Salaries-dump.log"
CRC = {"crc_stored": 0x1234ABCD, "crc_computed": 0x1234ABCD, "crc_ok": True}


def payroll(folder: Path) -> Path:
    """A journal whose topic stands in paths, sentences and commands."""
    of = {"topic": TOPIC, "partition": 0, "file": 0}
    topic = marked.topic(TOPIC)
    told = (
        f"The batch at byte 5 of {marked.file(FILE)} is corrupt. Run kafka-dump-log --files /data/{topic}-0/0.log for "
        f"`{topic}`."
    )
    report = report_document(
        findings=[finding("one", topic=TOPIC, title=told, explanation=told, remedy=told)]
    )
    rows = [of | {"offset": n, "key": b"k", "value": b"v%d" % n, "batch_position": 0} for n in range(2)]
    batch = (
        of | {"position": 0, "base_offset": 0, "last_offset": 1, "record_count": 2, "records_read": 2} | CRC
    )
    return write_results(
        folder,
        report,
        records=records_table(*rows),
        batches=batches_table(batch),
        files=files_table({"topic": TOPIC, "partition": 0, "name": FILE}),
    )


@pytest.mark.parametrize("shown", [True, False])
def test_a_hidden_topic_is_in_no_byte_and_on_no_page(
    inspected: Any, share: Callable[..., tuple[Share, str]], guest: Client, shown: bool
) -> None:
    inspection = inspected(payroll)
    Journal.objects.filter(pk=inspection.journal_id).update(name="Salaries of payroll.v1")
    inspection.journal.refresh_from_db()
    made, token = share(inspection, names=False, payloads=shown, keys=shown, headers=shown)
    names = (TOPIC, "payroll", "Salaries")
    assert [found for _, data in stored_in(made.results) if (found := found_in(data, names))] == []
    for address, response in crawled(guest, f"/s/{token}/"):
        assert found_in(everything(response), names) == [], address


@pytest.mark.parametrize("hidden", ["payloads", "keys", "headers", None])
def test_a_checksum_is_shown_only_where_everything_under_it_is(
    inspected: Any, share: Callable[..., tuple[Share, str]], guest: Client, hidden: str | None
) -> None:
    flags = {name: name != hidden for name in ("payloads", "keys", "headers")}
    made, token = share(inspected(payroll), **flags)
    row = pq.read_table(made.results / "batches/0000.parquet").to_pylist()[0]
    assert row["crc_ok"] is True
    assert (row["crc_stored"], row["crc_computed"]) == ((0x1234ABCD,) * 2 if hidden is None else (None, None))
    page = guest.get(f"/s/{token}/records/1/").content.decode().casefold()
    assert ("1234abcd" in page) is (hidden is None)
    assert "matches" in page


def test_a_checksum_over_something_masked_is_hidden(
    inspected: Any, share: Callable[..., tuple[Share, str]]
) -> None:
    def secret(folder: Path) -> Path:
        of = {"topic": TOPIC, "partition": 0, "file": 0, "batch_position": 0}
        batch = (
            of
            | {"position": 0, "base_offset": 0, "last_offset": 0, "record_count": 1, "records_read": 1}
            | CRC
        )
        batch.pop("batch_position")
        row = of | {"offset": 0, "key": b"k", "value": b'{"password": "hunter2"}'}
        return write_results(folder, records=records_table(row), batches=batches_table(batch))

    made, _ = share(inspected(secret), payloads=True, keys=True, headers=True)
    assert pq.read_table(made.results / "batches/0000.parquet").to_pylist()[0]["crc_stored"] is None


def test_keys_stand_in_no_order_of_their_own(inspected: Any, share: Callable[..., tuple[Share, str]]) -> None:
    def many(folder: Path) -> Path:
        return write_results(
            folder, records=records_table(*({"offset": n, "key": b"%03d" % n} for n in range(60)))
        )

    inspection = inspected(many)
    orders = [
        pq.read_table(share(inspection)[0].results / "keys/0000.parquet").column("first_offset").to_pylist()
        for _ in range(2)
    ]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]
