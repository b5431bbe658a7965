"""What a request is about is deleted while it is answered: 404 or 410, JSON for programs, an end that says so for exports."""

from __future__ import annotations

import io
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.webapp.reports.conftest import inspected
from webapp.api.tokens import create_token
from webapp.journals import deletion
from webapp.journals.models import Inspection, Journal
from webapp.reports import page as report_page
from webapp.reports import results
from webapp.reports.pages import report_pages
from webapp.sharing import shares
from webapp.sharing.exports import archive, chosen
from webapp.sharing.models import Share

__all__ = ["inspected"]

pytestmark = pytest.mark.django_db
CHOSEN = {"names": "on", "days": "30", "audience": "link", "fields_masked": "", "patterns": ""}
TABLES = """
pragma foreign_keys = on;
create table inspection (id integer primary key);
create table link (id integer references inspection (id) deferrable initially deferred);
"""
REPORT = [page.name for page in report_pages() if "<" not in page.path] + ["report-timeline-figure"]


@pytest.fixture
def signed_in(owner: Any, sign_in: Any) -> Client:
    client: Client = sign_in(owner)
    client.raise_request_exception = False
    return client


@pytest.fixture
def deleted_meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """The journal of an inspection is deleted when a page has opened the results and asks for the first of them."""

    def delete(inspection: Inspection, results_only: bool = False) -> None:
        read = report_page.read_report

        def overtaken(document: dict[str, Any]) -> Any:
            if results_only:
                shutil.rmtree(str(inspection.results), ignore_errors=True)
            elif journal := Journal.objects.filter(pk=inspection.journal_id).first():
                deletion.delete_journal(journal)
            return read(document)

        monkeypatch.setattr(report_page, "read_report", overtaken)

    return delete


@pytest.mark.parametrize("name", REPORT)
def test_a_report_page_whose_journal_is_deleted_meanwhile(
    name: str, signed_in: Client, inspected: Any, deleted_meanwhile: Any
) -> None:
    inspection = inspected()
    deleted_meanwhile(inspection)
    answer = signed_in.get(reverse(name, args=[inspection.pk]))
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


@pytest.mark.parametrize("name", REPORT)
def test_a_report_page_whose_results_go_meanwhile(
    name: str, signed_in: Client, inspected: Any, deleted_meanwhile: Any
) -> None:
    inspection = inspected()
    deleted_meanwhile(inspection, results_only=True)
    answer = signed_in.get(reverse(name, args=[inspection.pk]))
    assert answer.status_code == 410
    assert "Inspect the journal again" in answer.content.decode()


@pytest.mark.parametrize("part", ["report", "findings", "records", "keys", "entries", "files"])
@pytest.mark.parametrize("results_only", [True, False], ids=["results", "journal"])
def test_a_program_is_told_in_json(
    part: str, results_only: bool, owner: Any, inspected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    inspection = inspected()
    _, text = create_token(owner, "t", ["read"], timezone.now() + timedelta(days=1))
    read = results.Manifest.load

    def overtaken(folder: Any) -> Any:
        manifest = read(folder)
        if results_only:
            shutil.rmtree(str(folder))
        else:
            deletion.delete_journal(inspection.journal)
        return manifest

    monkeypatch.setattr(results.Manifest, "load", overtaken)
    client = Client(raise_request_exception=False)
    address = f"/api/v1/inspections/{inspection.pk}/{part}/"
    answer = client.get(address, headers={"Authorization": f"Bearer {text}"})
    assert (answer.status_code in (404, 410), answer["Content-Type"]) == (True, "application/json"), (
        answer.content
    )
    assert set(answer.json()) == {"error"}


def test_a_row_that_would_belong_to_nothing_is_no_defect(
    signed_in: Client, inspected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link is made as its inspection goes: the database refuses the row when it is to be kept."""

    def refused(*_: Any, **__: Any) -> None:
        with sqlite3.connect(":memory:") as database:
            database.executescript(TABLES)
            try:
                database.execute("insert into link values (1)")
                database.commit()
            except sqlite3.IntegrityError as problem:
                raise IntegrityError(str(problem)) from problem

    monkeypatch.setattr(shares, "record", refused)
    monkeypatch.setattr("webapp.gone.FOREIGN_KEY", {connection.vendor: "SQLITE_CONSTRAINT_FOREIGNKEY"})
    answer = signed_in.post(f"{reverse('share', args=[inspected().pk])}?what=report", CHOSEN)
    assert (answer.status_code, Share.objects.count()) == (410, 0)
    assert "Something that this request names was deleted meanwhile." in answer.content.decode()


def test_a_defect_stays_one(signed_in: Client, inspected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> Any:
        raise FileNotFoundError(2, "No such file or directory", "/elsewhere")

    monkeypatch.setattr(report_page, "read_report", broken)
    assert signed_in.get(reverse("report-overview", args=[inspected().pk])).status_code == 500


class TestExports:
    @pytest.fixture
    def cut_short(
        self, signed_in: Client, inspected: Any, monkeypatch: pytest.MonkeyPatch
    ) -> Callable[[str], Any]:
        """The zip of an export whose journal is deleted after the first portion."""
        monkeypatch.setattr(chosen, "PORTION_RECORDS", 2)

        def export(layout: str) -> zipfile.ZipFile:
            inspection = inspected()
            answer = signed_in.get(reverse("report-records-export", args=[inspection.pk, layout]))
            assert answer.status_code == 200
            deletion.delete_journal(inspection.journal)
            return zipfile.ZipFile(io.BytesIO(b"".join(answer)))

        return export

    @pytest.mark.parametrize("layout", ["csv", "ndjson", "parquet"])
    def test_one_whose_journal_is_deleted_says_so_at_its_end(self, layout: str, cut_short: Any) -> None:
        bundle = cut_short(layout)
        assert bundle.testzip() is None
        assert "README.txt" not in bundle.namelist()
        why = bundle.read("INCOMPLETE.txt").decode()
        assert "because the inspection was deleted while the file was made" in why
        if layout != "parquet":
            assert bundle.read(f"records.{layout}").decode().splitlines()[-1] == why.strip()

    def test_any_other_problem_ends_it_with_a_reason_as_well(self) -> None:
        def pieces() -> Iterator[tuple[bytes, int]]:
            yield b"one\n", 1
            raise MemoryError

        made = zipfile.ZipFile(io.BytesIO(b"".join(archive.streamed("records.csv", pieces(), str))))
        assert made.read("records.csv").decode().splitlines() == [
            "one",
            made.read("INCOMPLETE.txt").decode().strip(),
        ]
        assert (
            "after 1 records, because an error occurred on the server" in made.read("INCOMPLETE.txt").decode()
        )
