"""What a project uses of its quotas, for its page: the page is of accounts, which does not know journals."""

from __future__ import annotations

from django import template

from webapp.accounts.models import Project
from webapp.journals.disk import quotas

register = template.Library()


register.filter(quotas.used_bytes)


@register.filter
def started_inspections(project: Project) -> int:
    """Inspections of the last 24 hours."""
    return len(quotas.started_inspections(project))
