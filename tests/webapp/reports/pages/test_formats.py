"""The format advisor: in the Log page as the report says it, and on its own page for stated settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from tests.builders import batches_table, other_table, records_table
from tests.generator.segment import SOME_TIME_MS
from tests.spark.advice.advised import advice_of_all
from tests.webapp.reports.result_folder import report_document, write_results

pytestmark = pytest.mark.django_db
Get = Callable[..., Any]


def written_in(*magics: int) -> Callable[[Path], Path]:
    """A log of ten offsets in each of these formats, its report with the advisor's words."""
    rows = [
        {
            "topic": "journal",
            "partition": 0,
            "replica": "",
            "number": number,
            "magic": magic,
            "first_offset": 10 * number,
            "last_offset": 10 * number + 9,
            "batches": 10,
            "first_timestamp_ms": SOME_TIME_MS,
            "last_timestamp_ms": SOME_TIME_MS,
            "first_leader_epoch": 1 if magic == 2 else -1,
            "last_leader_epoch": 1 if magic == 2 else -1,
        }
        for number, magic in enumerate(magics)
    ]
    batches = [{"base_offset": row["first_offset"], "last_offset": row["last_offset"]} for row in rows]
    report = report_document(format_advice=[one.document() for one in advice_of_all(rows)])
    return lambda folder: write_results(
        folder,
        report,
        records=records_table(*({"offset": offset} for offset in range(10 * len(rows)))),
        batches=batches_table(*batches),
        formats=other_table("formats", *rows),
    )


def text(response: Any) -> str:
    assert response.status_code == 200
    return unescape(re.sub(r'<span class="unbroken">([^<]*)</span>', r"\1", response.content.decode()))


def test_the_log_page_gives_the_advice_with_its_first_section_open(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = text(get(inspected(written_in(2, 1)), "report-log"))
    assert (
        "Brokers reject headers, idempotence and transactions for journal-0: it switched back to message format 1."
        in page
    )
    assert page.count("<details open><summary>Message formats over time") == 1
    assert "<details><summary>Producers" in page
    assert 'data-copy-text="kafka-configs.sh' in page
    assert "/report/formats/" in page


def test_a_log_of_format_2_leads_to_the_advisor_without_advice(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = text(get(inspected(written_in(2)), "report-log"))
    assert 'aria-label="Format advisor"' not in page
    assert "/report/formats/" in page


def test_stated_settings_change_the_answer(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(written_in(1))
    both = text(get(inspection, "report-formats"))
    assert "fails in the producer itself" in both
    assert "UNKNOWN_SERVER_ERROR" in both
    newer = text(get(inspection, "report-formats", broker_version="2.8.1", message_format="0.10.2"))
    assert "fails in the producer itself" not in newer
    assert "UNKNOWN_SERVER_ERROR" in newer
    assert 'value="2.8.1"' in newer
    assert "With these settings" in newer
    assert "<details><summary>" not in newer


def test_what_is_no_version_is_told_beside_its_field(inspected: Callable[..., Any], get: Get) -> None:
    page = text(get(inspected(written_in(1)), "report-formats", inter_broker_protocol="latest"))
    assert (
        '<p class="field-error" id="id_inter_broker_protocol_error">\'latest\' is not a Kafka version.'
        in page
    )
    assert "UNKNOWN_SERVER_ERROR" in page


def test_a_log_of_format_2_has_nothing_to_change_and_going_back_costs(
    inspected: Callable[..., Any], get: Get
) -> None:
    inspection = inspected(written_in(2))
    page = text(get(inspection, "report-formats", broker_version="2.1.0"))
    assert "journal-0 contains message format 2 only. No change is needed." in page
    assert "do not clear their leader epochs at that time" in page
    no_way_back = text(get(inspection, "report-formats", broker_version="3.7.0"))
    assert "the format cannot be lowered (KIP-724)" in no_way_back


def test_settings_that_would_write_an_older_format_are_named(inspected: Callable[..., Any], get: Get) -> None:
    page = text(
        get(inspected(written_in(2)), "report-formats", broker_version="2.8.1", message_format="0.10.2")
    )
    assert "With the stated settings, the broker writes message format 1" in page


def test_a_source_without_formats_says_what_to_bring(inspected: Callable[..., Any], get: Get) -> None:
    assert "kafka-dump-log" in text(get(inspected(), "report-formats"))


def test_a_stranger_finds_nothing(inspected: Callable[..., Any], sign_in: Any, stranger: Any) -> None:
    address = reverse("report-formats", args=[inspected(written_in(1)).id])
    assert sign_in(stranger).get(address).status_code == 404
