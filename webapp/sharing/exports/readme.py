"""README of an export: which records it has, what was read, what is hidden, how to read the file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import strip_tags

from spark.terms.damage import damage
from spark.terms.installation import version
from spark.terms.wording import plural
from webapp.reports.page import Page
from webapp.sharing.exports.chosen import ChosenRecords
from webapp.sharing.templatetags.sharing import hidden_by

FILTERS = {
    "filter": "filter", "zone": "times in", "first": "from offset", "last": "to offset", "since": "since (UTC)", "until": "until (UTC)", "type": "entry type",
    "kind": "kind", "key": "key contains", "value": "value contains",
}  # fmt: skip
FILES_NAMED = 50


def about(page: Page, chosen: ChosenRecords, now: datetime) -> list[str]:
    """Lines of the README except the number of records, which is known at the end."""
    share = page.source.share
    return [
        f"Records of {page.replica.name}: {page.title}",
        f"Exported by Journalscope {version()} on {now:%Y-%m-%d %H:%M:%S} UTC.",
        "",
        f"Filter: {filter_in_words(page.request.GET)}.",
        f"Read as: {page.reader.isolation}{', as after the next compaction' if page.reader.cleaned else ''}.",
        _limit(chosen),
        f"Coverage: {coverage_in_words(page)}",
        f"Hidden: {words_of_options(share.options if share else None)}",
        *_inputs(page),
    ]


def render(lines: list[str], written: int, how: str) -> str:
    return "\n".join([*lines, "", f"{plural(written, 'record')} in this file.", "", how, ""])


def filter_in_words(query: Mapping[str, str]) -> str:
    """The filters as a sentence."""
    clauses = [f"{words} “{_one_line(query[name])}”" for name, words in FILTERS.items() if query.get(name)]
    return "; ".join(clauses) or "none, every record"


def coverage_in_words(page: Page) -> str:
    """What was read, as in the report."""
    coverage, facts = page.report.coverage, page.facts
    first, last = facts.bounds
    offsets = f", offsets {first:,} to {last:,}" if first <= last else ""
    lost = coverage.get("cannot_tell") or []
    sentences = [
        f"{facts.marks:,} records of this partition{offsets}",
        damage(coverage),
    ]
    cannot = f" The source cannot tell: {'; '.join(lost)}." if lost else ""
    return f"{'; '.join(sentences)}.{cannot}"


def words_of_options(options: Mapping[str, Any] | None) -> str:
    """What a share hides, as a sentence."""
    if options is None:
        return "nothing."
    text = render_to_string("sharing/hidden.html", hidden_by(options))
    return " ".join(strip_tags(text).split())


def _limit(chosen: ChosenRecords) -> str:
    if chosen.fitting > chosen.count:
        return f"Limit: the first {chosen.count:,} of {chosen.fitting:,} records that match. The rest is not in this file."
    return f"Limit: not reached, all {chosen.count:,} records that match were taken."


def _inputs(page: Page) -> list[str]:
    files = [file for file in page.report.document.get("files", []) if file.get("sha256")]
    lines = [f"  {file['sha256']}  {_one_line(file.get('name') or '')}" for file in files[:FILES_NAMED]]
    extra = len(files) - len(lines)
    return ["Input (SHA-256):", *lines, *([f"  and {extra:,} more"] if extra else [])]


def _one_line(text: str) -> str:
    return " ".join(text.split())
