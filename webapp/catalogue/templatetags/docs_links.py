"""Pages of the documentation that a text names by their path in the repository, as links."""

from __future__ import annotations

import re
from itertools import zip_longest

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from webapp.catalogue.places import address

NAMED = re.compile(r"docs/([\w/-]+\.md)")
register = template.Library()


@register.filter
def with_docs_links(text: str) -> SafeString:
    """The text, escaped, with links."""
    between, paths = (NAMED.split(text)[start::2] for start in (0, 1))
    links = [
        format_html('<a href="{}">docs/{}</a>', reverse("docs-file", args=[address(path)]), path)
        for path in paths
    ]
    return format_html_join("", "{}{}", zip_longest(between, links, fillvalue=""))
