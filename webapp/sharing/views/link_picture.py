"""Pictures for chat programs and ticket systems that show a preview of a link."""

from __future__ import annotations

from django.http import HttpResponse

from spark.terms.damage import output_title, records_in_copies
from spark.terms.wording import offset_range, plural
from webapp.reports.page import Page
from webapp.reports.ticket import headline
from webapp.sharing.evidence.strip import strips_of
from webapp.sharing.link_card import LinkCard, png_of
from webapp.sharing.words import until


def picture(page: Page) -> HttpResponse:
    """The verdict as a card, from the link's own tables."""
    replica, report = page.replica, page.report
    strip = strips_of(page.results).get(replica)
    flags = {
        finding.flag_offset: finding.severity
        for finding in reversed(report.causes)
        if finding.flag_offset is not None and finding.is_about(replica)
    }
    read = plural(sum(strip.records), "record") if strip else records_in_copies(report.coverage)
    journal = output_title(report.coverage) or f"{replica.name}: {read}"
    journal += f", {offset_range(strip.first, strip.last)}" if strip else ""
    more = f"{plural(report.more_incidents, 'more incident')}. " if report.more_incidents else ""
    card = LinkCard(
        report.verdict["level"],
        *headline(report),
        journal,
        f"{more}{until(page.source.share, is_short=True)}",
        strip,
        tuple(sorted(flags.items())),
    )
    return HttpResponse(png_of(card), content_type="image/png")
