"""What a query may be: exactly one SELECT over the tables of a report and over rows that it makes itself.

DuckDB's own parser decides, so that no second grammar can be fooled. The lock of the connection
(`spark.tables.connections.lock`) refuses the same again: this says it in a sentence, with the place.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spark.tables.connections import DuckDBPyConnection, Statement

MAX_CHARACTERS = 20_000
# Functions that make rows of their arguments. All others that stand for a table read files, settings or DuckDB's own catalogue.
TABLE_FUNCTIONS = frozenset({"generate_series", "json_each", "json_tree", "range", "repeat", "unnest"})
# Scalar functions that name the server's folders or its settings, or write to DuckDB's log.
SERVER_FUNCTIONS = frozenset({"current_setting", "getenv", "getvariable", "pg_get_viewdef", "write_log"})
# Others insert, update or delete, which a common table expression may do, too.
QUERY_NODES = frozenset({"CTE_NODE", "RECURSIVE_CTE_NODE", "SELECT_NODE", "SET_OPERATION_NODE"})
CHANGES_NOTHING = "Only a SELECT that changes nothing can run."
NO_PLACE = 2**64 - 1


class SqlRefused(Exception):
    """A query that does not run. `position`: of the byte of its UTF-8 text that is meant; None if it is the whole text."""

    def __init__(self, sentence: str, position: int | None = None) -> None:
        super().__init__(sentence)
        self.position = position


def one_select(connection: DuckDBPyConnection, text: str, tables: Collection[str]) -> str:
    """The statement that the text is, as DuckDB writes it: without comments and semicolons, so that it may stand in another.
    Raises SqlRefused, or DuckDB's error where it is no SQL.

    `tables`: all that the report has.
    """
    if len(text) > MAX_CHARACTERS:
        raise SqlRefused(f"The query has {len(text):,} characters. It may have {MAX_CHARACTERS:,}.")
    statements = connection.extract_statements(text)
    if not statements:
        raise SqlRefused("Enter a query, such as SELECT count(*) FROM records.")
    if len(statements) > 1:
        raise SqlRefused(
            f"Enter one statement. This text contains {len(statements)}.", _start_of_second(text, statements)
        )
    kind = statements[0].type.name
    if kind != "SELECT":
        raise SqlRefused(f"Only a SELECT can run. This is {_article(kind)} statement.")
    serialized = _serialized(connection, text)
    tree = _tree(serialized)
    allowed = {name.lower() for name in tables} | {name.lower() for name in _names_of_ctes(tree)}
    for node in _nodes(tree):
        _require_harmless(node, allowed, tables)
    return str(_scalar(connection, "SELECT json_deserialize_sql($value::JSON)", serialized))


def _start_of_second(text: str, statements: list[Statement]) -> int:
    first = text.find(statements[0].query.strip()) + len(statements[0].query.strip())
    rest = text[first:]
    return len(text[: first + len(rest) - len(rest.lstrip(" \t\r\n;"))].encode())


def _article(kind: str) -> str:
    word = {"MULTI": "PIVOT", "LOAD": "LOAD or INSTALL"}.get(kind, kind.replace("_", " "))
    return f"{'an' if word[0] in 'AEIOU' else 'a'} {word}"


def _serialized(connection: DuckDBPyConnection, text: str) -> str:
    """What the parser makes of the text, as JSON."""
    return str(_scalar(connection, "SELECT json_serialize_sql($value::VARCHAR)", text))


def _scalar(connection: DuckDBPyConnection, query: str, value: str) -> Any:
    return connection.execute(query, {"value": value}).fetchall()[0][0]


def _tree(serialized: str) -> Any:
    try:
        tree = json.loads(serialized)
    except RecursionError:
        raise SqlRefused("The query is nested too deeply.") from None
    if tree["error"]:
        raise SqlRefused(CHANGES_NOTHING)
    return tree


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every node, without recursion: a query may be nested as deeply as its writer likes."""
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _names_of_ctes(tree: Any) -> Iterator[str]:
    for node in _nodes(tree):
        ctes = node.get("cte_map")
        if isinstance(ctes, dict):
            yield from (entry["key"] for entry in ctes["map"])
        if node.get("type") == "RECURSIVE_CTE_NODE" or "cte_name" in node:
            yield str(node.get("cte_name", ""))


def _require_harmless(node: dict[str, Any], allowed: set[str], tables: Collection[str]) -> None:
    kind, position = str(node.get("type")), _position(node)
    if kind.endswith("_NODE") and kind not in QUERY_NODES:
        raise SqlRefused(CHANGES_NOTHING)
    if kind == "BASE_TABLE":
        path = node["qualified_name"]["path"]
        if len(path) != 1 or path[0].lower() not in allowed:
            raise SqlRefused(_no_table(".".join(path), tables), position)
    elif kind == "SHOW_REF" and node["query"] is None:
        raise SqlRefused("SHOW does not run here. The schema lists the tables.", position)
    elif kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in TABLE_FUNCTIONS:
            raise SqlRefused(
                f"The function {name} does not run here: it reads more than the report.", position
            )
    elif str(node.get("function_name", "")).lower() in SERVER_FUNCTIONS:
        raise SqlRefused(f"The function {node['function_name']} does not run here.", position)


def _position(node: dict[str, Any]) -> int | None:
    position = node.get("query_location", NO_PLACE)
    return None if position == NO_PLACE else int(position)


def _no_table(name: str, tables: Collection[str]) -> str:
    close = get_close_matches(name.lower(), tables, 1)
    return f"The report has no table {name}." + (f" Did you mean {close[0]}?" if close else "")
