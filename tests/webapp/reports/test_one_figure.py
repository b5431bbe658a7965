"""A figure that stands in several places is the same in all of them: verdict, head of the page, tabs, tickets, command line, shares."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from spark.redaction import Options, Selection, redact
from spark.report.report_text import plain_text
from spark.stages.state_at import latest_values, state_at
from spark.tables import Manifest
from tests.spark.corpus_inputs import Inspected, cases
from webapp.reports.queries.partitions import survey
from webapp.reports.report import read_report
from webapp.reports.results import open_results
from webapp.reports.ticket import ticket_text
from workers.kinds.inspection import summary

pytestmark = pytest.mark.heavy

FACT = re.compile(r"<div><dd>(.*?)</dd><dt>(.*?)</dt></div>", re.DOTALL)
TOOLTIP = re.compile(r'<span class="term-text".*?</span>', re.DOTALL)
SHARED = Options(b"salt", payloads=True, keys=True, headers=True, names=True)
Told = tuple[str, str, Any]  # figure, where it stands, what stands there


def number(text: str) -> int:
    return int(text.replace(",", ""))


def texts_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", TOOLTIP.sub("", html)).split())


def count_before(noun: str, text: str) -> int | None:
    """Of `4,812 records` 4812; None where the text counts none."""
    match = re.search(rf"([\d,]+) {noun}s?\b", text)
    return number(match[1]) if match else None


def of_document(document: dict[str, Any], name: str) -> Iterator[Told]:
    """What a report.json says."""
    coverage = document["coverage"]
    sentence = document["verdict"]["sentence"]
    for figure in ("records", "tombstones"):
        yield figure, f"{name}, coverage", coverage.get(figure, 0)
    yield "records", f"{name}, by partition", sum(coverage["records_per_partition"].values())
    roots = [one for one in document["findings"] if one["consequence_of"] is None]
    notes = [one for one in roots if one["severity"] == "info"]
    yield "notes", f"{name}, findings", len(notes)
    if document["verdict"]["level"] == "healthy":
        yield "notes", f"{name}, verdict", count_before("note", sentence) or 0
        if (records := count_before("record", sentence)) is not None:
            yield "records", f"{name}, verdict", records


def of_ticket(document: dict[str, Any]) -> Iterator[Told]:
    journal = next(
        line for line in ticket_text(read_report(document), "L").splitlines() if "Journal: " in line
    )
    yield "records", "ticket", count_before("record", journal)


def of_command_line(document: dict[str, Any]) -> Iterator[Told]:
    text = plain_text(document)
    yield "records", "command line", count_before("record", text[text.index("Read ") :])
    notes = re.search(r"^Notes\n((?:  .*\n?)+)", text, re.MULTILINE)
    yield "notes", "command line", len(re.findall(r"^  \S", notes[1], re.MULTILINE)) if notes else 0


def of_tables(results: Path, document: dict[str, Any]) -> Iterator[Told]:
    """What the pages ask: only where no copies count once."""
    with open_results(results) as opened:
        facts = survey(opened).facts
        if len({(replica.topic, replica.partition) for replica in facts}) < len(facts):
            return
        yield "records", "tables", sum(one.records for one in facts.values())
        yield "tombstones", "tables", sum(one.tombstones for one in facts.values())
        keys = sum(one.keys for one in facts.values())
        yield "key", "tables", keys
    listed = summary(document, keys)
    yield "records", "list of journals", listed["records"]
    yield "tombstones", "list of journals", listed["tombstones"]
    yield "causes", "list of journals", sum(listed["open_findings"].values())
    yield "causes", "report", len(read_report(document).causes)


def of_pages(inspection: Any, document: dict[str, Any], get: Callable[..., Any]) -> Iterator[Told]:
    """What stands on Overview and at the head of each tab."""
    overview = get(inspection, "report-overview").content.decode()
    facts = {texts_of(noun).rstrip("s"): texts_of(figure) for figure, noun in FACT.findall(overview)}
    notes = re.search(r'remarks"><summary>([\d,]+) notes?<', overview)
    yield "notes", "Overview", number(notes[1]) if notes else 0
    incidents = len(re.findall(r'id="incident-', overview))
    if document["incidents"]:
        yield "incidents", "Overview", incidents
        yield "incidents", "report", len(document["incidents"])
        title = re.search(r"<title>(.*?) ·", overview, re.DOTALL)
        yield "headline", "title of Overview", unescape(title[1]).strip()[:60] if title else None
        yield "headline", "list of journals", summary(document, 0)["headline"][:60]
    if len(document["coverage"]["records_per_partition"]) != 1 or "record" not in facts:
        return
    yield "records", "head of Overview", number(facts["record"])
    yield "tombstones", "head of Overview", number(facts.get("tombstone", "0"))
    for page, noun in (("report-records", "record"), ("report-keys", "key")):
        shown = re.search(r'class="shown"[^>]*>(.*?)</p>', get(inspection, page).content.decode(), re.DOTALL)
        if shown:
            figure = re.search(rf"([\d,]+) {noun}s?\b", texts_of(shown[1]))
            control = number(facts.get("control record", "0")) if noun == "record" else 0
            yield noun, page, number(figure[1]) - control if figure else None
            if noun in facts:
                yield noun, "head of Overview", number(facts[noun])


@pytest.mark.parametrize(("folder", "names"), cases())
def test_no_two_places_disagree(
    folder: Path,
    names: list[str],
    corpus_inspection: Callable[..., Inspected],
    inspected: Any,
    get: Any,
    tmp_path: Path,
) -> None:
    of_corpus = corpus_inspection(folder, names)
    document = of_corpus.report
    inspection = inspected(lambda target: shutil.copytree(of_corpus.results, target, dirs_exist_ok=True))
    redact(of_corpus.results, tmp_path / "share", SHARED, Selection())
    with open_results(tmp_path / "share") as share:
        shared = share.document
    places: dict[str, dict[str, Any]] = defaultdict(dict)
    for figure, place, value in (
        *of_document(document, "report"),
        *of_document(shared, "share"),
        *of_ticket(document),
        *of_command_line(document),
        *of_tables(of_corpus.results, document),
        *of_pages(inspection, document, get),
    ):
        places[figure][place] = value
    assert {figure: told for figure, told in places.items() if len(set(told.values())) > 1} == {}


@pytest.mark.parametrize(("folder", "names"), cases())
def test_the_command_and_the_tab_list_as_many_entities_and_keys(
    folder: Path, names: list[str], corpus_inspection: Callable[..., Inspected], inspected: Any, get: Any
) -> None:
    of_corpus = corpus_inspection(folder, names)
    manifest = Manifest.load(of_corpus.results)
    inspection = inspected(lambda target: shutil.copytree(of_corpus.results, target, dirs_exist_ok=True))
    printed: dict[tuple[str, int], int] = defaultdict(int)
    for row in (*state_at(manifest), *latest_values(manifest)):
        printed[row["topic"], row["partition"]] += 1
    with open_results(of_corpus.results) as opened:
        replicas = list(survey(opened).facts)
    if len(replicas) != 1 or not printed:
        return
    page = texts_of(get(inspection, "report-state").content.decode())
    shown = re.search(
        r"Showing (?:[\d,]+ . [\d,]+ of |[\d,]+ of )?([\d,]+) (?:entit|key)", page
    ) or re.search(r"([\d,]+) entit(?:y|ies) at offset", page)
    assert shown, page[:500]
    assert number(shown[1]) == sum(printed.values())
