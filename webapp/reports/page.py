"""Opens a report page: checks access, reads the results, selects the partition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from spark.tables.replica import PartitionReplica
from spark.terms.rejections import rejection_words
from spark.terms.visible import one_line
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.reports.offset_links import OffsetLinks
from webapp.reports.pages import Reader, report_addresses, report_pages, tab_of
from webapp.reports.queries.compaction import compaction_of
from webapp.reports.queries.isolation import IsolationView, ViewOptions, restrictions, view_options
from webapp.reports.queries.keys import key_id
from webapp.reports.queries.partitions import (
    Facts,
    PartitionTables,
    Survey,
    replicas_with_state,
    survey,
    survey_of,
)
from webapp.reports.queries.transactions import outcomes_of
from webapp.reports.repair.newer_dump import NewerDump, newer_dump
from webapp.reports.repair.page import repairable_journals
from webapp.reports.replica_choice import REPLICA_PARAMS, asks_for_replica, choice_of, choose_replica
from webapp.reports.report import Report, ReportFinding, read_report
from webapp.reports.results import Results, ResultsGone, open_results, replica_query
from webapp.reports.source import ReportSource, of_inspection

# Addresses that no report page declares; they follow the isolation level, too.
EXPORTS = ("report-records-export", "api-export")


@dataclass(frozen=True)
class Page:
    """One request for one page of a report."""

    request: HttpRequest
    source: ReportSource
    results: Results
    report: Report
    survey: Survey
    replica: PartitionReplica
    options: ViewOptions
    reader: IsolationView
    _links: dict[PartitionReplica, OffsetLinks] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def inspection(self) -> Inspection:
        """The inspection. 404 in a share: pages that need it do not exist there."""
        if self.source.inspection is None:
            raise Http404("A shared report has no such page.")
        return self.source.inspection

    @property
    def title(self) -> str:
        return one_line(self.source.title)

    @property
    def slug(self) -> str:
        """The title as part of a file name."""
        return slugify(self.title.replace(".", " "))[:60] or "journal"

    @property
    def facts(self) -> Facts:
        """Facts of the selected partition; all zero if the inspection has none."""
        return self.partition.facts

    @property
    def headline(self) -> dict[str, Any]:
        """Of the report; of the partition that the address names. Empty where no incident of the report is about that one."""
        is_chosen = asks_for_replica(self.request) and bool(self.report.headline.get("is_incident"))
        return self.report.headline_of(self.replica) if is_chosen else self.report.headline

    @property
    def partition(self) -> PartitionTables:
        """Tables of the selected partition."""
        return PartitionTables(self.results, self.replica, self.survey)

    @property
    def bounds(self) -> tuple[int, int]:
        """First and last offset of the partition; an empty stretch where it has none."""
        return self.facts.bounds

    @cached_property
    def newer_dump(self) -> NewerDump | None:
        """A newer dump of this log that the reader may see."""
        return newer_dump(self)

    def outcomes(self, offsets: Iterable[int]) -> dict[int, str]:
        """By offset: outcome of the transaction that the record belongs to."""
        return outcomes_of(self.partition, offsets) if self.options.transactions else {}

    def query(self, **params: Any) -> dict[str, Any]:
        """Query parameters that keep the partition, where there are several to choose from."""
        chosen = {name: value for name, value in params.items() if value not in (None, "")}
        return {**self.replica_params(self.replica), **chosen}

    def replica_params(self, replica: PartitionReplica) -> dict[str, Any]:
        """The partition as query parameters; empty if there is only one."""
        return replica_query(replica) if len(self.survey.facts) > 1 else {}

    def url(self, name: str, *args: Any, **query: Any) -> str:
        """Address of another page of this report for the same partition and isolation level."""
        seen = self.reader.query if reader_use(name) else {}
        return self._address(name, args, self.query(**(seen | query)))

    def url_of_reader(self, reader: IsolationView) -> str:
        """Address of this page for another isolation level, with the same filters."""
        filters = {
            k: v for k, v in self.request.GET.items() if k not in {"isolation", "cleaned", *REPLICA_PARAMS}
        }
        name = _url_name(self.request) or "report-records"
        return self._address(name, (), self.query(**filters, **reader.query))

    def url_of_replica(self, replica: PartitionReplica, name: str, *args: Any, **query: Any) -> str:
        """Address of a page of this report for another partition."""
        return self._address(name, args, {**self.replica_params(replica), **query})

    def offset_links(self, replica: PartitionReplica) -> OffsetLinks:
        if replica not in self._links:
            listed = self.url_of_replica(replica, "report-records")
            self._links[replica] = OffsetLinks(listed, self.url_of_replica(replica, "report-record", 0))
        return self._links[replica]

    def card_url(self, finding: ReportFinding) -> str:
        """Address of the finding's card on the Overview."""
        return f"{self.url('report-overview', finding=finding.id)}#finding-{finding.id}"

    def key_url(self, row: dict[str, Any]) -> str:
        """Address of the page of a key. The row has both halves of the key's hash."""
        return self.url("report-key", key_id(row["key_hash_1"], row["key_hash_2"]))

    def why_rejected(self, reason: str) -> str:
        """Why the service rejects an entry, as a sentence."""
        return rejection_words(self.report.journal(self.replica.topic).get("dialect", ""), reason)

    def _address(self, name: str, args: tuple[Any, ...], query: dict[str, Any]) -> str:
        address = self.source.address(name, args)
        return f"{address}?{urlencode(query)}" if query and address else address

    def render(self, template: str, context: dict[str, Any]) -> HttpResponse:
        """Response with the template and the frame's context."""
        return render(self.request, template, self.frame() | context)

    def frame(self) -> dict[str, Any]:
        """Context of the frame: tabs, partitions, switches."""
        here = _url_name(self.request)
        is_repairable = self.source.inspection is not None and bool(repairable_journals(self.report))
        return {
            "page": self,
            "inspection": self.source.inspection,
            "journal": self.source.inspection and self.source.inspection.journal,
            "report": self.report,
            "headline": self.headline,
            "place": self.replica,
            "facts": self.facts,
            "compacted": compaction_of(self.partition),
            "choice": choice_of(
                self.survey.replicas,
                self.report,
                self.request.GET.get("find", "").strip(),
                lambda replica: self.url_of_replica(replica, _page_of_replicas(here)),
                self._address(_page_of_replicas(here), (), {}),
            ),
            "tabs": [
                (self.url(tab.name), tab.title, tab.name == tab_of(here))
                for tab in report_pages()
                if tab.title
                and self.source.shows(tab.name)
                and (tab.shared or not self.source.share)
                and (tab.name != "report-repair" or is_repairable)
                and (tab.of_files or self.survey.replicas or not self.report.coverage.get("printed"))
            ],
            "place_fields": self.replica_params(self.replica) | self.reader.query,
            "readers": reader_switches(self),
            "record_url": self.url("report-record", 0),
            "section": "journals",
        }


def absolute(request: HttpRequest, address: str) -> str:
    """Absolute URL on PUBLIC_URL, or on the host of the request."""
    return f"{settings.PUBLIC_URL}{address}" if settings.PUBLIC_URL else request.build_absolute_uri(address)


def report_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Open the report for a view `view(page, ...)`; an unfinished inspection goes to its progress page.

    `bare` is the view itself, for those who open the page of something else than an inspection.
    """
    opened = require_safe(_opening(view))
    opened.bare = view  # type: ignore[attr-defined]
    return opened


def report_form(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The same for a view that a form is sent to."""
    return require_POST(_opening(view))


def _opening(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def opened(request: HttpRequest, inspection_id: UUID, **parts: Any) -> HttpResponseBase:
        inspection = get_inspection_for_user(request.user, inspection_id)
        if inspection.state != Inspection.State.DONE:
            return redirect("inspection", inspection_id=inspection.id)
        try:
            with opened_page(request, of_inspection(inspection)) as page:
                return view(page, **parts)
        except ResultsGone:
            return render(
                request, "reports/gone.html", {"inspection": inspection, "section": "journals"}, status=410
            )

    return opened


@contextmanager
def opened_page(request: HttpRequest, source: ReportSource) -> Iterator[Page]:
    """The page asked for, its tables open; raises ResultsGone. Who may see it was settled before."""
    with open_results(source.results) as results:
        yield _page(request, source, results)


def _page(request: HttpRequest, source: ReportSource, results: Results) -> Page:
    report = read_report(results.document)
    whole = survey(results)
    replica = choose_replica(
        request, report, whole, replicas_with_state(results) if len(whole.facts) > 1 else ()
    )
    options = view_options(results.of(replica))
    page = Page(request, source, results, report, whole, replica, options, IsolationView())
    use = reader_use(_url_name(request))
    if not use:
        return page
    reader = IsolationView.of(request.GET)
    parts = restrictions(reader, options) if use == "rows" else {}
    if not parts:
        return replace(page, reader=reader)
    seen = results.restricted(parts)
    seen_survey = survey_of(seen.of(replica), whole) if reader.query else whole
    return replace(page, reader=reader, results=seen, survey=seen_survey)


def reader_switches(page: Page) -> list[dict[str, Any]]:
    """Switches for isolation level and cleaning, if they change what is shown."""
    reader, switches = page.reader, []
    use = reader_use(_url_name(page.request))
    if not use:
        return []
    if page.options.transactions:
        choices = [
            (IsolationView(committed, reader.cleaned), committed == reader.committed)
            for committed in (False, True)
        ]
        switches.append(("Isolation", [(r.isolation, page.url_of_reader(r), on) for r, on in choices]))
    if page.options.next_compaction and use == "rows":
        words = {False: "current", True: "after the next compaction"}
        choices = [(IsolationView(reader.committed, cleaned), cleaned == reader.cleaned) for cleaned in words]
        switches.append(("Log", [(words[r.cleaned], page.url_of_reader(r), on) for r, on in choices]))
    return [
        {"label": label, "term": "isolation level" if label == "Isolation" else "", "choices": choices}
        for label, choices in switches
    ]


def reader_use(address: str) -> Reader:
    """How a page follows the isolation level of its address; empty where it does not."""
    if address in EXPORTS:
        return "rows"
    return declared.reader if (declared := report_addresses().get(address)) else ""


def _url_name(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.url_name or "") if match else ""


def _page_of_replicas(url_name: str) -> str:
    """The page that another partition has too: not the same key or record, but the same tab or advisor."""
    return url_name if url_name == "report-formats" else tab_of(url_name)
