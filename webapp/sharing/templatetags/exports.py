"""Links from the Records page to the exports of what it lists."""

from __future__ import annotations

from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from webapp.accounts.roles import has_role
from webapp.reports.filters.former import FILTERS
from webapp.sharing.exports.views import LAYOUTS

register = template.Library()


@register.inclusion_tag("sharing/exports.html", takes_context=True)
def export_menu(context: dict[str, Any]) -> dict[str, Any]:
    """One link for each layout, with the filters of the page; none for who may only read."""
    page = context["page"]
    inspection = page.source.inspection
    if inspection and not has_role(page.request.user, "support", inspection.journal.project_id):
        return {"links": []}
    filters = {name: page.request.GET.get(name) for name in FILTERS}
    links = [
        (page.url("report-records-export", layout.name, **filters), layout.title)
        for layout in LAYOUTS.values()
    ]
    return {"links": links, "most": settings.EXPORT_MAX_RECORDS}


@register.simple_tag(takes_context=True)
def evidence_button(context: dict[str, Any]) -> SafeString | str:
    """To the bundle: the form of an inspection for those who may share, the download of a share; else nothing."""
    page = context["page"]
    inspection = page.source.inspection
    if inspection is None:
        address, download = page.url("report-evidence"), " download"
    elif has_role(page.request.user, "support", inspection.journal.project_id):
        address, download = reverse("evidence", args=[inspection.pk]), ""
    else:
        return ""
    return format_html('<a class="btn" href="{}"{}>Evidence</a>', address, download)
