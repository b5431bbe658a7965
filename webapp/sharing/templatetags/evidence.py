"""Texts of findings in a file without scripts: commands set apart, no links."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString

from webapp.reports.typed_text import Segments, as_html

register = template.Library()


@register.filter
def commands(segments: Segments) -> SafeString:
    return as_html(segments, has_buttons=False)
