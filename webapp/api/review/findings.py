"""Findings: the list with the queue's filters, decisions, assignments, comments, histories."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts.access import require_role
from webapp.api.rest.errors import ApiError
from webapp.api.rest.etags import etag_of, require_match
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.api.review.serializers import (
    Assignment,
    ChangeShape,
    CommentShape,
    CountsShape,
    Decision,
    FindingChange,
    FindingShape,
    FindingsQuery,
    NewComment,
    OutcomeShape,
    Undoing,
)
from webapp.rejected import Rejected
from webapp.review import comments, decisions
from webapp.review.access import get_assignee, get_finding_for_user, get_findings_for_user
from webapp.review.decisions import DecisionOutcome
from webapp.review.filters import Filter, preset_counts
from webapp.review.models import Change, Comment, Finding
from webapp.review.states import FindingState


class FindingViewSet(Resource):
    """Findings."""

    lookup_url_kwarg = "finding_id"
    lookup_value_converter = "int"

    @operation("Findings", query=FindingsQuery, page=FindingShape)
    def list(self, request: Request) -> QuerySet[Finding]:
        """Of the journals you see, in the order in which they came."""
        findings = filter_of(self.params).findings(request.user, "viewer")
        return findings.select_related("project", "assignee")

    @operation("One finding", answer=FindingShape)
    def retrieve(self, request: Request, finding_id: int) -> Finding:
        """What the last inspection says of it, and what people decided."""
        finding = get_finding_for_user(request.user, finding_id)
        self.tag(_etag(finding))
        return finding

    @operation(
        "Set its state, or assign it to a user", scope="review", body=FindingChange, answer=FindingShape
    )
    def partial_update(self, request: Request, finding_id: int) -> Finding:
        """With `If-Match`: only if nobody decided meanwhile."""
        payload = self.payload
        finding = get_finding_for_user(request.user, finding_id)
        require_role(request.user, "reviewer", finding.project_id)
        with transaction.atomic():
            list(Finding.objects.filter(pk=finding_id).select_for_update())
            require_match(request, _etag(get_finding_for_user(request.user, finding_id)))
            if "state" in payload:
                self._decide([finding_id], payload.get("until"))
            if "assignee" in payload:
                self._assign([finding_id], _person(request.user, payload["assignee"]))
        finding = get_finding_for_user(request.user, finding_id)
        self.etag = _etag(finding)
        return finding

    @action(detail=False, methods=["post"])
    @operation("Decide about many findings", scope="review", body=Decision, answer=OutcomeShape)
    def decide(self, request: Request) -> dict[str, Any]:
        """Those that are named, or all that match a filter; each gets its history."""
        require_role(request.user, "reviewer")
        is_suppressed = self.payload["state"] == FindingState.SUPPRESSED
        return _outcome(self._decide(self._chosen(), self.payload.get("until") if is_suppressed else None))

    @action(detail=False, methods=["post"])
    @operation("Assign many findings to a user", scope="review", body=Assignment, answer=OutcomeShape)
    def assign(self, request: Request) -> dict[str, Any]:
        """To a reviewer of their project, or with null to nobody."""
        require_role(request.user, "reviewer")
        person = _person(request.user, self.payload["assignee"])
        return _outcome(self._assign(self._chosen(), person))

    @action(detail=False, methods=["post"])
    @operation("Undo your last decisions", scope="review", body=Undoing, answer=OutcomeShape)
    def undo(self, request: Request) -> dict[str, Any]:
        """By their ids in histories. Each finding gets the state it had, unless somebody decided since."""
        require_role(request.user, "reviewer")
        return _outcome(decisions.undo(self.payload["changes"], request.user))

    @action(detail=False)
    @operation("Number of incidents", answer=CountsShape)
    def counts(self, request: Request) -> dict[str, int]:
        """As the header and the queue's page count them, in the projects that you review."""
        require_role(request.user, "reviewer")
        return preset_counts(request.user)

    @action(detail=True)
    @operation("History of a finding", page=ChangeShape)
    def history(self, request: Request, finding_id: int) -> QuerySet[Change]:
        """Every change of state, assignee, due date, severity and presence."""
        return get_finding_for_user(request.user, finding_id).changes.select_related("by")

    @action(detail=True)
    @operation("Comments on a finding", page=CommentShape)
    def comments(self, request: Request, finding_id: int) -> QuerySet[Comment]:
        """In order."""
        return get_finding_for_user(request.user, finding_id).comments.select_related("author")

    @comments.mapping.post
    @operation("Comment on a finding", scope="review", body=NewComment, answer=CommentShape, status=201)
    def comment(self, request: Request, finding_id: int) -> Comment:
        """People named with an @ are told, if they are in the project."""
        finding = get_finding_for_user(request.user, finding_id)
        require_role(request.user, "support", finding.project_id)
        text, records = self.payload["text"], " ".join(self.payload.get("records", []))
        return comments.comment(finding, request.user, text, records=records)

    def _decide(self, findings: Any, until: Any) -> DecisionOutcome:
        comment = self.payload.get("comment", "")
        return decisions.decide(
            findings,
            self.request.user,
            self.payload["state"],
            until=until,
            comment=comment,
        )

    def _assign(self, findings: Any, person: Any) -> DecisionOutcome:
        comment = self.payload.get("comment", "")
        return decisions.assign(findings, self.request.user, person, comment=comment)

    def _chosen(self) -> QuerySet[Finding]:
        """As on the queue's page: an id that is not to be seen is 404, one that is not to be judged 403."""
        if "matching" in self.payload:
            return filter_of(self.payload["matching"]).findings(self.request.user).order_by()
        return get_findings_for_user(self.request.user, set(self.payload["findings"]))


def filter_of(members: dict[str, Any]) -> Filter:
    """The queue's filter of checked members."""
    return Filter.of({name: str(value) for name, value in members.items()})


def _person(user: Any, name: str | None) -> Any:
    try:
        return None if name is None else get_assignee(user, name)
    except Rejected as rejection:
        raise ApiError(str(rejection), "assignee") from None


def _outcome(outcome: DecisionOutcome) -> dict[str, Any]:
    return {"changed": [change.finding_id for change in outcome.changes], "unchanged": outcome.unchanged}


def _etag(finding: Finding) -> str:
    last = finding.changes.values_list("pk", flat=True).order_by("-pk").first()
    parts = (finding.state, finding.assignee_id, finding.due_at, finding.presence, finding.last_inspection_id)
    return etag_of(finding.pk, last, finding.is_overdue, *parts)
