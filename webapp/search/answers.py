"""What a search finds, in groups: each says where its results lead. Nothing is found that the user may not see."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count, Q
from django.urls import reverse

from spark.terms.marked import noun_of_replica
from spark.terms.wording import plural
from webapp.catalogue.groups import has_words
from webapp.clusters.access import clusters_for_user
from webapp.journals.access import journals_for_user
from webapp.journals.models import Inspection, Journal
from webapp.reports.pages import report_pages
from webapp.review.access import can_judge, findings_for_user
from webapp.review.filters import first_of_incidents, with_offset
from webapp.review.finding_page import card_url
from webapp.review.models import Finding
from webapp.search import destinations
from webapp.search.destinations import pages_matching, warm
from webapp.search.index import folded
from webapp.search.matching import matching_names, partitions_named, partitions_with
from webapp.search.models import IndexedName, IndexedPartition
from webapp.search.recent import recent_journals
from webapp.search.results import Result, ResultGroup
from webapp.time_element import from_ms

MAX_QUERY = 500
IN_DIALOG, ON_PAGE = 6, 50  # results of a group
TO_OFFSET = "Go to offset"
BEFORE_MATCH = 20  # characters of a long key
# `279`, `@279`, `offset 279`, `moves-0:60`, `moves-0 60`
OFFSET = re.compile(r"(?:(?P<where>\S.{0,299}?)[:@#\s]\s*|@\s*)?(?P<offset>\d[\d,]{0,24})", re.DOTALL)
HEX = re.compile(r"[0-9a-f]{6,64}")


@dataclass(frozen=True)
class Query:
    """What somebody types, on which report (None: on no report), and how many results of a group fit."""

    user: Any
    text: str
    inspection: Inspection | None = None
    limit: int = IN_DIALOG
    words: list[str] = field(init=False)
    read: set[int] = field(default_factory=set, init=False)  # projects whose names were found

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", folded(self.text).split())

    @property
    def journal_id(self) -> Any:
        """Id of the journal of the report."""
        return self.inspection.journal_id if self.inspection else None


def answer(query: Query) -> list[ResultGroup]:
    """Groups with results. Without words: recent journals and what one can do."""
    if not query.words:
        warm()
        groups = [
            ResultGroup("Recent journals", [_journal(row) for row in recent_journals(query.user)]),
            _commands(query),
            _pages(query),
        ]
    else:
        groups = sorted((make(query) for make in GROUPS), key=lambda group: not _is_best(group, query))
    return [group for group in groups if group.results]


def _is_best(group: ResultGroup, query: Query) -> bool:
    """Whether it is what was typed, as an offset or by its whole name: such groups come first."""
    named = any(folded(result.title) == folded(query.text) for result in group.results)
    return group.title == TO_OFFSET or named


def _offsets(query: Query) -> ResultGroup:
    match = OFFSET.fullmatch(query.text.strip())
    offset = int(match["offset"].replace(",", "")) if match else 0
    if not match or offset >= 1 << 63:
        return ResultGroup(TO_OFFSET, [])
    named = re.sub(r"(?i)^offset$", "", (match["where"] or "").strip())
    rows = partitions_with(query.user, offset, named, query.limit, query.journal_id)
    return ResultGroup(TO_OFFSET, [_of_partition(row, offset, more) for row, more in rows])


def _of_partition(row: IndexedPartition, offset: int | None = None, more: int = 0) -> Result:
    title, url = row.name, _report_url(row, "report-overview")
    if offset is not None:
        title = f"Offset {offset} of {row.name}"
        url = _report_url(row, "report-records", record=offset, offset=offset)
    about, moment, is_dump = _journal_words(row)
    replica = row.replica.rpartition("/")[2]
    noun = noun_of_replica(replica)
    words = [f"{noun} {replica}" if replica else "", plural(more, f"more {noun}") if more else "", about]
    return Result(title, url, " · ".join(filter(None, words)), moment, is_dump=is_dump)


def _partitions(query: Query) -> ResultGroup:
    rows = partitions_named(query.user, query.words, query.limit, query.journal_id)
    return ResultGroup("Partitions", [_of_partition(row) for row in rows])


def _journals(query: Query) -> ResultGroup:
    every = Q()
    for word in query.words:
        every &= Q(name__icontains=word) | Q(ticket__icontains=word) | _with_topic(query, word)
    text = query.words[0]
    if len(query.words) == 1 and HEX.fullmatch(text):
        every |= Q(input_digest__startswith=text) | Q(uploads__blob__sha256__startswith=text)
    rows = journals_for_user(query.user).filter(every).distinct()
    rows = rows.select_related("indexed_report__inspection").order_by("is_sample", "-created_at")
    more = f"{reverse('journals')}?{urlencode({'q': query.text})}"
    return ResultGroup("Journals", [_journal(row) for row in rows[: query.limit]], more)


def _with_topic(query: Query, word: str) -> Q:
    """Journals with a partition of such a name."""
    partitions = IndexedPartition.objects.filter(text__contains=word)
    return Q(pk__in=partitions.values("report__journal"))


def _journal(journal: Journal) -> Result:
    about = [journal.ticket, "Sample" if journal.is_sample else ""]
    report = getattr(journal, "indexed_report", None)  # the page of a report shows its newest state
    url = (
        reverse("inspection", args=[report.inspection_id])
        if report
        else reverse("journal", args=[journal.pk])
    )
    moment, is_dump = _moment(journal, report.inspection) if report else (journal.created_at, False)
    return Result(journal.name, url, " · ".join(filter(None, about)), moment, is_dump=is_dump)


def _names(kind: str, title: str) -> Callable[[Query], ResultGroup]:
    def group(query: Query) -> ResultGroup:
        rows = matching_names(query.user, kind, query.text, query.limit, query.journal_id)
        query.read.update(row.report.journal.project_id for row in rows)
        return ResultGroup(title, [_name(row, query.words[0]) for row in rows])

    return group


def _name(row: IndexedName, word: str) -> Result:
    """A long key is shown from where it matches."""
    if row.kind == IndexedName.Kind.KEY:
        is_named = bool(row.type) and row.name.startswith(f"{row.type} ")
        url, is_mono = _report_url(row, "report-key", row.ident), not is_named
    else:
        url, is_mono = _report_url(row, "report-entity", type=row.type, id=row.ident), False
    partition = row.topic if row.partition is None else f"{row.topic}-{row.partition}"
    about, moment, is_dump = _journal_words(row)
    begin = row.name.casefold().find(word) - BEFORE_MATCH if is_mono else 0
    title = f"…{row.name[begin:]}" if begin > BEFORE_MATCH else row.name
    return Result(title, url, f"{partition} · {about}", moment, is_mono=is_mono, is_dump=is_dump)


def _report_url(row: IndexedName | IndexedPartition, name: str, *args: Any, **extra: Any) -> str:
    named = {"topic": row.topic, "partition": row.partition, "replica": row.replica, **extra}
    query = {key: value for key, value in named.items() if value not in (None, "")}
    return f"{reverse(name, args=[row.report.inspection_id, *args])}?{urlencode(query)}"


def _journal_words(row: IndexedName | IndexedPartition) -> tuple[str, datetime, bool]:
    """Which dump it is in: journals of one topic often have the same name."""
    journal = row.report.journal
    about = " · ".join(filter(None, [journal.name, journal.ticket]))
    return about, *_moment(journal, row.report.inspection)


def _moment(journal: Journal, inspection: Inspection) -> tuple[datetime, bool]:
    """The time of the newest record and True, else that of the upload."""
    of_dump = from_ms((inspection.summary or {}).get("last_timestamp_ms"))
    return of_dump or journal.created_at, of_dump is not None


def _findings(query: Query) -> ResultGroup:
    every = Q()
    for word in query.words:
        columns = ("title", "incident_title", "detector", "key")
        every &= Q(*[(f"{name}__icontains", word) for name in columns], _connector=Q.OR) | with_offset(word)
    every |= Q(fingerprint=query.text.strip())
    rows = (
        findings_for_user(query.user)
        .filter(every)
        .order_by("journal__is_sample", "rank", "-last_seen_at", "pk")
    )
    heads = first_of_incidents(rows).select_related("journal")[: query.limit]
    more = f"{reverse('review')}?{urlencode({'q': query.text, 'state': 'any', 'kind': 'all'})}"
    is_reviewer = any(can_judge(query.user, head.project_id) for head in heads)
    return ResultGroup(
        "Findings", [_finding(query.user, head) for head in heads], more if is_reviewer else ""
    )


def _finding(user: Any, finding: Finding) -> Result:
    title = finding.incident_title or finding.title
    url = finding.get_absolute_url()
    if not can_judge(user, finding.project_id) and finding.last_inspection_id:
        url = card_url(finding, str(finding.last_inspection_id))
    journal = finding.journal.name if finding.journal else ""
    context = " · ".join(filter(None, [journal, str(finding.state_words)]))
    return Result(title, url, context, severity=finding.severity)


def _tickets(query: Query) -> ResultGroup:
    rows = journals_for_user(query.user).exclude(ticket="")
    for word in query.words:
        rows = rows.filter(ticket__icontains=word)
    counted = (
        rows.values("ticket").annotate(journals=Count("pk")).order_by("-journals", "ticket")[: query.limit]
    )
    return ResultGroup("Tickets", [_ticket(row["ticket"], row["journals"]) for row in counted])


def _ticket(ticket: str, journals: int) -> Result:
    return Result(ticket, f"{reverse('journals')}?{urlencode({'q': ticket})}", plural(journals, "journal"))


def _clusters(query: Query) -> ResultGroup:
    rows = clusters_for_user(query.user)
    for word in query.words:
        rows = rows.filter(name__icontains=word)
    results = [
        Result(row.name, reverse("cluster", args=[row.pk]), row.project.name)
        for row in rows.order_by("name")[: query.limit]
    ]
    return ResultGroup("Clusters", results)


def _pages(query: Query) -> ResultGroup:
    pages = [
        Result(page.title, page.url(query.inspection), "Page")
        for page in pages_matching(query.user, query.words, query.inspection)
    ]
    return ResultGroup("Pages", [*_tabs(query), *pages][: query.limit] if query.words else pages)


def _tabs(query: Query) -> list[Result]:
    """Pages of the report that one reads."""
    if query.inspection is None:
        return []
    return [
        Result(page.title, reverse(page.name, args=[query.inspection.pk]), "This report")
        for page in report_pages()
        if page.title and has_words(page.title, query.words)
    ]


def _catalogue(query: Query) -> ResultGroup:
    shelf = {"detectors": "Detector", "dialects": "Journal type", "sources": "File format"}
    chosen = destinations.catalogue_matching(query.words)[: query.limit]
    return ResultGroup("Catalogue", [Result(page.title, page.address, shelf[page.shelf]) for page in chosen])


def _docs(query: Query) -> ResultGroup:
    more = f"{reverse('docs')}?{urlencode({'q': query.text})}"
    return ResultGroup(
        "Documentation",
        [Result(*row) for row in destinations.docs_matching(query.words)[: query.limit]],
        more,
    )


def _commands(query: Query) -> ResultGroup:
    return ResultGroup(
        "Commands",
        [
            Result(
                command.title,
                command.url(query.inspection),
                press=command.press,
                is_post=command.name == "account_logout",
            )
            for command in destinations.commands_matching(query.user, query.words, query.inspection)
        ],
    )


GROUPS: tuple[Callable[[Query], ResultGroup], ...] = (
    _offsets,
    _journals,
    _partitions,
    _names(IndexedName.Kind.ENTITY, "Entities"),
    _findings,
    _names(IndexedName.Kind.KEY, "Keys"),
    _tickets,
    _pages,
    _commands,
    _clusters,
    _catalogue,
    _docs,
)
