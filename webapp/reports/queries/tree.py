"""The state as a tree: an id's parts are its branches (`group/artifact/2`), and types whose ids continue each other grow
in one tree (`version` below `artifact`). JSON within an id is one part, whatever it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from webapp.reports.queries.state import SOURCES, StateQuery, count_types, narrowed
from webapp.reports.results import PartitionResults, Rows

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
        """As addresses write it: `artifact`, `artifact/default/money`."""
        return self.tree if self.prefix is None else f"{self.tree}/{self.prefix}"

    def below(self, name: str) -> Branch:
        """The branch of a part behind this one."""
        return replace(self, prefix=name if self.prefix is None else f"{self.prefix}/{name}")


def branch_named(name: str) -> Branch:
    """The branch of an address."""
    tree, slash, prefix = name.partition("/")
    return Branch(tree, prefix if slash else None)


def tree_of(entity_type: str) -> str:
    """The tree in which entities of a type grow: named by the first of its types."""
    return next((types[0] for types in TOGETHER if entity_type in types), entity_type)


def types_of_tree(tree: str) -> list[str]:
    """The types that grow in it, in the order in which it counts them."""
    return list(next((types for types in TOGETHER if types[0] == tree), (tree,)))


def count_in_trees(partition: PartitionResults, query: StateQuery) -> dict[str, dict[str, int]]:
    """By tree, the entities by type of all that is asked for."""
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
    """The entities that have exactly the ids of these branches."""
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
