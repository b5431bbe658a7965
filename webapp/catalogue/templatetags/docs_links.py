"""Pages of the documentation that a text names by their path in the repository, as links."""

from __future__ import annotations

import re

from django import template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webapp.catalogue.places import address

NAMED = re.compile(r"docs/([\w/-]+\.md)")
register = template.Library()


@register.filter
def with_docs_links(text: str) -> SafeString:
    """The text, escaped, with links."""

    def link(named: re.Match[str]) -> str:
        return f'<a href="{reverse("docs-file", args=[address(named[1])])}">{named[0]}</a>'

    return mark_safe(NAMED.sub(link, escape(text)))  # noqa: S308 escaped, and a path has no other characters
