"""Texts of findings in a file without scripts: commands set apart, no links."""

from __future__ import annotations

from django import template
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def commands(text: str | None) -> SafeString:
    """A text with what stands between backticks as code; a lone backtick is a sign like any other."""
    pieces = (text or "").split("`")
    if len(pieces) % 2 == 0:
        return conditional_escape(text or "")
    shown = (
        format_html("<code>{}</code>", piece) if number % 2 else conditional_escape(piece)
        for number, piece in enumerate(pieces)
    )
    return mark_safe("".join(shown))  # noqa: S308 - every piece is escaped
