"""Links from a report to the dialogue that shares what is looked at, and words for what a share hides."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse

from spark.terms.wording import plural
from webapp.accounts.roles import has_role
from webapp.reports.page import absolute
from webapp.reports.ticket import headline
from webapp.sharing.scopes import shared_tabs
from webapp.sharing.words import hidden_words, sender, until

register = template.Library()
PASSING = ("record", "page", "after", "before", "offset", "copy")  # where one is in a list, not what is in it


@register.simple_tag(takes_context=True)
def share_url(context: dict[str, Any], what: str = "", of: Any = "") -> str:
    """Address of the dialogue for a key, a finding, a record, or the page that is shown; empty who may not share."""
    page = context["page"]
    inspection = page.source.inspection
    if inspection is None or not has_role(page.request.user, "support", inspection.journal.project_id):
        return ""
    scope = {"what": what, "of": of} if what else _here(page)
    return f"{reverse('share', args=[inspection.pk])}?{urlencode(page.query(**scope))}"


@register.inclusion_tag("sharing/hidden.html")
def hidden_by(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a share shows and hides, for a list."""
    masked = len(options["fields"]) + len(options["patterns"])
    return {"options": options, "is_masked": masked and (options["payloads"] or options["keys"] is True)}


@register.inclusion_tag("sharing/link_preview.html", takes_context=True)
def link_preview(context: dict[str, Any]) -> dict[str, Any]:
    """What chat programs and ticket systems show of a link: only what its pages show."""
    page = context["page"]
    more = page.report.more_incidents
    others = f" (and {plural(more, 'more incident')})" if more else ""
    word, sentence = headline(page.report)
    verdict = page.report.verdict["sentence"]
    is_said = verdict.rstrip(".").endswith(sentence.rstrip("."))
    return {
        "title": f"{word} {sentence}{others}",
        "text": f"{f'{page.report.read}.' if is_said else verdict} {until(page.source.share)}.",
        "picture": absolute(page.request, page.source.address("link-picture", ())),
    }


@register.filter
def hidden_line(options: Mapping[str, Any], length: str = "") -> str:
    """What a share hides, in a few words; `short`: in as few as fit beside other things on a phone."""
    return hidden_words(options, is_short=length == "short")


@register.filter
def sent_by(share: Any) -> str:
    """Who made it."""
    return sender(share)


@register.filter
def moment(text: str | None) -> datetime | None:
    """The time of a timestamp in the row's JSON."""
    return datetime.fromisoformat(text) if text else None


def _here(page: Any) -> dict[str, Any]:
    match = page.request.resolver_match
    name, parts = (match.url_name, match.kwargs) if match else ("", {})
    if name == "report-key":
        return {"what": "key", "of": parts["key_id"]}
    if name == "report-record":
        return {"what": "record", "of": parts["offset"]}
    if name not in shared_tabs():
        return {"what": "report"}
    filters = {key: value for key, value in page.request.GET.items() if key not in PASSING}
    return {"what": "tab", "of": name, **filters}
