"""Commands in sentences of the advisor."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def with_commands(text: str) -> SafeString:
    """The text with every `command` in it set apart."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone backtick is no command
        return format_html("{}", text)
    pieces = (
        format_html("<code>{}</code>", part) if number % 2 else part for number, part in enumerate(parts)
    )
    return format_html_join("", "{}", ((piece,) for piece in pieces))
