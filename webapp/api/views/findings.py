"""Findings: the list with the queue's filters, decisions, assignments, comments, histories."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import insist_on_role
from webapp.api.base import ApiView, body, etag_of, insist_on_match, insist_on_newer, listed, query, tagged
from webapp.api.errors import Wrong
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.review import (
    Assignment,
    ChangeShape,
    CommentShape,
    CountsShape,
    Decision,
    FindingChange,
    FindingsAsked,
    FindingShape,
    NewComment,
    OutcomeShape,
    Undoing,
)
from webapp.review import comments, decisions
from webapp.review.access import findings_for_user, get_finding_for_user
from webapp.review.decisions import Outcome
from webapp.review.filters import Filter, preset_counts
from webapp.review.models import Finding
from webapp.review.states import State

REVIEWS = {"POST": "review", "PATCH": "review"}


class FindingsView(ApiView):
    """Findings."""

    @extend_schema(parameters=[FindingsAsked], responses=page_shape(FindingShape), summary="Findings")
    def get(self, request: Request) -> Response:
        """Of the journals you see, in the order in which they came."""
        asked = query(request, FindingsAsked)
        found = filter_of(asked).findings(request.user, "viewer").select_related("project", "assignee")
        return listed(request, found, FindingShape, asked=asked)


class FindingView(ApiView):
    """One finding."""

    scopes = REVIEWS

    @extend_schema(responses=FindingShape, summary="One finding")
    def get(self, request: Request, finding_id: int) -> Response:
        """What the last inspection says of it, and what people decided."""
        finding = get_finding_for_user(request.user, finding_id)
        insist_on_newer(request, _etag(finding))
        return tagged(FindingShape(finding).data, _etag(finding))

    @extend_schema(
        request=FindingChange, responses=FindingShape, summary="Decide about it, or give it to somebody"
    )
    def patch(self, request: Request, finding_id: int) -> Response:
        """With `If-Match`: only if nobody decided meanwhile."""
        asked = body(request, FindingChange)
        seen = get_finding_for_user(request.user, finding_id)
        insist_on_role(request.user, "reviewer", seen.project_id)
        told = {"request": request, "comment": asked.get("comment", "")}
        with transaction.atomic():
            list(Finding.objects.filter(pk=seen.pk).select_for_update())
            insist_on_match(request, _etag(get_finding_for_user(request.user, finding_id)))
            if "state" in asked:
                decisions.decide([seen.pk], request.user, asked["state"], until=asked.get("until"), **told)
            if "assignee" in asked:
                decisions.assign([seen.pk], request.user, _person(request, asked["assignee"]), **told)
        finding = get_finding_for_user(request.user, finding_id)
        return tagged(FindingShape(finding).data, _etag(finding))


class DecideView(ApiView):
    """Many at once."""

    scopes = REVIEWS

    @extend_schema(request=Decision, responses={200: OutcomeShape}, summary="Decide about many findings")
    def post(self, request: Request) -> Response:
        """Those that are named, or all that match a filter; each gets its history."""
        insist_on_role(request.user, "reviewer")
        asked = body(request, Decision)
        until = asked.get("until") if asked["state"] == State.SUPPRESSED else None
        told = {"request": request, "comment": asked.get("comment", ""), "until": until}
        return _told(decisions.decide(_chosen(request, asked), request.user, asked["state"], **told))


class AssignView(ApiView):
    """Many at once."""

    scopes = REVIEWS

    @extend_schema(
        request=Assignment, responses={200: OutcomeShape}, summary="Give many findings to somebody"
    )
    def post(self, request: Request) -> Response:
        """To a reviewer of their project, or with null to nobody."""
        insist_on_role(request.user, "reviewer")
        asked = body(request, Assignment)
        person = _person(request, asked["assignee"])
        told = {"request": request, "comment": asked.get("comment", "")}
        return _told(decisions.assign(_chosen(request, asked), request.user, person, **told))


class UndoView(ApiView):
    """Taking back."""

    scopes = REVIEWS

    @extend_schema(request=Undoing, responses={200: OutcomeShape}, summary="Take your last decisions back")
    def post(self, request: Request) -> Response:
        """By their ids in histories. Each finding gets the state it had, unless somebody decided since."""
        insist_on_role(request.user, "reviewer")
        return _told(decisions.undo(body(request, Undoing)["changes"], request.user))


class CountsView(ApiView):
    """Counts."""

    @extend_schema(responses=CountsShape, summary="How many findings wait")
    def get(self, request: Request) -> Response:
        """As the queue's page counts them, in the projects that you review."""
        insist_on_role(request.user, "reviewer")
        return Response(CountsShape(preset_counts(request.user)).data)


class HistoryView(ApiView):
    """What happened to a finding."""

    @extend_schema(parameters=[Paging], responses=page_shape(ChangeShape), summary="History of a finding")
    def get(self, request: Request, finding_id: int) -> Response:
        """Every change of state, assignee, due date, severity and presence."""
        found = get_finding_for_user(request.user, finding_id).changes.select_related("by")
        return listed(request, found, ChangeShape)


class CommentsView(ApiView):
    """Comments on a finding."""

    scopes = REVIEWS

    @extend_schema(parameters=[Paging], responses=page_shape(CommentShape), summary="Comments on a finding")
    def get(self, request: Request, finding_id: int) -> Response:
        """In order."""
        found = get_finding_for_user(request.user, finding_id).comments.select_related("author")
        return listed(request, found, CommentShape)

    @extend_schema(request=NewComment, responses={201: CommentShape}, summary="Comment on a finding")
    def post(self, request: Request, finding_id: int) -> Response:
        """People named with an @ are told, if they are in the project."""
        finding = get_finding_for_user(request.user, finding_id)
        insist_on_role(request.user, "support", finding.project_id)
        asked = body(request, NewComment)
        records = " ".join(asked.get("records", []))
        said = comments.comment(finding, request.user, asked["text"], records=records, request=request)
        return Response(CommentShape(said).data, status=201)


def filter_of(asked: dict[str, Any]) -> Filter:
    """The queue's filter of checked members."""
    return Filter.of({name: str(value) for name, value in asked.items()})


def _chosen(request: Request, asked: dict[str, Any]) -> QuerySet[Finding]:
    """As on the queue's page: an id that is not to be seen is 404, one that is not to be judged 403."""
    if "matching" in asked:
        return filter_of(asked["matching"]).findings(request.user).order_by()
    ids = set(asked["findings"])
    chosen = findings_for_user(request.user).filter(pk__in=ids)
    if chosen.count() != len(ids):
        raise Http404
    return chosen


def _person(request: Request, name: str | None) -> Any:
    if name is None:
        return None
    if name == "me":
        return get_user_model().objects.get(pk=request.user.pk)
    person = get_user_model().objects.filter(username=name, is_active=True).first()
    if person is None:
        raise Wrong(f"{name} does not review findings in the project of this finding.", "assignee")
    return person


def _told(outcome: Outcome) -> Response:
    changed = [change.finding_id for change in outcome.changes]
    return Response(OutcomeShape({"changed": changed, "unchanged": outcome.unchanged}).data)


def _etag(finding: Finding) -> str:
    last = finding.changes.values_list("pk", flat=True).order_by("-pk").first()
    parts = (finding.state, finding.assignee_id, finding.due_at, finding.presence, finding.last_inspection_id)
    return etag_of(finding.pk, last, finding.is_overdue, *parts)
