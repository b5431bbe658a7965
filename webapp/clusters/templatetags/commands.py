"""Commands in sentences of the advisor."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from webapp.reports.typed_text import as_html, own

register = template.Library()


@register.filter
def with_commands(text: str) -> SafeString:
    """HTML with each `command` in a `code` element."""
    return as_html(own(text), has_buttons=False)
