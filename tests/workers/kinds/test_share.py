"""The worker's part of a share: once, whole or not at all, nothing kept of what is over; a million records in time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from spark.redaction import Options, Selection, redact
from spark.redaction.process import redact_apart
from spark.tables import TABLES, Manifest, Part
from tests.builders import records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.jobs import kinds
from webapp.journals.models import Inspection, Journal
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms, create_share, remove_tables, revoke
from workers.jobs import housekeeping
from workers.jobs.runner import perform
from workers.kinds import share as making

pytestmark = pytest.mark.django_db
MILLION = 1_000_000
SECONDS = 120  # on two busy cores; 15 to 25 where they are idle


@pytest.fixture
def asked(project: Any, house: Any, owner: Any) -> Callable[..., Share]:
    """A share of three records that waits for its worker."""

    def make(scope: Scope | None = None) -> Share:
        journal = Journal.objects.create(project=project, name="journal")
        inspection = Inspection.objects.create(journal=journal, state="done", finished_at=timezone.now())
        write_results(inspection.results, records=records_table({"value": b"1"}, {"value": b"2"}, {}))
        options = Options(b"").document()
        terms = Terms(timezone.now() + timedelta(days=1), options, scope=(scope or Scope()).document())
        return create_share(inspection, owner, terms)[0]

    return make


def made(share: Share) -> Share:
    perform(making.KIND, str(share.pk))
    share.refresh_from_db()
    return share


def test_a_share_gets_tables_of_its_own_and_says_what_it_is_pinned_to(asked: Any) -> None:
    share = made(asked())
    assert (share.state, share.error) == ("done", "")
    assert Manifest.load(share.results).rows["records"] == 3
    assert share.pinned["files"] == ["ab" * 32]
    assert (share.pinned["schema"], share.pinned["redaction"], share.pinned["checks"]) == (1, 8, 1)
    assert share.pinned["inspected_at"]
    assert [path.name for path in share.results.parent.iterdir() if path.name.startswith(str(share.pk))] == [
        str(share.pk)
    ]


def test_a_second_message_does_not_make_it_again(asked: Any) -> None:
    share = made(asked())
    written = (share.results / "tables.json").stat().st_mtime_ns
    made(share)
    assert (share.results / "tables.json").stat().st_mtime_ns == written


def test_what_was_revoked_before_its_turn_is_not_made(asked: Any, owner: Any) -> None:
    share = asked()
    revoke(share, owner)
    assert made(share).state == "queued"
    assert not share.results.exists()


def test_results_that_are_gone_fail_with_a_sentence(asked: Any) -> None:
    share = asked()
    (share.inspection.results / "tables.json").unlink()
    assert made(share).state == "failed"
    assert share.error.startswith("The results of this inspection no longer exist.")


def test_what_is_not_in_the_report_fails_with_a_sentence(asked: Any) -> None:
    share = made(asked(Scope("finding", "unheard")))
    assert share.state == "failed"
    assert share.error.startswith("This key, record or finding is no longer in the report")


def test_a_defect_leaves_nothing_half_made(asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    share = asked()
    monkeypatch.setattr(making, "names_of", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        perform(making.KIND, str(share.pk))
    share.refresh_from_db()
    assert (share.state, share.error) == ("failed", kinds.named("share").defect)
    assert not share.results.exists()


def test_housekeeping_keeps_what_is_open_and_removes_what_is_over(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, expired = made(asked()), made(asked())
    Share.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    monkeypatch.setattr(housekeeping, "LEFTOVER_SECONDS", -1)
    housekeeping.remove_leftovers()
    kinds.named("share").clean_up()
    assert kept.results.exists()
    assert not expired.results.exists()


def test_a_share_that_is_revoked_while_it_is_made_ends_quietly(
    asked: Any, owner: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    share = asked()
    monkeypatch.setattr(making, "redact", lambda *_: (revoke(share, owner), remove_tables(share)))
    assert made(share).state not in ("failed", "done")
    assert (share.error, share.why_closed) == ("", "revoked")
    assert not [one for one in caplog.records if one.levelname in ("ERROR", "WARNING")]
    assert not share.results.exists()


def test_a_share_whose_folder_goes_while_it_is_made_because_it_was_revoked_ends_quietly(
    asked: Any, owner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for problem in (FileNotFoundError("gone"), ZeroDivisionError()):
        share = asked()

        def broken(*_: Any, share: Share = share, problem: Exception = problem) -> None:
            revoke(share, owner)
            raise problem

        monkeypatch.setattr(making, "redact", broken)
        assert made(share).state == "queued"
        assert share.error == ""
        kinds.named("share").clean_up()
        assert made(share).state == "queued"


def test_a_share_whose_masks_take_too_long_or_cannot_run_fails_with_the_reason(
    asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = asked()
    stored.options |= {"payloads": True, "patterns": ["(?=a)b"]}
    stored.save()
    assert made(stored).state == "failed"
    assert "looks ahead or behind" in stored.error
    monkeypatch.setattr(making, "redact", partial(redact_apart, seconds=0.01))
    late = made(asked())
    assert (late.state, "took longer than" in late.error) == ("failed", True)


@pytest.mark.long
@pytest.mark.slow
def test_a_million_records_are_redacted_in_seconds(tmp_path: Path) -> None:
    source = million(tmp_path / "source")
    began = time.monotonic()
    redact(source, tmp_path / "share", Options(b"salt"), Selection())
    assert time.monotonic() - began < SECONDS
    assert Manifest.load(tmp_path / "share").rows == {
        "records": MILLION,
        "lifelines": MILLION,
        "keys": 1,
        "files": 1,
    }


def million(folder: Path) -> Path:
    """A million records of 200 bytes and 10,000 keys."""
    numbers = np.arange(MILLION)
    keys = np.char.add("customer-", (numbers % 10_000).astype(str)).astype("S")
    values = pa.array([b"%0200d" % number for number in range(MILLION)], pa.binary())
    columns: dict[str, Any] = {
        "topic": pa.array(["journal"] * MILLION), "replica": pa.array([""] * MILLION), "offset": numbers,
        "key": pa.array(keys.tolist(), pa.binary()), "value": values, "key_hash_1": numbers % 10_000 + 1,
        "key_hash_2": numbers % 10_000 + 7, "kind": pa.array(["update"] * MILLION),
    }  # fmt: skip
    tables = {name: _table(name, columns) for name in ("records", "lifelines")}
    some_key = (
        tables["records"]
        .slice(0, 1)
        .select(["topic", "partition", "replica", "key_hash_1", "key_hash_2", "key"])
    )
    folder = write_results(folder, report_document(), keys=_filled("keys", some_key))
    manifest = Manifest.load(folder)
    for name, rows in tables.items():
        (folder / name).mkdir()
        pq.write_table(rows, folder / name / "0.parquet", row_group_size=50_000)
        manifest = manifest.with_parts([Part(name, f"{name}/0.parquet", rows.num_rows)])
    manifest.save()
    return folder


def _table(name: str, columns: dict[str, Any]) -> pa.Table:
    known = {column: columns[column] for column in TABLES[name].schema.names if column in columns}
    return _filled(name, pa.table(known))


def _filled(name: str, rows: pa.Table) -> pa.Table:
    schema = TABLES[name].schema
    arrays = []
    for part in schema:
        if part.name in rows.column_names:
            arrays.append(rows[part.name].cast(part.type))
        else:
            empty = 0 if part.name in ("partition", "file") else None
            arrays.append(pa.array([empty] * rows.num_rows, part.type))
    return pa.table(arrays, schema=schema)
