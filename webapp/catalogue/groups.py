"""Pages of the catalogue in groups: checks by the journals in which they look, worst first; all narrowed by words and severity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from webapp.catalogue.pages import SHELVES, CataloguePage, pages

SEVERITIES = ("critical", "high", "medium", "low", "info")
EVERY_TOPIC = "Every topic: log segments and dumps"
# the first that the input of a check names
JOURNALS = {
    "Apicurio Registry": r"Apicurio",
    "Schema registries": r"[Ss]chema registr|_schemas",
    "Kafka Connect, MirrorMaker, Debezium, ksqlDB": r"Connect|MirrorMaker|Debezium|ksqlDB",
    "Consumer groups and share groups": r"__consumer_offsets|__share_group_state",
    "Transactions": r"__transaction_state|producer snapshots",
    "Controllers and tiered storage": r"__cluster_metadata|__remote_log_metadata",
    "Topics of applications": r"^topics (of|with)|[Dd]ead-letter|spring-kafka|compacted topics",
}


class CatalogueGroup(NamedTuple):
    """`shelf`: the first group of a shelf carries its anchor."""

    shelf: str
    title: str
    pages: list[CataloguePage]

    @property
    def worst(self) -> list[tuple[str, int]]:
        """How many of its checks have each severity as their highest, worst first."""
        counts = Counter(_rank(page) for page in self.pages if page.severities)
        return [(SEVERITIES[rank], counts[rank]) for rank in sorted(counts) if rank < len(SEVERITIES)]


def groups(words: str = "", severity: str = "") -> list[CatalogueGroup]:
    """Of all shelves in order; groups without a matching page are left out. What matches by its title comes first."""
    sought = words.casefold().split()
    shelves: list[CatalogueGroup] = []
    for shelf, title in SHELVES.items():
        matching = [page for page in pages(shelf) if _matches(page, sought, severity)]
        parts = _by_journal(matching) if shelf == "detectors" else [CatalogueGroup(shelf, title, matching)]
        ranked = [group._replace(pages=_titled_first(group.pages, sought)) for group in parts if group.pages]
        shelves += sorted(ranked, key=lambda group: not _is_titled(group.pages[0], sought))
    return shelves


def _matches(page: CataloguePage, words: Iterable[str], severity: str) -> bool:
    text = f"{page.title} {page.name} {page.lead} {page.found_in}"
    return has_words(text, words) and (not severity or severity in page.severities)


def _titled_first(matching: list[CataloguePage], words: Iterable[str]) -> list[CataloguePage]:
    return sorted(matching, key=lambda page: not _is_titled(page, words))


def _is_titled(page: CataloguePage, words: Iterable[str]) -> bool:
    return has_words(f"{page.title} {page.name}", words)


def has_words(text: str, words: Iterable[str]) -> bool:
    """Whether a word of the text begins with each of them; they are case folded."""
    text = text.casefold()
    return all(re.search(rf"(?<![0-9a-z]){re.escape(word)}", text) for word in words)


def _by_journal(checks: list[CataloguePage]) -> list[CatalogueGroup]:
    titles = [EVERY_TOPIC, *JOURNALS]
    members: dict[str, list[CataloguePage]] = {title: [] for title in titles}
    for page in checks:
        members[journal_of(page.found_in)].append(page)
    return [CatalogueGroup("detectors", title, sorted(members[title], key=_worst)) for title in titles]


def journal_of(found_in: str) -> str:
    """Title of the group of a check that looks there."""
    return next((title for title, words in JOURNALS.items() if re.search(words, found_in)), EVERY_TOPIC)


def _worst(page: CataloguePage) -> tuple[int, str]:
    return _rank(page), page.title.lower()


def _rank(page: CataloguePage) -> int:
    """Of its highest severity; the lowest of all for a page without one."""
    ranks = [SEVERITIES.index(severity) for severity in page.severities if severity in SEVERITIES]
    return min(ranks, default=len(SEVERITIES))
