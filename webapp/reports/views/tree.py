"""The State page's tree: trees of entities, their branches loaded as they are opened, what stands open kept in the address."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import Http404, HttpResponse

from spark.codecs import json_text
from webapp.reports.queries.state import StateQuery, profiles_of
from webapp.reports.queries.tree import (
    BRANCHES_PER_LOAD,
    GROWN,
    Branch,
    branch_named,
    count_in_trees,
    list_branches,
    list_themselves,
    types_of_tree,
)
from webapp.reports.results import Rows
from webapp.reports.values.attributes import line
from webapp.reports.values.committed_offsets import with_committed_offsets
from webapp.reports.views.page import Page, report_page
from webapp.reports.views.paging import whole_number
from webapp.reports.views.state_frame import entity_url, read_query, state_url, url_params

OPENED_AT_ONCE = 40  # branches that one answer opens: each is a query
FEW_TREES = 8  # opened when nobody chose
FEW_ENTITIES = 25  # all of them are shown


@dataclass
class Node:
    """A branch as the page shows it. `inside`: how many entities lie below it, by type; `more`: its next branches."""

    id: str
    branch: Branch
    name: str
    entities: list[dict[str, Any]]
    inside: list[tuple[str, int]]
    url: str
    branch_url: str
    is_open: bool = False
    nodes: list[Node] = field(default_factory=list)
    more: dict[str, Any] | None = None

    @property
    def is_lone(self) -> bool:
        """Whether nothing but its own type grows in its tree: the type goes without saying."""
        return len(types_of_tree(self.branch.tree)) == 1


@report_page
def branch(page: Page) -> HttpResponse:
    """What is below one branch, for the page that opens it."""
    profiles = profiles_of(page.partition)
    query = read_query(page, profiles) if profiles else None
    if query is None or query.shown not in GROWN:
        raise Http404("This partition has no tree of entities.")
    parent = branch_named(page.request.GET.get("node", ""))
    skip = max(0, min(whole_number(page.request.GET.get("skip")) or 0, 10_000_000))
    grower = Grower(page, replace(query, opened=""), 0)
    nodes, following = grower.below(parent, skip)
    return page.render("reports/parts/branch.html", {"nodes": nodes, "more": following, "asked": query})


def grown(page: Page, query: StateQuery) -> tuple[list[Node], int]:
    """The trees, with what stands open, and how many entities there are in all."""
    trees = count_in_trees(page.partition, query)
    total = sum(sum(counts.values()) for counts in trees.values())
    grower = Grower(page, query, total)
    return [grower.tree(name, trees[name], len(trees)) for name in _in_order(trees)], total


class Grower:
    """Makes nodes; opens those that the address names, else those that a reader would open next."""

    def __init__(self, page: Page, query: StateQuery, total: int) -> None:
        self._page, self._query = page, query
        self._opened = opened_of(query)
        self._opens_all = 0 < total <= FEW_ENTITIES
        self._left = OPENED_AT_ONCE

    def tree(self, name: str, counts: dict[str, int], trees: int) -> Node:
        """A whole tree: it has no name of its own but what grows in it."""
        here = Branch(name)
        inside = [(known, counts[known]) for known in types_of_tree(name) if known in counts]
        url = state_url(self._page, self._query, entity_type=inside[0][0], opened="")
        node = self._node(here, "", [], inside, url)
        self._open_where_due(node, trees <= FEW_TREES)
        return node

    def below(self, here: Branch, skip: int = 0) -> tuple[list[Node], dict[str, Any] | None]:
        """The branches of a branch, from one on, and what to ask for the next."""
        page, query = self._page, self._query
        rows = list_branches(page.partition, query, here, skip)
        by_name: dict[str, Rows] = {}
        for row in rows:
            by_name.setdefault(row["name"], []).append(row)
        names = list(by_name)
        rows_by_id: dict[str, Rows] = {}
        themselves = list_themselves(page.partition, query, here, names)
        for row in with_committed_offsets(page, themselves):
            rows_by_id.setdefault(row["entity_id"], []).append(row)
        nodes = [self._branch(here.below(name), name, of, rows_by_id) for name, of in by_name.items()]
        for node in nodes:
            self._open_where_due(node, len(nodes) == 1)
        names_in_all = rows[0]["names"] if rows else 0
        return nodes, self._more(here, skip + len(names), names_in_all)

    def _branch(self, here: Branch, name: str, rows: Rows, rows_by_id: dict[str, Rows]) -> Node:
        page, query = self._page, self._query
        counts = {row["entity_type"]: row["entities"] for row in rows if not row["is_itself"]}
        inside = [(known, counts[known]) for known in types_of_tree(here.tree) if known in counts]
        themselves = [self._entity(row) for row in rows_by_id.get(here.prefix or "", [])]
        return self._node(
            here, name, themselves, inside, state_url(page, query, under=here.prefix or "", opened="")
        )

    def _node(
        self,
        here: Branch,
        name: str,
        entities: list[dict[str, Any]],
        inside: list[tuple[str, int]],
        url: str,
    ) -> Node:
        identity = "branch-" + hashlib.sha256(here.name.encode()).hexdigest()[:16]
        return Node(identity, here, name, entities, inside, url, self._branch_url(here))

    def _entity(self, row: dict[str, Any]) -> dict[str, Any]:
        url = entity_url(self._page, self._query.replay, row["entity_type"], row["entity_id"])
        return row | {"url": url, "line": line(row["attributes"], row["entity_id"])}

    def _open_where_due(self, node: Node, is_next: bool) -> None:
        if node.inside and self._left > 0 and self._is_due(node, is_next):
            self._left -= 1
            node.is_open = True
            node.nodes, node.more = self.below(node.branch)

    def _is_due(self, node: Node, is_next: bool) -> bool:
        if self._opened is not None:
            return node.branch.name in self._opened
        return is_next or self._opens_all

    def _more(self, here: Branch, shown: int, in_all: int) -> dict[str, Any] | None:
        if shown >= in_all:
            return None
        url = state_url(self._page, self._query, under=here.prefix or "", layout="list", opened="")
        number = min(BRANCHES_PER_LOAD, in_all - shown)
        return {"shown": shown, "in_all": in_all, "next": number, "url": url} | {
            "branch_url": self._branch_url(here, shown)
        }

    def _branch_url(self, here: Branch, skip: int = 0) -> str:
        query = url_params(self._page, replace(self._query, number=1, opened=""))
        return self._page.url("report-state-branch", **query, node=here.name, skip=skip or None)


def opened_of(query: StateQuery) -> set[str] | None:
    """Names of the branches that the address wants open; None where it does not say."""
    try:
        names = json_text.read(query.opened) if query.opened else None
    except ValueError:
        return None
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else None


def _in_order(trees: dict[str, dict[str, int]]) -> list[str]:
    """Trees with branches first, then the others by name."""
    return sorted(trees, key=lambda name: (len(types_of_tree(name)) == 1, name))


def is_tree(query: StateQuery) -> bool:
    """Whether the tree is what is asked for: rejected entries are a list whatever the address says."""
    return query.layout == "tree" and query.shown in GROWN
