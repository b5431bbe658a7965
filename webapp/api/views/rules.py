"""Rules: the list, one with its versions, new versions, on and off, and trying one."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import get_project_for_user, insist_on_role
from webapp.api.base import ApiView, body, finished, listed
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.serializers.rules import (
    NewRuleVersion,
    RuleShape,
    RuleText,
    RuleTry,
    Switch,
    TriedShape,
    VersionShape,
)
from webapp.audit.log import record
from webapp.journals.access import get_inspection_for_user
from webapp.journals.models import Inspection
from webapp.rules import changes
from webapp.rules.access import get_rule_for_user, rules_for_user
from webapp.rules.models import Rule
from webapp.rules.trying import try_rule

WRITES = {"POST": "review", "PATCH": "review"}


class RulesView(ApiView):
    """Rules."""

    scopes = WRITES

    @extend_schema(parameters=[Paging], responses=page_shape(RuleShape), summary="Rules of a project")
    def get(self, request: Request, slug: str) -> Response:
        """Active or not, each with its newest version."""
        found = rules_for_user(request.user).filter(project=get_project_for_user(request.user, slug))
        return listed(request, found, RuleShape)

    @extend_schema(request=RuleText, responses={201: RuleShape}, summary="Write a rule")
    def post(self, request: Request, slug: str) -> Response:
        """It is not active yet."""
        project = get_project_for_user(request.user, slug)
        insist_on_role(request.user, "reviewer", project.pk)
        made = changes.create(project, body(request, RuleText)["text"], request.user)
        return Response(RuleShape(made).data, status=201)


class RuleView(ApiView):
    """One rule."""

    scopes = WRITES

    @extend_schema(responses=RuleShape, summary="One rule")
    def get(self, request: Request, slug: str, rule_name: str) -> Response:
        """With its newest version."""
        return Response(RuleShape(get_rule_for_user(request.user, slug, rule_name)).data)

    @extend_schema(request=Switch, responses=RuleShape, summary="Switch a rule on or off")
    def patch(self, request: Request, slug: str, rule_name: str) -> Response:
        """Inspections that begin from now on use it, or no longer."""
        rule = _writable(request, slug, rule_name)
        changes.set_active(rule, body(request, Switch)["is_active"], request.user)
        return Response(RuleShape(rule).data)


class VersionsView(ApiView):
    """Versions of a rule."""

    scopes = WRITES

    @extend_schema(parameters=[Paging], responses=page_shape(VersionShape), summary="Versions of a rule")
    def get(self, request: Request, slug: str, rule_name: str) -> Response:
        """In order; reports name the versions they used."""
        found = get_rule_for_user(request.user, slug, rule_name).versions.select_related("created_by")
        return listed(request, found, VersionShape, ("number",))

    @extend_schema(request=NewRuleVersion, responses={201: VersionShape}, summary="Change a rule")
    def post(self, request: Request, slug: str, rule_name: str) -> Response:
        """A new version; the newest one when the text is the same. 409: somebody saved one meanwhile."""
        rule = _writable(request, slug, rule_name)
        asked = body(request, NewRuleVersion)
        saved = changes.change(rule, asked["text"], request.user, asked["based_on"])
        return Response(VersionShape(saved).data, status=201)


class TryRuleView(ApiView):
    """The test button."""

    scopes = WRITES

    @extend_schema(request=RuleTry, responses={200: TriedShape}, summary="Try a rule, saved or not")
    def post(self, request: Request, slug: str) -> Response:
        """How many rows of a finished inspection it would flag, and the first of them. Saves nothing."""
        project = get_project_for_user(request.user, slug)
        insist_on_role(request.user, "support", project.pk)
        asked = body(request, RuleTry)
        inspection = _inspection(request, asked["inspection"], project.pk)
        tried = try_rule(changes.read(asked["text"]), inspection)
        record(
            "rule.tried",
            request=request._request,
            project_id=project.pk,
            target=inspection,
            rule=tried.rule.name,
            rows=len(tried.rows),
        )
        return Response(TriedShape(tried).data)


def _writable(request: Request, slug: str, name: str) -> Rule:
    rule = get_rule_for_user(request.user, slug, name)
    insist_on_role(request.user, "reviewer", rule.project_id)
    return rule


def _inspection(request: Request, inspection_id: UUID, project_id: int) -> Inspection:
    """404 for one of another project, 409 for one that is not done."""
    if get_inspection_for_user(request.user, inspection_id).journal.project_id != project_id:
        raise Http404
    return finished(request, inspection_id)
