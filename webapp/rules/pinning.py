"""The rules of an inspection: those active when a worker takes it up, kept with it by version."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from webapp.journals.models import Inspection
from webapp.rules.models import Rule, RuleUse


@transaction.atomic
def pin(inspection: Inspection) -> list[dict[str, Any]]:
    """Choose and keep them; a second attempt chooses anew. Plain data: id, version, text."""
    active = Rule.objects.filter(project=inspection.journal.project_id, is_active=True)
    rules = list(active.select_related("project").prefetch_related("versions").order_by("name"))
    RuleUse.objects.filter(inspection=inspection).delete()
    RuleUse.objects.bulk_create([RuleUse(inspection=inspection, version=rule.current) for rule in rules])
    return [
        {"id": rule.detector, "version": rule.current.number, "text": rule.current.text} for rule in rules
    ]
