"""New rules, new versions, on and off: each is an event in the audit log. And which an inspection uses."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from spark.rules.language import MAX_RULE, MAX_RULES, CheckedRule, parse
from spark.rules.yaml_nodes import RuleError
from webapp.accounts.models import Project
from webapp.audit.log import record
from webapp.journals.models import Inspection
from webapp.rejected import Rejected
from webapp.rules.models import Rule, RuleUse, RuleVersion


def read(text: str) -> CheckedRule:
    """The rule, or Rejected with the line of what is wrong."""
    if len(text) > MAX_RULE:
        raise Rejected(f"A rule has {MAX_RULE:,} characters at most; this has {len(text):,}.")
    try:
        return parse(text)
    except RuleError as problem:
        raise Rejected(str(problem)) from problem


def create(project: Project, text: str, user: Any) -> Rule:
    """The rule is not active yet. Raises Rejected."""
    parsed = read(text)
    try:
        with transaction.atomic():
            rule = Rule.objects.create(project=project, name=parsed.name)
            _add_version(rule, 1, parsed, text, user)
            record("rule.created", actor=user, project_id=project.pk, target=rule)
    except IntegrityError as taken:
        raise Rejected(
            f"The project has a rule {parsed.name} already. Choose another name, or change that one.",
            409,
        ) from taken
    return rule


def change(rule: Rule, text: str, user: Any, based_on: int) -> RuleVersion:
    """A new version, the old one when nothing is different. `based_on`: the version that was edited. Raises Rejected."""
    parsed = read(text)
    if parsed.name != rule.name:
        raise Rejected(f"A rule keeps its name: write `name: {rule.name}`, or make a new rule.")
    with transaction.atomic():
        Rule.objects.select_for_update().get(pk=rule.pk)
        newest = rule.versions.first()
        assert newest is not None, "a rule has a version from its beginning"
        if newest.text == text:
            return newest
        if newest.number != based_on:
            raise Rejected(
                f"{newest.created_by or 'A deleted user'} saved version {newest.number} in the meantime. Open the rule in another "
                "window, and copy the changes that you want to keep.",
                409,
            )
        version = _add_version(rule, newest.number + 1, parsed, text, user)
        record("rule.changed", actor=user, project_id=rule.project_id, target=rule, version=version.number)
    return version


def set_active(rule: Rule, is_active: bool, user: Any) -> None:
    """Use it in inspections from now on, or no longer. Raises Rejected."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=rule.project_id)
        active = Rule.objects.filter(project=rule.project_id, is_active=True).exclude(pk=rule.pk).count()
        if is_active and active >= MAX_RULES:
            raise Rejected(
                f"A project has {MAX_RULES} active rules at most. Switch another one off first.", 409
            )
        if Rule.objects.filter(pk=rule.pk).exclude(is_active=is_active).update(is_active=is_active):
            action = "rule.activated" if is_active else "rule.deactivated"
            record(action, actor=user, project_id=rule.project_id, target=rule)
    rule.is_active = is_active


@transaction.atomic
def pin(inspection: Inspection) -> list[dict[str, Any]]:
    """The rules of an inspection: those active now, kept with it by version; a second attempt chooses anew.

    Plain data: id, version, text.
    """
    active = Rule.objects.filter(project=inspection.journal.project_id, is_active=True)
    rules = list(active.select_related("project").prefetch_related("versions").order_by("name"))
    RuleUse.objects.filter(inspection=inspection).delete()
    RuleUse.objects.bulk_create([RuleUse(inspection=inspection, version=rule.current) for rule in rules])
    return [
        {"id": rule.detector, "version": rule.current.number, "text": rule.current.text} for rule in rules
    ]


def _add_version(rule: Rule, number: int, parsed: CheckedRule, text: str, user: Any) -> RuleVersion:
    return RuleVersion.objects.create(
        rule=rule,
        number=number,
        title=parsed.title,
        severity=parsed.severity,
        over=parsed.over,
        text=text,
        created_by=user,
    )
