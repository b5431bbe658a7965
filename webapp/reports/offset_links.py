"""Offsets of one partition as links that open their record: pages hold hundreds, so what they share is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from spark.tables.replica import PartitionReplica

if TYPE_CHECKING:
    from webapp.reports.page import Page


class OffsetLinks:
    """`listed`: address of the page Records; `first`: of record 0 alone. Both may have a query."""

    def __init__(self, listed: str, first: str) -> None:
        self._listed = escape(listed + ("&" if "?" in listed else "?"))
        path, mark, query = first.partition("?")
        self._before, self._after = escape(path.removesuffix("0/")), escape(f"/{mark}{query}")

    def link(self, offset: int, text: str) -> SafeString:
        """The link of one offset; `text` is its number as it is to be read."""
        return mark_safe(  # noqa: S308 - every piece is escaped, or a number
            f'<a class="offset" href="{self._listed}record={offset}&amp;offset={offset}" data-record="{offset}" '
            f'data-record-url="{self._before}{offset}{self._after}">{escape(text)}</a>'
        )


def link_in_text(
    page: Page, offset: int, text: str, replica: PartitionReplica | None, copy: str | None = None
) -> SafeString | str:
    """The link of an offset in a sentence about a replica. `copy`: another one that the sentence names with the offset; no link
    where the report lacks it."""
    own = replica or page.replica
    named = own if copy is None else own._replace(replica=copy)
    if named != own and named not in page.survey.replicas:
        return text
    return page.offset_links(named).link(offset, text)
