"""A rule's condition and the SQL it becomes (DuckDB). Column names come from the allow-list, values are bound.

A comparison with what is not there is false, never "unknown": so `not` of it is true, and `is_not` holds for null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from spark.rules.columns import ColumnReference, reading
from spark.tables.members import HEADER_TEXT, compared, has_header

Scalar = str | int | float | bool
OPERATORS: dict[str, dict[str, str]] = {
    "text": {
        "is": "{column} = {value}",
        "is_not": "{column} IS DISTINCT FROM {value}",
        "one_of": "list_contains({value}, {column})",
        "contains": "contains({column}, {value})",
        "starts": "starts_with({column}, {value})",
        "ends": "suffix({column}, {value})",
        "matches": "regexp_matches({column}, {value})",
    },
    "number": {
        "is": "{column} = {value}",
        "is_not": "{column} IS DISTINCT FROM {value}",
        "one_of": "list_contains({value}, {column})",
        "over": "{column} > {value}",
        "under": "{column} < {value}",
        "at_least": "{column} >= {value}",
        "at_most": "{column} <= {value}",
    },
    "truth": {"is": "{column} = {value}"},
}
OPERATORS["member"] = (
    OPERATORS["text"] | OPERATORS["number"]
)  # the value says whether it is compared as a number
MEMBER_OPERATORS = {"is", "is_not", "one_of", "over", "under", "at_least", "at_most"}
ORDERED = {"over": ">", "under": "<", "at_least": ">=", "at_most": "<="}
IS_NULL = "is_null"


@dataclass(frozen=True)
class ColumnComparison:
    column: str
    operator: str
    value: Scalar | tuple[Scalar, ...]
    kind: str


@dataclass(frozen=True)
class AllOf:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """The condition does not hold."""

    condition: Condition


Condition = ColumnComparison | AllOf | AnyOf | Not


@dataclass
class Compiled:
    """SQL under construction, with the values that it names as parameters."""

    over: str
    values: dict[str, object] = field(default_factory=dict)

    def bind(self, value: object) -> str:
        """Keep a value, give its parameter."""
        name = f"rule_{len(self.values)}"
        self.values[name] = value
        return f"${name}"

    def sql_of(self, condition: Condition) -> str:
        if isinstance(condition, ColumnComparison):
            return self._compared(condition)
        if isinstance(condition, Not):
            return f"(NOT {self.sql_of(condition.condition)})"
        word = " AND " if isinstance(condition, AllOf) else " OR "
        return "(" + word.join(self.sql_of(inner) for inner in condition.parts) + ")"

    def text(self, name: str, longest: int) -> str:
        """A column as text of so many characters at most."""
        return f"left(CAST({_known(self.over, name).sql(self.bind)} AS VARCHAR), {longest:d})"

    def _compared(self, test: ColumnComparison) -> str:
        reference = _known(self.over, test.column)
        if "member" in reference.kinds:
            return self._member(reference, test)
        column = reference.sql(self.bind)
        if test.operator == IS_NULL:
            return f"({column} IS {'' if test.value else 'NOT '}NULL)"
        if test.kind == "number":
            column = f"TRY_CAST({column} AS DOUBLE)" if test.column.startswith("attributes.") else column
        value = list(test.value) if isinstance(test.value, tuple) else test.value
        comparison = OPERATORS[test.kind][test.operator].format(column=column, value=self.bind(value))
        return f"coalesce({comparison}, false)"

    def _member(self, reference: ColumnReference, test: ColumnComparison) -> str:
        """As the filter language compares it; `is_null`: null or missing."""
        text = HEADER_TEXT if reference.header else reference.sql(self.bind)

        def holds(condition: str) -> str:
            inner = f"coalesce({condition}, false)"
            return f"({has_header(reference.header, inner, self.bind)})" if reference.header else inner

        if test.operator == IS_NULL:
            present = holds("true" if reference.header else f"{text} IS NOT NULL")
            return f"(NOT {present})" if test.value else present
        if test.operator in MEMBER_OPERATORS:
            values = test.value if isinstance(test.value, tuple) else (test.value,)
            operator = ORDERED.get(test.operator, "=")
            condition = holds(
                " OR ".join(compared(text, operator, *_literal(value), self.bind) for value in values)
            )
            return f"(NOT {condition})" if test.operator == "is_not" else condition
        return holds(OPERATORS["text"][test.operator].format(column=text, value=self.bind(test.value)))


def _literal(value: Scalar) -> tuple[str, float | None]:
    return str(value), None if isinstance(value, str) else value


def _known(over: str, name: str) -> ColumnReference:
    reference = reading(over, name)
    if reference is None:  # the language has refused it already
        raise ValueError(f"{name} is no column of {over}")
    return reference


def columns_of(condition: Condition) -> Sequence[str]:
    if isinstance(condition, ColumnComparison):
        return [condition.column]
    parts = (condition.condition,) if isinstance(condition, Not) else condition.parts
    return [name for inner in parts for name in columns_of(inner)]
