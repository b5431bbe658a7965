"""The state as trees of entities. Branches are loaded as they are opened; the address keeps what is open.

The parts of an id are branches (`group/artifact/2`), and types whose ids continue each other grow in one tree (`version` below
`artifact`). JSON within an id is one part, whatever it contains.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import Http404, HttpResponse

from spark.codecs import json_text
from webapp.reports.page import Page, report_page
from webapp.reports.pages._state_frame import entity_url, read_query, state_url, url_params
from webapp.reports.paging import whole_number
from webapp.reports.queries.state import SOURCES, StateQuery, count_types, narrowed, profiles_of
from webapp.reports.results import PartitionResults, Rows
from webapp.reports.values.attributes import line
from webapp.reports.values.committed_offsets import with_committed_offsets

OPENED_AT_ONCE = 40  # branches that one answer opens: each is a query
FEW_TREES = 8  # opened when nobody chose
FEW_ENTITIES = 25  # all of them are shown
BRANCHES_PER_LOAD = 200
# In the order in which a tree counts them; a type that is in none of them has a tree of its own.
TOGETHER = (
    (
        "group",
        "artifact",
        "version",
        "group-rule",
        "artifact-rule",
        "branch",
        "group-member",
        "group-topology",
        "offset-commit",
    ),
    ("schema", "config", "mode"),
    ("connector", "task", "target-state", "connector-status", "task-status", "topic-status"),
    ("topic", "partition"),
    ("database", "table"),
)
GROWN = ("held", "gone")  # of what is shown of a state, what grows in trees
# The part of an id behind a prefix, up to the next "/"; from a "{" on nothing parts any more.
REST = "substr(entity_id, $start::BIGINT)"
HEAD = f"split_part({REST}, '{{', 1)"
NAME = f"CASE WHEN contains({HEAD}, '/') THEN split_part({HEAD}, '/', 1) ELSE {REST} END"
NUMBERS_FIRST = "TRY_CAST(name AS BIGINT), name"
NAMES = f"""
WITH found AS (SELECT entity_type, {NAME} AS name, {REST} AS rest FROM ({{source}})),
     shown AS (SELECT name, count(*) OVER () AS names FROM found GROUP BY name
               ORDER BY {NUMBERS_FIRST} LIMIT {BRANCHES_PER_LOAD} OFFSET $skip)
SELECT * FROM (
    SELECT name, entity_type, rest = name AS is_itself, count(*) AS entities, any_value(names) AS names
    FROM found JOIN shown USING (name) GROUP BY ALL
) ORDER BY {NUMBERS_FIRST}, entity_type
"""
THEMSELVES = "SELECT * FROM ({source}) WHERE entity_id IN (SELECT unnest($ids)) ORDER BY entity_type"
COUNTS = "SELECT entity_type, count(*) AS entities FROM ({source}) GROUP BY ALL ORDER BY entity_type"


@dataclass(frozen=True)
class Branch:
    """A place in the tree: which tree, and the beginning of the ids; None at the tree's foot."""

    tree: str
    prefix: str | None = None

    @property
    def name(self) -> str:
        """Name in addresses: `artifact`, `artifact/default/money`."""
        return self.tree if self.prefix is None else f"{self.tree}/{self.prefix}"

    def below(self, name: str) -> Branch:
        """The branch `name` below this one."""
        return replace(self, prefix=name if self.prefix is None else f"{self.prefix}/{name}")


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
    """Fragment: the branches below one branch."""
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
    """The trees with their open branches, and the number of entities in all."""
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
        here = Branch(name)
        inside = [
            (entity_type, counts[entity_type]) for entity_type in types_of_tree(name) if entity_type in counts
        ]
        url = state_url(self._page, self._query, entity_type=inside[0][0], opened="")
        node = self._node(here, "", [], inside, url)
        self._open_where_due(node, trees <= FEW_TREES)
        return node

    def below(self, here: Branch, skip: int = 0) -> tuple[list[Node], dict[str, Any] | None]:
        """Branches below a branch, from number `skip` on, and the parameters of the next request."""
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
        inside = [
            (entity_type, counts[entity_type])
            for entity_type in types_of_tree(here.tree)
            if entity_type in counts
        ]
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

    def _more(self, here: Branch, loaded: int, in_all: int) -> dict[str, Any] | None:
        if loaded >= in_all:
            return None
        url = state_url(self._page, self._query, under=here.prefix or "", layout="list", opened="")
        number = min(BRANCHES_PER_LOAD, in_all - loaded)
        return {"shown": loaded, "in_all": in_all, "next": number, "url": url} | {
            "branch_url": self._branch_url(here, loaded)
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


def branch_named(name: str) -> Branch:
    tree, slash, prefix = name.partition("/")
    return Branch(tree, prefix if slash else None)


def tree_of(entity_type: str) -> str:
    """The tree in which entities of a type grow: named by the first of its types."""
    return next((types[0] for types in TOGETHER if entity_type in types), entity_type)


def types_of_tree(tree: str) -> list[str]:
    """Types of a tree, in the order in which it counts them."""
    return list(next((types for types in TOGETHER if types[0] == tree), (tree,)))


def count_in_trees(partition: PartitionResults, query: StateQuery) -> dict[str, dict[str, int]]:
    """By tree: number of entities by type."""
    counts: dict[str, dict[str, int]] = {}
    for row in _counts(partition, query):
        counts.setdefault(tree_of(row["entity_type"]), {})[row["entity_type"]] = row["entities"]
    return counts


def _counts(partition: PartitionResults, query: StateQuery) -> Rows:
    if query.shown == "held" and not query.is_narrowed:  # the page counts these anyway
        return count_types(partition, query)
    source, values = _source(query)
    return partition.rows(COUNTS.replace("{source}", source), values)


def list_branches(partition: PartitionResults, query: StateQuery, branch: Branch, skip: int = 0) -> Rows:
    """Branches of a branch: of each name and type how many entities there are, `is_itself` or below it; `names` in all."""
    source, values = _source(query, branch)
    start = 1 if branch.prefix is None else len(branch.prefix) + 2
    return partition.rows(NAMES.replace("{source}", source), values | {"start": start, "skip": skip})


def list_themselves(partition: PartitionResults, query: StateQuery, branch: Branch, names: list[str]) -> Rows:
    """Entities whose ids are exactly those of the branches."""
    source, values = _source(query, branch)
    ids = [branch.below(name).prefix for name in names]
    return partition.rows(THEMSELVES.replace("{source}", source), values | {"ids": ids}) if ids else []


def _source(query: StateQuery, branch: Branch | None = None) -> tuple[str, dict[str, Any]]:
    condition, values = narrowed(query)
    if branch is not None:
        condition += " AND entity_type IN (SELECT unnest($types))"
        values |= {"types": types_of_tree(branch.tree)}
        if branch.prefix is not None:
            condition += " AND starts_with(entity_id, $prefix)"
            values |= {"prefix": branch.prefix + "/"}
    return SOURCES[query.shown].replace("{condition}", condition), values
