"""Rules: the list, one with its versions, new versions, on and off, and trying one."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts.access import get_project_for_user, require_role
from webapp.api.journals.progress import finished
from webapp.api.rest.operation import operation
from webapp.api.rest.resource import Resource
from webapp.api.rules.serializers import (
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
from webapp.rules import changes
from webapp.rules.access import get_rule_for_user, rules_for_user
from webapp.rules.models import Rule, RuleVersion
from webapp.rules.trying import Tried, try_rule


class RuleViewSet(Resource):
    """Rules of a project."""

    lookup_url_kwarg = "rule_name"
    lookup_value_converter = "slug"

    @operation("Rules of a project", page=RuleShape)
    def list(self, request: Request, slug: str) -> QuerySet[Rule]:
        """Active or not, each with its newest version."""
        return rules_for_user(request.user).filter(project=get_project_for_user(request.user, slug))

    @operation("Write a rule", scope="review", body=RuleText, answer=RuleShape, status=201)
    def create(self, request: Request, slug: str) -> Rule:
        """It is not active yet."""
        project = get_project_for_user(request.user, slug)
        require_role(request.user, "reviewer", project.pk)
        return changes.create(project, self.payload["text"], request.user)

    @operation("One rule", answer=RuleShape)
    def retrieve(self, request: Request, slug: str, rule_name: str) -> Rule:
        """With its newest version."""
        return get_rule_for_user(request.user, slug, rule_name)

    @operation("Switch a rule on or off", scope="review", body=Switch, answer=RuleShape)
    def partial_update(self, request: Request, slug: str, rule_name: str) -> Rule:
        """Inspections that begin from now on use it, or no longer."""
        rule = _writable(request, slug, rule_name)
        changes.set_active(rule, self.payload["is_active"], request.user)
        return rule

    @action(detail=True)
    @operation("Versions of a rule", page=VersionShape, order=("number",))
    def versions(self, request: Request, slug: str, rule_name: str) -> QuerySet[RuleVersion]:
        """In order; reports name the versions they used."""
        return get_rule_for_user(request.user, slug, rule_name).versions.select_related("created_by")

    @versions.mapping.post
    @operation("Change a rule", scope="review", body=NewRuleVersion, answer=VersionShape, status=201)
    def change(self, request: Request, slug: str, rule_name: str) -> RuleVersion:
        """A new version; the newest one when the text is the same. 409: somebody saved one meanwhile."""
        rule = _writable(request, slug, rule_name)
        return changes.change(rule, self.payload["text"], request.user, self.payload["based_on"])

    @operation("Try a rule, saved or not", scope="review", body=RuleTry, answer=TriedShape)
    def try_text(self, request: Request, slug: str) -> Tried:
        """How many rows of a finished inspection it would flag, and the first of them. Saves nothing."""
        project = get_project_for_user(request.user, slug)
        require_role(request.user, "support", project.pk)
        inspection_id = self.payload["inspection"]
        if get_inspection_for_user(request.user, inspection_id).journal.project_id != project.pk:
            raise Http404
        inspection = finished(request.user, inspection_id)
        tried = try_rule(changes.read(self.payload["text"]), inspection)
        rule, rows = tried.rule.name, len(tried.rows)
        record("rule.tried", project_id=project.pk, target=inspection, rule=rule, rows=rows)
        return tried


def _writable(request: Request, slug: str, name: str) -> Rule:
    rule = get_rule_for_user(request.user, slug, name)
    require_role(request.user, "reviewer", rule.project_id)
    return rule
