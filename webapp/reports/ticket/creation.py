"""Where "Create ticket" leads; apart from the texts, which pipelines without a web server write too."""

from __future__ import annotations

from collections.abc import Sequence

from webapp import ticket_address
from webapp.accounts.models import Project
from webapp.reports.ticket import TicketText


def created_by(project: Project, summary: str, texts: Sequence[TicketText], link: str) -> str:
    """Address that "Create ticket" opens; empty where the project has none."""
    by_markup = {text.name: text.text for text in texts}
    return ticket_address.fill(project.ticket_template, summary=summary, texts=by_markup, url=link)
