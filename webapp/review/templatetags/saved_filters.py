"""Saved filters beside the filter line of a report."""

from __future__ import annotations

from typing import Any

from django import template

from webapp.review.record_filters import filters_on

register = template.Library()


@register.inclusion_tag("review/saved_filters.html", takes_context=True)
def saved_filters(context: dict[str, Any]) -> dict[str, Any]:
    """Save filter and Saved; nothing in a share."""
    page = context["page"]
    if page.source.inspection is None:
        return {}
    return filters_on(page, context["filter_line"]) | {"csrf_token": context.get("csrf_token")}
