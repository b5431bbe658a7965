"""Links to reports and who opened them; exports and evidence as files."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework.decorators import action
from rest_framework.request import Request

from spark.redaction.options import NAMES
from spark.redaction.process import TooLong
from webapp.accounts.access import require_role
from webapp.api.journals.progress import finished
from webapp.api.reports.record_pages import filter_of
from webapp.api.reports.results import open_results
from webapp.api.reports.rows import RecordsQuery
from webapp.api.rest.errors import GONE, ApiError
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource, require_valid
from webapp.api.sharing.serializers import (
    CreatedShare,
    NewEvidence,
    NewShare,
    ShareScope,
    ShareShape,
    SharesQuery,
    VisitShape,
)
from webapp.journals.access import require_adding
from webapp.journals.models import Inspection
from webapp.sharing import shares
from webapp.sharing.access import get_share_for_user, shares_for_user
from webapp.sharing.evidence.keys import UnusableKey
from webapp.sharing.evidence.views import evidence_of
from webapp.sharing.exports.views import export
from webapp.sharing.forms import HIDDEN, SHOWN, EvidenceForm, ShareForm
from webapp.sharing.models import Share, ShareView
from webapp.sharing.views.dialogue import requested_scope
from webapp.sharing.views.lists import can_revoke


class ShareViewSet(Resource):
    """Links."""

    lookup_url_kwarg = "share_id"

    @operation("Links, newest first", scope="share", query=SharesQuery, page=ShareShape, order=NEWEST_FIRST)
    def list(self, request: Request) -> QuerySet[Share]:
        """Everybody's, in projects in which you may share."""
        require_adding(request.user)
        rows = shares_for_user(request.user).select_related("created_by")
        if "journal" in self.params:
            rows = rows.filter(inspection__journal=self.params["journal"])
        return rows.filter(created_by=request.user.pk) if "whose" in self.params else rows

    @operation("Make a link", scope="share", query=ShareScope, body=NewShare, answer=CreatedShare, status=201)
    def make(self, request: Request, inspection_id: UUID) -> Share:
        """`url` is shown once. The link shows a snapshot of the report. It does not change."""
        inspection = finished(request.user, inspection_id)
        require_role(request.user, "support", inspection.journal.project_id)
        _ = self.params  # checked, and read with the tab's filters below
        scope, _ = requested_scope(request._request, inspection)
        form = _form(ShareForm, self.payload, inspection)
        share, token = shares.create_share(inspection, request.user, form.terms(scope))
        share.url = shares.link_of(request, token)  # type: ignore[attr-defined]
        return share

    @operation("One link", scope="share", answer=ShareShape)
    def retrieve(self, request: Request, share_id: UUID) -> Share:
        """Ask until `state` is `done`: it is made by a worker."""
        return get_share_for_user(request.user, share_id)

    @operation("Revoke a link", scope="share", status=204)
    def destroy(self, request: Request, share_id: UUID) -> None:
        """Its row stays, what it showed is deleted."""
        share = get_share_for_user(request.user, share_id)
        if not can_revoke(request, share):
            raise PermissionDenied(
                "Only the user who made the link, or an admin of the project, can revoke it."
            )
        shares.revoke(share, request.user)

    @action(detail=True)
    @operation("Who opened a link", scope="share", page=VisitShape, order=("-pk",))
    def visits(self, request: Request, share_id: UUID) -> QuerySet[ShareView]:
        """Each page that was read, the newest first: when, from where, who."""
        return get_share_for_user(request.user, share_id).opened.select_related("user")


class ExportViewSet(Resource):
    """An inspection as files."""

    @operation(
        "Export the records that match: csv, ndjson (kcat) or parquet",
        scope="share",
        query=RecordsQuery,
        media_type="application/zip",
        id="inspections_exports_records._list",
    )
    def records(self, request: Request, inspection_id: UUID, layout: str) -> HttpResponseBase:
        """A zip with the records and what they cover; `limit` and `cursor` mean nothing here."""
        with open_results(finished(request.user, inspection_id).results):
            pass  # where they are gone, the page would answer with a page
        filter_of(self.params)  # and a mistake is answered as a program reads it
        return export(request._request, inspection_id, layout=layout)

    @operation("Make a signed evidence bundle", scope="share", body=NewEvidence, media_type="application/zip")
    def evidence(self, request: Request, inspection_id: UUID) -> HttpResponseBase:
        """A zip with report, findings and proof records; `verify-evidence` of the command line says whether it is whole."""
        inspection = finished(request.user, inspection_id)
        require_role(request.user, "support", inspection.journal.project_id)
        form = _form(EvidenceForm, self.payload, inspection)
        try:
            return evidence_of(request._request, inspection, form.options())
        except FileNotFoundError:
            raise ApiError(GONE, status=410) from None
        except (UnusableKey, TooLong) as problem:
            raise ApiError(str(problem), status=503) from None


def _form(kind: type[ShareForm], payload: dict[str, Any], inspection: Inspection) -> ShareForm:
    """As the dialogue sends it; masks that are left out are the project's."""
    first = ShareForm.first_values(inspection.journal.project)
    masks = {name: "\n".join(payload[name]) if name in payload else text for name, text in first.items()}
    keys = {None: NAMES, True: SHOWN, False: HIDDEN}[payload.get("keys")]
    form = kind(payload | masks | {"keys": keys})
    require_valid(form)
    return form
