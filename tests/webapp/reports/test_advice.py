"""The advisor as the web asks it: what a form states, which advice belongs to a partition."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spark.advice.brokers import Broker
from spark.tables.replica import PartitionReplica
from webapp.reports.advice import BrokerForm, reported_advice
from webapp.reports.report import Report

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("pyspark", "pyarrow", "numpy", "duckdb")


def test_the_advisor_loads_neither_spark_nor_arrow() -> None:
    loaded = "import sys, spark.advice.formats; print(*{name.split('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(HEAVY).isdisjoint(done.stdout.split())


def test_a_form_states_what_was_typed() -> None:
    form = BrokerForm({"broker_version": " 2.8.1 ", "message_format": "0.10.2-IV0", "topic": "journal"})
    assert form.broker == Broker(version="2.8.1", message_format_version="0.10.2-IV0")
    assert form.is_stated


@pytest.mark.parametrize("typed", ["", "   "], ids=["nothing", "blanks"])
def test_an_empty_form_states_nothing(typed: str) -> None:
    form = BrokerForm({"broker_version": typed})
    assert form.broker == Broker()
    assert not form.is_stated
    assert not form.errors


def test_what_is_no_version_is_told_and_the_rest_still_counts() -> None:
    form = BrokerForm({"broker_version": "newest", "message_format": "0.10.2"})
    assert form.broker == Broker(message_format_version="0.10.2")
    assert form.errors["broker_version"] == [
        "'newest' is not a Kafka version. Enter a version such as 2.8.1 or 0.10.2."
    ]


@pytest.mark.parametrize(
    ("replica", "shown"), [("a", ["a", "all"]), ("b", ["all"])], ids=["its own copy", "another copy"]
)
def test_advice_belongs_to_one_copy_or_to_all(replica: str, shown: list[str]) -> None:
    entries = [
        {"topic": "journal", "partition": 0, "replica": "a", "sentence": "a"},
        {"topic": "journal", "partition": 0, "replica": "", "sentence": "all"},
        {"topic": "journal", "partition": 1, "replica": "", "sentence": "elsewhere"},
        {"topic": "other", "partition": 0, "replica": "", "sentence": "elsewhere"},
    ]
    report = Report({"format_advice": entries}, [])
    assert [
        one["sentence"] for one in reported_advice(report, PartitionReplica("journal", 0, replica))
    ] == shown
