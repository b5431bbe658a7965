"""Pages of units: docs/<folder>/<id>.md. A page may begin with facts (YAML between two lines of dashes); a detector's holds its remedies.

The folder docs/ stands beside this package, in a checkout and in the archive for executors (scripts/cluster_env.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import yaml

from spark.terms.installation import ROOT
from spark.units.remedies import Remedy, as_read, remedies, with_shared

DOCS = ROOT / "docs"
FACTS = re.compile(r"---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
WHAT_TO_DO = re.compile(r"(?<=^## What to do\n).*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"^\[[^]]*\]\((.*)\)$")
REFERENCES = "## References\n"
EXAMPLE_TITLE = re.compile(r"^(Finding: \*\*[^.*]+\*\*[^.*]*\. )\*([^*]+)\*\.?", re.MULTILINE)
SHARED = re.compile(r"^## (.*)\n+(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class UnitPage:
    """A page: its facts as they are written, and what follows them."""

    front: str
    body: str

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Of a detector: id, severities (one, or each with its case), found_in, references. Of a dialect: id, words."""
        return yaml.safe_load(self.front) or {}

    @property
    def references(self) -> list[str]:
        """What findings refer to: addresses without their titles, and texts."""
        return [LINK.sub(r"\1", text) for text in self.facts.get("references", [])]

    @cached_property
    def remedies(self) -> dict[str, Remedy]:
        """The variants of a detector's remedy by title."""
        section = WHAT_TO_DO.search(self.body)
        return remedies(section[0], shared_steps()) if section else {}

    @property
    def facts_line(self) -> str:
        """`null-key` · high · log segments; empty for pages that are not of detectors."""
        if "found_in" not in self.facts:
            return ""
        severities = self.facts["severities"]
        if isinstance(severities, Mapping):
            severities = ", ".join(f"**{severity}** {case}" for severity, case in severities.items())
        return f"`{self.facts['id']}` · {severities} · {self.facts['found_in']}"

    @property
    def markdown(self) -> str:
        """The page as it is shown: the line of facts below the title, titles of examples quoted, words for placeholders of remedies,
        all references at the end."""
        body = WHAT_TO_DO.sub(lambda section: as_read(with_shared(section[0], shared_steps())), self.body)
        if not self.facts_line:
            return body
        body = EXAMPLE_TITLE.sub(r"\1Its title contains “\2”.", body)
        title, _, text = body.lstrip().partition("\n")
        text, _, further = text.partition(REFERENCES)
        items = "\n".join(f"- {reference}" for reference in self.facts.get("references", []))
        return f"{title}\n\n{self.facts_line}\n{text.rstrip()}\n\n{REFERENCES}{items}\n{further}"


def parsed(text: str) -> UnitPage:
    """A page by its text."""
    facts = FACTS.match(text)
    return UnitPage(facts[1], text[facts.end() :]) if facts else UnitPage("", text)


@cache
def page(folder: str, id: str) -> UnitPage:
    """The page of a unit of docs/."""
    return parsed((DOCS / folder / f"{id}.md").read_text(encoding="utf-8"))


def ids(folder: str) -> list[str]:
    """Ids of all pages of a folder of docs/."""
    return sorted(path.stem for path in (DOCS / folder).glob("*.md"))


@cache
def shared_steps() -> dict[str, str]:
    """The steps of docs/steps.md by their headings."""
    return dict(SHARED.findall((DOCS / "steps.md").read_text(encoding="utf-8")))


def remedy(detector: str, variant: str = "", /, **values: Any) -> str:
    """Marked text of a detector's remedy, with these values of its placeholders and conditions."""
    return page("detectors", detector).remedies[variant].filled(values)
