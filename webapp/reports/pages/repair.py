"""Repair: the newest repair that passed its trial; before there is one, what can be repaired and what may help."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.db.models.lookups import GreaterThan
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from webapp.jobs import lifecycle
from webapp.journals import repairs
from webapp.journals.access import (
    can_add,
    finished_inspections,
    get_inspection_for_user,
    get_repair_for_user,
    require_adding,
)
from webapp.journals.models import Inspection, Repair
from webapp.journals.topic_names import MAX_CHARACTERS
from webapp.rejected import rejection_as_message
from webapp.reports.comparison.picker import NEWEST_RECORD, SAME_LINEAGE, SAME_TOPIC, rank_beside
from webapp.reports.page import Page, report_page
from webapp.reports.pages import NAME, SEARCH, ReportAddress, ReportPage
from webapp.reports.repair.older_dumps import PROVED, dumps_beside, is_of_this_log, unproven_dumps
from webapp.reports.repair.origins import named_dumps
from webapp.reports.repair.page import (
    drawn,
    files_of,
    graver_findings,
    is_outdated,
    may_separate,
    newest_passed,
    repairable_findings,
    repairable_journals,
    untouched,
)
from webapp.reports.repair.topic import checked_topic, is_topic_needed
from webapp.reports.repair.visible import visible_dumps, visible_result
from webapp.reports.report import ReportFinding

RESULT, OF_RESULT = "repair/<uuid:repair_id>", {"repair_id": NAME}
CHOICES = 50
FINDINGS_SHOWN = 20
REPAIRS_SHOWN = 20
BEST_RANKS = (SAME_LINEAGE, SAME_TOPIC)
WORDS = {
    "gather": "use the existing inspections; inspect again where results are deleted",
    "build": "search this journal, the older dumps and the files",
    "append": "trial: the journal with the repair records appended",
    "copy": "trial: the repaired copy in a new topic",
}


@report_page
def repair(page: Page) -> HttpResponse:
    findings = _causes(repairable_findings(page.report))
    graver = [] if findings else graver_findings(page.report)
    repairs_so_far = page.inspection.repairs.select_related("requested_by")
    passed = newest_passed(repairs_so_far)
    return page.render(
        "reports/repair.html",
        {
            "findings": (findings or graver)[:FINDINGS_SHOWN],
            "more_findings": max(0, len(findings or graver) - FINDINGS_SHOWN),
            "is_beyond_repair": bool(graver),
            "may_separate": any(map(may_separate, graver)),
            "repairs": repairs_so_far[:REPAIRS_SHOWN],
            "can_start": can_add(page.request.user, page.inspection.journal.project_id),
            **(context(page, passed.pk) if passed else {}),
            "is_selecting": bool({"q", "older"} & page.request.GET.keys()),
            "can_repair": bool(repairable_journals(page.report)),
            "dialects": {journal["dialect"] for journal in repairable_journals(page.report)},
            "is_topic_needed": is_topic_needed(repairable_journals(page.report)),
            "most_topic_characters": MAX_CHARACTERS,
            "most_file_bytes": repairs.MAX_FILE_BYTES,
            **choices(page, is_best_chosen="older" not in page.request.GET),
        },
    )


def _causes(findings: list[ReportFinding]) -> list[ReportFinding]:
    """Without those that another of them caused."""
    ids = {finding.id for finding in findings}
    return [finding for finding in findings if finding.consequence_of not in ids]


@report_page
def older(page: Page) -> HttpResponse:
    """Fragment: inspections to choose from, filtered by the search."""
    return page.render("reports/parts/repair_choices.html", choices(page))


def choices(page: Page, is_best_chosen: bool = False) -> dict[str, Any]:
    """Finished inspections of other dumps of the topic and service that the user may see: chosen ones first, then of the same time,
    the newest first; later dumps only where a name asks for them. `is_best_chosen`: the first dump of the same topic and time that
    does not end later than this one is chosen."""
    text = page.request.GET.get("q", "").strip()[:200]
    chosen = set(_uuids(page.request.GET.getlist("older")))
    ranked = dumps_beside(page).annotate(rank=rank_beside(page.inspection))
    fitting = ranked.select_related("journal").order_by("rank", "-created_at")
    selected = list(fitting.filter(pk__in=chosen))
    if is_best_chosen:
        selected = _best_dump(page, fitting)
        chosen = {inspection.pk for inspection in selected}
    if text:
        fitting = fitting.filter(Q(journal__name__icontains=text) | Q(journal__ticket__icontains=text))
    else:
        fitting = _without_later(page, fitting)
    others = fitting.exclude(pk__in=chosen)
    listed = [*selected, *others[:CHOICES]]
    unproven = unproven_dumps(page, listed)
    return {
        "asked": text,
        "chosen": [inspection.pk for inspection in selected],
        "choices": sorted(listed, key=lambda dump: dump.pk in unproven and dump.pk not in chosen),
        "unproven": unproven,
        "best_ranks": BEST_RANKS,
        "left_out": max(0, others.count() - CHOICES),
    }


def _best_dump(page: Page, fitting: QuerySet[Any]) -> list[Any]:
    """One dump of this log, or none. A later dump of the journal contains no more of what this one lost."""
    candidates = _without_later(page, fitting.filter(rank__in=BEST_RANKS))[:PROVED]
    return next(([dump] for dump in candidates if is_of_this_log(page, dump)), [])


def _without_later(page: Page, dumps: QuerySet[Any]) -> QuerySet[Any]:
    """Without those that have a newer record, but with what a user uploaded as earlier ones: a truncated log ends before them."""
    ours = page.inspection
    last_ms = ours.summary.get("last_timestamp_ms")
    later = dumps.filter(GreaterThan(NEWEST_RECORD, last_ms)) if last_ms is not None else dumps.none()
    later = later.exclude(
        journal__lineage=ours.journal.lineage, journal__created_at__lt=ours.journal.created_at
    )
    return dumps.exclude(pk__in=later.order_by().values("pk"))


@require_POST
def start(request: HttpRequest, inspection_id: UUID) -> HttpResponse:
    """Request a repair and redirect to it."""
    inspection = get_inspection_for_user(request.user, inspection_id)
    require_adding(request.user, inspection.journal.project_id)
    if inspection.state != Inspection.State.DONE:
        return redirect("inspection", inspection_id)
    inspections = finished_inspections(request.user).filter(pk__in=_uuids(request.POST.getlist("older")))
    with rejection_as_message(request):
        topic = checked_topic(inspection, request.POST.get("topic", "").strip())
        requested = repairs.request_repair(
            inspection,
            list(inspections.exclude(pk=inspection.pk)),
            request.FILES.getlist("files"),
            request.user,
            topic,
        )
        return redirect("report-repair-result", inspection_id, requested.pk)
    return redirect("report-repair", inspection_id)


@report_page
def result(page: Page, repair_id: UUID) -> HttpResponse:
    """A repair's page, finished or not."""
    return page.render("reports/repair_result.html", context(page, repair_id))


@report_page
def fragment(page: Page, repair_id: UUID) -> HttpResponse:
    """Fragment that is polled until the repair is finished."""
    return page.render("reports/parts/repair.html", context(page, repair_id))


@require_POST
def cancel(request: HttpRequest, inspection_id: UUID, repair_id: UUID) -> HttpResponse:
    repair = _changeable(request, inspection_id, repair_id)
    with rejection_as_message(request):
        lifecycle.cancel(repair)
    return redirect("report-repair-result", inspection_id, repair_id)


@require_POST
def again(request: HttpRequest, inspection_id: UUID, repair_id: UUID) -> HttpResponse:
    """Start the repair again after it failed, was cancelled, or lost its worker or files."""
    repair = _changeable(request, inspection_id, repair_id)
    anew = repairs.again(repair, request.user) if repairs.may_start_again(repair) else repair
    return redirect("report-repair-result", inspection_id, anew.pk)


@require_GET
def download(request: HttpRequest, inspection_id: UUID, repair_id: UUID, name: str) -> HttpResponseBase:
    """A file of the repair, as an attachment."""
    repair = _of_inspection(request.user, inspection_id, repair_id)
    if name not in files_of(repair):
        raise Http404
    try:
        content = (repair.results / name).open("rb")
    except FileNotFoundError:
        gone = {"inspection": repair.inspection, "repair": repair, "section": "journals"}
        return render(request, "reports/repair_gone.html", gone, status=410)
    response = FileResponse(
        content, as_attachment=True, filename=Path(name).name, content_type="application/octet-stream"
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


def context(page: Page, repair_id: UUID) -> dict[str, Any]:
    """Context of page and fragment."""
    repair = _of_inspection(page.request.user, page.inspection.pk, repair_id)
    stages, broker_answers = ([], True) if repair.is_over else lifecycle.stages_of(repair)
    is_done = repair.state == Repair.State.DONE
    result = visible_result(page.request.user, repair) if is_done else {}
    older, hidden_count = visible_dumps(page.request.user, repair)
    return {
        "repair": repair,
        "result": result or None,
        "partitions": drawn(page, repair, result) if is_done else [],
        "untouched": untouched(result),
        "is_outdated": is_done and is_outdated(repair),
        "are_files_gone": is_done and not repair.results.is_dir(),
        "older": named_dumps(page, older),
        "hidden_count": hidden_count,
        "added_files": repair.files.all(),
        "stages": [stage | {"words": WORDS.get(stage["name"], "")} for stage in stages],
        "broker_answers": broker_answers,
        "is_abandoned": lifecycle.is_abandoned(repair),
        "may_start_again": repairs.may_start_again(repair),
        "can_start": can_add(page.request.user, page.inspection.journal.project_id),
    }


def _of_inspection(user: Any, inspection_id: UUID, repair_id: UUID) -> Repair:
    repair = get_repair_for_user(user, repair_id)
    if repair.inspection_id != inspection_id:
        raise Http404
    return repair


def _changeable(request: HttpRequest, inspection_id: UUID, repair_id: UUID) -> Repair:
    repair = _of_inspection(request.user, inspection_id, repair_id)
    require_adding(request.user, repair.inspection.journal.project_id)
    return repair


def _uuids(texts: list[str]) -> list[UUID]:
    """The texts that are UUIDs; others are ignored."""
    uuids = []
    for text in texts:
        try:
            uuids.append(UUID(text))
        except ValueError:
            continue
    return uuids


page = ReportPage(
    name="report-repair",
    path="repair/",
    view=repair,
    title="Repair",
    position=60,
    filters={"q": SEARCH},
    further=(
        ReportAddress("report-repair-older", "repair/older/", older, filters={"q": SEARCH}),
        ReportAddress("report-repair-start", "repair/start/", start),
        ReportAddress("report-repair-result", f"{RESULT}/", result, filters=OF_RESULT, read_as="repair.read"),
        ReportAddress(
            "report-repair-state", f"{RESULT}/state/", fragment, filters=OF_RESULT, read_as="repair.read"
        ),
        ReportAddress("report-repair-cancel", f"{RESULT}/cancel/", cancel),
        ReportAddress("report-repair-again", f"{RESULT}/again/", again),
        ReportAddress(
            "report-repair-file",
            f"{RESULT}/files/<path:name>",
            download,
            filters={**OF_RESULT, "name": SEARCH},
            read_as="repair.downloaded",
        ),
    ),
)
