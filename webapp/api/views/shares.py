"""Links to reports, and exports of their records."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from spark.redaction.process import TooLong
from webapp.accounts.access import insist_on_role
from webapp.api.base import ApiView, body, finished, insist_on_valid, listed, query
from webapp.api.errors import GONE, Wrong
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.runs import (
    CreatedShare,
    NewEvidence,
    NewShare,
    SharesAsked,
    ShareScope,
    ShareShape,
    VisitShape,
)
from webapp.api.serializers.tables import RecordsQuery
from webapp.api.views.journals import NEWEST_FIRST
from webapp.journals.access import insist_on_adding
from webapp.journals.models import Inspection
from webapp.reports.report import read_report
from webapp.reports.results import open_results
from webapp.reports.source import of_inspection
from webapp.reports.views.page import opened_page
from webapp.sharing import shares
from webapp.sharing.access import get_share_for_user, shares_for_user
from webapp.sharing.evidence.forms import EvidenceForm
from webapp.sharing.evidence.keys import UnusableKey
from webapp.sharing.evidence.views import evidence_of
from webapp.sharing.exports.views import export
from webapp.sharing.forms import ShareForm
from webapp.sharing.scopes import Scope, scope_of
from webapp.sharing.views.lists import can_revoke

SHARES = {"GET": "share", "POST": "share", "DELETE": "share"}


class SharesView(ApiView):
    """Links."""

    scopes = SHARES

    @extend_schema(parameters=[SharesAsked], responses=page_shape(ShareShape), summary="Links, newest first")
    def get(self, request: Request) -> Response:
        """Everybody's, in projects in which you may share."""
        insist_on_adding(request.user)
        asked = query(request, SharesAsked)
        found = shares_for_user(request.user).select_related("created_by")
        if "journal" in asked:
            found = found.filter(inspection__journal=asked["journal"])
        if "whose" in asked:
            found = found.filter(created_by=request.user)
        return listed(request, found, ShareShape, NEWEST_FIRST, asked)


class ShareView(ApiView):
    """One link."""

    scopes = SHARES

    @extend_schema(responses=ShareShape, summary="One link")
    def get(self, request: Request, share_id: UUID) -> Response:
        """Ask until `state` is `done`: it is made by a worker."""
        return Response(ShareShape(get_share_for_user(request.user, share_id)).data)

    @extend_schema(responses={204: None}, summary="Take a link back at once")
    def delete(self, request: Request, share_id: UUID) -> Response:
        """Its row stays, what it showed is deleted."""
        share = get_share_for_user(request.user, share_id)
        if not can_revoke(request, share):
            raise PermissionDenied("Only who made a link, or an admin of the project, takes it back.")
        shares.revoke(share, request.user, request)
        return Response(status=204)


class VisitsView(ApiView):
    """Who opened it."""

    scopes = SHARES

    @extend_schema(parameters=[Paging], responses=page_shape(VisitShape), summary="Who opened a link")
    def get(self, request: Request, share_id: UUID) -> Response:
        """Each page that was read, the newest first: when, from where, who."""
        found = get_share_for_user(request.user, share_id).opened.select_related("user")
        return listed(request, found, VisitShape, ("-pk",))


class NewShareView(ApiView):
    """Making a link."""

    scopes = SHARES

    @extend_schema(
        parameters=[ShareScope], request=NewShare, responses={201: CreatedShare}, summary="Make a link"
    )
    def post(self, request: Request, inspection_id: UUID) -> Response:
        """`url` is shown once. The link shows a copy of its own, made now and never changed."""
        inspection = finished(request, inspection_id)
        insist_on_role(request.user, "support", inspection.journal.project_id)
        query(request, ShareScope)
        scope = _scope(request, inspection)
        form = _checked(ShareForm, body(request, NewShare), inspection)
        share, token = shares.create_share(inspection, request.user, form.terms(scope), request)
        told = ShareShape(share).data | {"url": shares.link_of(request, token)}
        return Response(told, status=201)


class ExportView(ApiView):
    """Records as a file."""

    scopes = SHARES

    @extend_schema(
        parameters=[RecordsQuery],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
        summary="Export the records that match: csv, ndjson (kcat) or parquet",
    )
    def get(self, request: Request, inspection_id: UUID, layout: str) -> HttpResponseBase:
        """A zip with the records and what they cover; `limit` and `cursor` mean nothing here."""
        with open_results(finished(request, inspection_id).results):
            pass  # where they are gone, the page would answer with a page
        response: HttpResponseBase = export(request._request, inspection_id, layout=layout)
        return response


class EvidenceView(ApiView):
    """A signed bundle."""

    scopes = SHARES

    @extend_schema(
        request=NewEvidence,
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
        summary="Make a signed evidence bundle",
    )
    def post(self, request: Request, inspection_id: UUID) -> HttpResponseBase:
        """A zip with report, findings and proof records; `manage.py verify_evidence` says whether it is whole."""
        inspection = finished(request, inspection_id)
        insist_on_role(request.user, "support", inspection.journal.project_id)
        form = _checked(EvidenceForm, body(request, NewEvidence), inspection)
        try:
            return evidence_of(request._request, inspection, form.options())
        except FileNotFoundError:
            raise Wrong(GONE, status=410) from None
        except (UnusableKey, TooLong) as problem:
            raise Wrong(str(problem), status=503) from None


def _checked(kind: type[ShareForm], asked: dict[str, Any], inspection: Inspection) -> ShareForm:
    """As the dialogue sends it; masks that are left out are the project's."""
    first = ShareForm.first_values(inspection.journal.project)
    masks = {name: "\n".join(asked[name]) if name in asked else text for name, text in first.items()}
    form = kind(asked | masks)
    insist_on_valid(form)
    return form


def _scope(request: Request, inspection: Inspection) -> Scope:
    with opened_page(request._request, of_inspection(inspection)) as page:
        scope = scope_of(request.query_params.dict(), page.place)
        findings = {one.id for one in read_report(page.results.document).findings}
    if scope is None or (scope.what == "finding" and scope.of not in findings):
        raise Http404
    return scope
