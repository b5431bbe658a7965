"""Pages and commands of the site that a search finds by their words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from threading import Thread
from typing import Any

from django.urls import reverse

from webapp.accounts.roles import has_role
from webapp.catalogue.docs import docs_pages, sections_of
from webapp.catalogue.groups import has_words
from webapp.catalogue.pages import SHELVES, CataloguePage, pages
from webapp.journals.models import Inspection


@dataclass(frozen=True)
class Destination:
    """A page, or something to do. `role`: the least that sees it; `words`: by which it is found besides its title."""

    title: str
    name: str = ""  # of the address
    role: str = "viewer"
    words: str = ""
    anchor: str = ""
    press: str = ""  # theme | utc | local: the script of such a switch does it
    on_report: bool = False  # its address needs an inspection

    def url(self, inspection: Inspection | None) -> str:
        if not self.name:
            return ""
        args = [inspection.pk] if self.on_report and inspection else []
        return reverse(self.name, args=args) + self.anchor

    def matches(self, words: list[str]) -> bool:
        return has_words(f"{self.title} {self.words}", words)


SUPERUSER = "superuser"
PAGES = (
    Destination("Journals", "journals", words="list dumps home"),
    Destination("Review", "review", "reviewer", "queue findings incidents"),
    Destination("Rules", "rules", "reviewer", "own detectors"),
    Destination("Clusters", "clusters", words="kafka brokers connect"),
    Destination("Captures", "captures", words="live topic"),
    Destination("Watches", "watches", words="repeat capture schedule"),
    Destination("Catalogue", "catalogue", words="detectors journal types file formats help"),
    Destination("Documentation", "docs", words="help manual"),
    Destination("Shared links", "shares", "support", "share"),
    Destination("Notifications", "notifications", words="settings mail webhook"),
    Destination("Projects", "projects", words="settings members roles"),
    Destination("Security", "mfa_index", words="settings password two-factor authentication"),
    Destination("Sessions", "sessions", words="settings devices sign out"),
    Destination("Tokens", "tokens", words="settings api key"),
    Destination("API documentation", "api", words="rest openapi schema"),
    Destination("Audit log", "audit", "admin", "events who read"),
    Destination("Storage and retention", "operations-storage", "admin", "settings disk quota legal hold"),
    Destination("Jobs", "operations-jobs", "admin", "worker queue failed running"),
    Destination("Administration", "admin:index", SUPERUSER, "accounts django"),
)
COMMANDS = (
    Destination("Upload files", "journals", "support", "drop choose dump folder inspect", "#drop-zone"),
    Destination("Paste text", "journals", "support", "clipboard dump inspect", "#paste"),
    Destination("Share this report", "share", "support", "new shared link", on_report=True),
    Destination("Switch between light and dark", words="toggle theme colour", press="theme"),
    Destination("Show times in UTC", words="time zone", press="utc"),
    Destination("Show times in local time", words="time zone", press="local"),
    Destination("Sign out", "account_logout", words="log out leave"),
)


def pages_matching(user: Any, words: list[str], inspection: Inspection | None) -> list[Destination]:
    return [page for page in PAGES if _is_for(user, page, inspection) and page.matches(words)]


def commands_matching(user: Any, words: list[str], inspection: Inspection | None) -> list[Destination]:
    return [command for command in COMMANDS if _is_for(user, command, inspection) and command.matches(words)]


def catalogue_matching(words: list[str]) -> list[CataloguePage]:
    """Pages of the catalogue by title and id."""
    every = (page for shelf in SHELVES for page in pages(shelf))
    return [page for page in every if has_words(f"{page.title} {page.name}", words)]


def docs_matching(words: list[str]) -> list[tuple[str, str, str]]:
    """Title, address and page of the pages of the documentation outside the catalogue, then of their sections; guides before
    decisions."""
    pages_of_docs = [page for page in docs_pages() if page.shelf not in SHELVES]
    titled = [page for page in pages_of_docs if has_words(page.title, words)]
    sections = [
        (section.title, f"{page.docs_address}#{section.id}", page.title)
        for page in pages_of_docs
        if page not in titled
        for section in sections_of(page)
        if section.id and has_words(f"{page.title} {section.title}", words)
    ]
    hits = [*((page.title, page.docs_address, "") for page in titled), *sections]
    return sorted(hits, key=lambda row: "/decisions/" in row[1])


@cache
def warm() -> None:
    """Read the titles of the catalogue and the documentation meanwhile: the first search of a process does not wait for them."""
    for matching in (catalogue_matching, docs_matching):
        Thread(target=matching, args=([""],), daemon=True).start()


def _is_for(user: Any, destination: Destination, inspection: Inspection | None) -> bool:
    if destination.role == SUPERUSER:
        return bool(user.is_superuser)
    if destination.on_report:
        return inspection is not None and has_role(user, destination.role, inspection.journal.project_id)
    return has_role(user, destination.role)
