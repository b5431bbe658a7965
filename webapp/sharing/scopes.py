"""Scope of a share: the rows it contains, derived from the page's address, and its start page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from spark.redaction.hashing import digest
from spark.redaction.options import Options
from spark.redaction.report import shared_id
from spark.redaction.rewriting import ShareNames
from spark.tables.replica import PartitionReplica
from webapp.reports.pages import ReportPage, report_filters, report_pages
from webapp.reports.paging import whole_number
from webapp.reports.queries.keys import hashes_of, key_id
from webapp.reports.report import Report

WHATS = ("report", "tab", "key", "incident", "finding", "record")
OF_FINDINGS = frozenset({"report-overview", "report-timeline", "report-keys", "report-records"})
TABS_OF = {
    "key": frozenset({"report-keys", "report-records", "report-timeline"}),
    "incident": OF_FINDINGS,
    "finding": OF_FINDINGS,
    "record": frozenset({"report-records"}),
}
BESIDE_TABS = frozenset({"report-keys", "report-records"})


@cache
def shared_tabs() -> dict[str, ReportPage]:
    """Tabs that can be shared alone, by name."""
    return {page.name: page for page in report_pages() if page.tables}


@dataclass(frozen=True)
class Scope:
    """One choice. `of` is a tab's name, the id of a key, an incident or a finding, or an offset; `query` a tab's filters."""

    what: str = "report"
    of: str = ""
    replica: PartitionReplica | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """As JSON for the share's row."""
        replica = self.replica and [self.replica.topic, self.replica.partition, self.replica.replica]
        return {"what": self.what, "of": self.of, "place": replica, "query": dict(self.query)}

    @classmethod
    def read(cls, document: dict[str, Any]) -> Scope:
        """From the share's row."""
        replica = document.get("place")
        return cls(
            document["what"],
            document.get("of", ""),
            PartitionReplica(*replica) if replica else None,
            document.get("query", {}),
        )

    @property
    def tabs(self) -> frozenset[str]:
        """Names of the tabs that the share has; empty: all."""
        if self.what == "tab":
            beside = BESIDE_TABS if "records" in shared_tabs()[self.of].tables else frozenset()
            return frozenset({self.of}) | beside
        return TABS_OF.get(self.what, frozenset())


def scope_of(params: Mapping[str, str], replica: PartitionReplica) -> Scope | None:
    """The scope that an address asks for, looked at in a partition; None for one that makes no sense."""
    what, of = params.get("what", "report"), params.get("of", "")
    query = {
        name: value
        for name, value in params.items()
        if value and name not in ("what", "of", "topic", "partition", "replica", "record", "offset", "page")
    }
    if what == "report" and not of:
        return Scope()
    if what == "tab" and of in shared_tabs():
        return Scope(what, of, replica, query)
    is_known = {
        "key": len(of) == 32 and all(letter in "0123456789abcdef" for letter in of),
        "incident": of.isalnum(),
        "finding": of.isalnum(),
        "record": whole_number(of) is not None,
    }
    return Scope(what, of, replica) if is_known.get(what) else None


def first_page(scope: Scope, options: Options, names: ShareNames, several: bool) -> dict[str, Any]:
    """Where the link begins: name, arguments and query of a report page, and what to scroll to."""
    replica = {}
    if scope.replica and several:
        copy = names.copies.get(scope.replica.replica, "")
        replica = {"topic": names.topics.get(scope.replica.topic, ""), "partition": scope.replica.partition}
        replica |= {"replica": copy} if copy else {}
    query = {name: value for name, value in scope.query.items() if options.shows_all_names or _is_kept(name)}
    pages: dict[str, tuple[str, list[Any]]] = {
        "report": ("report-overview", []),
        "incident": ("report-overview", []),
        "finding": ("report-overview", []),
        "tab": (scope.of, []),
        "key": ("report-key", [shared_key_id(options.salt, scope.of)] if scope.what == "key" else []),
        "record": ("report-record", [int(scope.of)] if scope.what == "record" else []),
    }
    name, arguments = pages[scope.what]
    anchor = (
        f"{scope.what}-{shared_id(options.salt, scope.of)}" if scope.what in ("incident", "finding") else ""
    )
    return {"name": name, "args": arguments, "query": replica | query, "anchor": anchor}


def _is_kept(name: str) -> bool:
    """Whether a share's first address keeps this filter although names are hidden."""
    filter_type = report_filters().get(name)
    return filter_type is not None and filter_type.in_share


def hidden_parts(options: Mapping[str, Any]) -> frozenset[str]:
    """`key` and `value`, if these options hide them."""
    shown_by = {"key": "keys", "value": "payloads"}
    return frozenset(part for part, option in shown_by.items() if options[option] is not True)


def is_masked(options: Mapping[str, Any]) -> bool:
    return bool(options["fields"] or options["patterns"])


def shared_key_id(salt: bytes, identity: str) -> str:
    """Id of a key in the tables of a share."""
    first, second = hashes_of(identity)
    hashed = digest(salt, f"{first}:{second}")
    return key_id(int(hashed[0:15], 16), int(hashed[16:31], 16))


def title_of(scope: Scope, report: Report) -> str | None:
    """Title of the incident or finding; empty for other scopes, None if the report does not contain it."""
    titles = {
        "incident": {incident["id"]: incident["title"] for incident in report.document.get("incidents", [])},
        "finding": {finding.id: finding.title for finding in report.findings},
    }
    return titles[scope.what].get(scope.of) if scope.what in titles else ""


def subject(scope: Scope, title: str = "") -> str:
    """What is shared, in words for the sender. `title`: of the incident or finding."""
    of_partition = f" of {scope.replica.name}" if scope.replica else ""
    if scope.what == "tab":
        filters = ", ".join(f"{name} {value}" for name, value in scope.query.items())
        return f"{shared_tabs()[scope.of].title}{of_partition}" + (f" ({filters})" if filters else "")
    return {
        "report": "the whole report",
        "key": f"one key{of_partition}",
        "incident": title or "one incident",
        "finding": title or "one finding",
        "record": f"the record at offset {scope.of}{of_partition}",
    }[scope.what]
