"""Keeps who read what of a report: one event per request that showed or sent payloads, with its place and filters.

Figures and parts of pages that are asked for again and again are one event in five minutes for each partition.

Where the database cannot take the event, the broker keeps it until housekeeping brings it in; where neither can,
the answer is withheld, so that nothing is read unseen.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.core.cache import cache
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.urls import ResolverMatch
from redis.exceptions import RedisError

from webapp.audit import log, spool
from webapp.audit.models import Event
from webapp.journals.models import Inspection
from webapp.reports.logged_address import place_and_filters
from webapp.reports.pages import report_addresses
from webapp.review.models import Finding

logger = logging.getLogger(__name__)

# address -> action; pages of a report declare theirs
READS = {
    "review-finding": "finding.read",
    "review-incident": "finding.read",
    "review-preview": "finding.read",
    "share-preview": "share.previewed",
    "api-report": "report.read",
    "api-profile": "profile.read",
    "api-record-list": "records.read",
    "api-record-detail": "record.read",
    "api-comparison": "comparison.read",
    "api-repair-detail": "repair.read",
    "api-repair-file": "repair.downloaded",
}
OFTEN = {
    "report-strip-figure", "report-timeline-figure", "report-comparison-state", "report-repair-state",
    "report-filter-completion",
}  # fmt: skip
OFTEN_SECONDS = 300
API_TABLES = re.compile(r"api-(keys|entries|state|refusals)")  # the others hold places, sizes and times
NOT_KEPT = "This page cannot be shown: the audit log cannot be written at the moment. Try again in a minute."


class ReadEvents:
    """The last middleware, so that it sees the view's own response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        match = request.resolver_match
        if match is None or response.status_code != 200 or request.method == "HEAD":
            return response
        action = action_of(match.url_name or "")
        try:
            if (
                action is None
                or match.namespaces
                or _is_kept(request, match)
                or _keep(request, action, match)
            ):
                return response
        except ObjectDoesNotExist:  # it was deleted meanwhile
            response.close()
            raise
        response.close()
        return HttpResponse(NOT_KEPT, status=503, content_type="text/plain; charset=utf-8")


def action_of(url_name: str) -> str | None:
    """What reading this address is called; None where it shows no payloads."""
    if page := report_addresses().get(url_name):
        return page.read_as or None
    table = API_TABLES.fullmatch(url_name)
    return f"{table[1]}.read" if table else READS.get(url_name)


def _is_kept(request: HttpRequest, match: ResolverMatch) -> bool:
    """Whether the same page was read a moment ago and that event is stored."""
    return match.url_name in OFTEN and bool(cache.get(_part(request, match)))


def _part(request: HttpRequest, match: ResolverMatch) -> str:
    replica = [request.GET.get(name, "") for name in ("topic", "partition", "replica")]
    identity = repr((request.user.pk, match.url_name, sorted(match.kwargs.items()), replica))
    return f"read:{hashlib.sha256(identity.encode()).hexdigest()}"


def _keep(request: HttpRequest, action: str, match: ResolverMatch) -> bool:
    """Returns whether the event was stored."""
    try:
        target, project_id = _read(match.kwargs)
        detail = _compared_with(match.kwargs) | place_and_filters(match.kwargs, request.GET.dict())
        event = log.event(action, request=request, project_id=project_id, target=target, **detail)
    except DatabaseError:
        logger.exception("A read could not be described for the audit log.")
        return False
    is_safe = _saved(event)
    if is_safe and match.url_name in OFTEN:
        cache.set(_part(request, match), 1, OFTEN_SECONDS)
    return is_safe


def _read(kwargs: Mapping[str, Any]) -> tuple[Finding | Inspection, int]:
    """The object that was read and the id of its project."""
    if "finding_id" in kwargs:
        finding = Finding.objects.get(pk=kwargs["finding_id"])
        return finding, finding.project_id
    inspection = Inspection.objects.select_related("journal").get(pk=kwargs["inspection_id"])
    return inspection, inspection.journal.project_id


def _compared_with(kwargs: Mapping[str, Any]) -> dict[str, str]:
    """Of a comparison the name of the other journal: people do not know its id."""
    if "other_id" not in kwargs:
        return {}
    other = Inspection.objects.select_related("journal").get(pk=kwargs["other_id"])
    return {"compared_with": other.journal.name}


def _saved(event: Event) -> bool:
    try:
        event.save(force_insert=True)
    except DatabaseError:
        logger.warning("The audit log's table is not free; the event waits in the broker.", exc_info=True)
        try:
            spool.keep(event)
        except RedisError:
            return False
    return True
