"""A YAML node -> a condition, every column and operator checked against what the table has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from spark.rules.columns import ColumnReference, readable, reading
from spark.rules.condition import (
    IS_NULL,
    MEMBER_OPERATORS,
    OPERATORS,
    AllOf,
    AnyOf,
    ColumnComparison,
    Condition,
    Not,
    Scalar,
)
from spark.rules.yaml_nodes import RuleError, listed_members, position_of, scalar
from spark.terms.wording import listed

MAX_DEPTH = 10  # conditions within conditions
MAX_COMPARISONS = 50
MAX_EXPRESSION = 500
MAX_VALUES = 200  # of one_of
GROUPS = ("all", "any", "not")
FORMS = "`all: [...]`, `any: [...]`, `not: {...}` or `{column: ..., is: ...}`"


@dataclass
class ConditionParser:
    over: str
    comparisons: int = 0

    def condition(self, node: Any, path: str, depth: int = 1) -> Condition:
        """Any of the four forms."""
        if depth > MAX_DEPTH:
            raise RuleError(f"{position_of(node)}, {path}: conditions are nested {MAX_DEPTH} deep at most.")
        names = [key.value for key, _ in node.value] if isinstance(node, yaml.MappingNode) else []
        if len(names) == 1 and names[0] in GROUPS:
            return self._group(str(names[0]), node.value[0][1], path, depth)
        if "column" not in names:
            raise RuleError(f"{position_of(node)}, {path}: a condition is {FORMS}.")
        return self._comparisons(node, path)

    def _group(self, word: str, node: Any, path: str, depth: int) -> Condition:
        path = f"{path}.{word}"
        if word == "not":
            return Not(self.condition(node, path, depth + 1))
        if not isinstance(node, yaml.SequenceNode) or not node.value:
            raise RuleError(f"{position_of(node)}, {path}: write a list of conditions, each after a hyphen.")
        conditions = (
            self.condition(item, f"{path}[{number}]", depth + 1)
            for number, item in enumerate(node.value, start=1)
        )
        return AllOf(tuple(conditions)) if word == "all" else AnyOf(tuple(conditions))

    def _comparisons(self, node: Any, path: str) -> Condition:
        operators = tuple(dict.fromkeys(name for group in OPERATORS.values() for name in group))
        members = listed_members(node, "a condition on a column", ("column", *operators, IS_NULL))
        column = members.pop("column")
        name = str(scalar(column, f"{path}.column"))
        reference = reading(self.over, name)
        if reference is None:
            raise RuleError(f"{position_of(column)}, {path}: {self._no_column(name)}")
        if not members:
            raise RuleError(
                f"{position_of(node)}, {path}: what is {name} compared with? Allowed: {allowed(reference)}."
            )
        made = [
            self._comparison(reference, operator, value, f"{path}.{operator}")
            for operator, value in members.items()
        ]
        return made[0] if len(made) == 1 else AllOf(tuple(made))

    def _no_column(self, name: str) -> str:
        more = {
            "entries": ", and attributes.<member>",
            "records": ", and key.<member>, value.<member>, header.<name> and headers.<name>",
        }.get(self.over, "")
        return f"{self.over} has no column '{name[:60]}'. Allowed are {listed(readable(self.over))}{more}."

    def _comparison(
        self, reference: ColumnReference, operator: str, node: Any, path: str
    ) -> ColumnComparison:
        self.comparisons += 1
        if self.comparisons > MAX_COMPARISONS:
            raise RuleError(f"{position_of(node)}, {path}: a rule has {MAX_COMPARISONS} comparisons at most.")
        if operator == IS_NULL:
            return ColumnComparison(reference.name, operator, _value(node, path, "truth"), "truth")
        able = [kind for kind in ("text", "number", "truth", "member") if kind in reference.kinds]
        fitting = [kind for kind in able if operator in OPERATORS[kind]]
        if not fitting:
            raise RuleError(
                f"{position_of(node)}, {path}: {reference.name} is a {' or '.join(able)}; allowed: {allowed(reference)}."
            )
        # a member of attributes may be either: the value says which
        kind = "number" if "number" in fitting and (len(fitting) == 1 or _is_number(node)) else fitting[0]
        if kind == "member" and operator not in MEMBER_OPERATORS:
            kind = "text"
        value = _values(node, path, kind) if operator == "one_of" else _value(node, path, kind)
        if operator == "matches":
            _check_expression(node, path, str(value))
        return ColumnComparison(reference.name, operator, value, kind)


def allowed(reference: ColumnReference) -> str:
    return listed(
        dict.fromkeys([*(name for kind in sorted(reference.kinds) for name in OPERATORS[kind]), IS_NULL])
    )


def _is_number(node: Any) -> bool:
    first = node.value[0] if isinstance(node, yaml.SequenceNode) and node.value else node
    return str(first.tag).rpartition(":")[2] in {"int", "float"}


def _values(node: Any, path: str, kind: str) -> tuple[Scalar, ...]:
    if not isinstance(node, yaml.SequenceNode) or not 1 <= len(node.value) <= MAX_VALUES:
        raise RuleError(f"{position_of(node)}, {path}: write a list of 1 to {MAX_VALUES} values.")
    return tuple(_value(item, path, kind) for item in node.value)


def _value(node: Any, path: str, kind: str) -> Scalar:
    value = scalar(node, path)
    if kind in ("text", "member") and isinstance(value, str):
        return value
    if kind == "truth" and isinstance(value, bool):
        return value
    if kind in ("number", "member") and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    expected = {
        "text": "a text, in quotes",
        "number": "a number or a time",
        "truth": "true or false",
        "member": "a text, in quotes, or a number",
    }[kind]
    raise RuleError(f"{position_of(node)}, {path}: write {expected} here, not '{str(node.value)[:60]}'.")


def _check_expression(node: Any, path: str, expression: str) -> None:
    if len(expression) > MAX_EXPRESSION:
        raise RuleError(
            f"{position_of(node)}, {path}: an expression has {MAX_EXPRESSION} characters at most."
        )
    # Only rules with expressions pay for Arrow.
    from spark.tables.connections import TASK, connect
    from spark.tables.store import QueryError

    try:
        connect(TASK).execute("SELECT regexp_matches('', $expression)", {"expression": expression})
    except QueryError as problem:
        why = str(problem).rpartition("Error: ")[2]
        raise RuleError(
            f"{position_of(node)}, {path}: this is no regular expression (RE2): {why}."
        ) from problem
