"""One form for Avro schemas that differ only in how they are written: names in full, no property of Java's strings.

Docs, aliases, defaults and other properties stay. Source: Avro specification, "Names"; the Maven plugin's `stringType`.
"""

from __future__ import annotations

from typing import Any

PRIMITIVES = frozenset(("null", "boolean", "int", "long", "float", "double", "bytes", "string"))
NAMED = frozenset(("record", "error", "enum", "fixed"))
JAVA_STRING = "avro.java.string"
MAX_DEPTH = 100


def in_full(schema: Any, namespace: str = "", depth: int = 0) -> Any:
    """The schema with full names, `{"type": "int"}` as `"int"`."""
    if depth > MAX_DEPTH:
        return schema
    if isinstance(schema, list):
        return [in_full(branch, namespace, depth + 1) for branch in schema]
    if isinstance(schema, str):
        return schema if schema in PRIMITIVES or "." in schema or not namespace else f"{namespace}.{schema}"
    if not isinstance(schema, dict):
        return schema
    members = {name: member for name, member in schema.items() if name != JAVA_STRING}
    kind = members.get("type")
    if len(members) == 1 and "type" in members and kind not in NAMED:
        return in_full(kind, namespace, depth + 1)
    if kind in NAMED if isinstance(kind, str) else False:
        members["name"], namespace = full_name(members, namespace)
        members.pop("namespace", None)
    for name in ("items", "values"):
        if name in members:
            members[name] = in_full(members[name], namespace, depth + 1)
    if isinstance(kind, dict | list):
        members["type"] = in_full(kind, namespace, depth + 1)
    if isinstance(fields := members.get("fields"), list):
        members["fields"] = [of_field(field, namespace, depth + 1) for field in fields]
    return members


def full_name(members: dict[str, Any], namespace: str) -> tuple[Any, str]:
    """The name of a type, and the namespace of the names in it."""
    name, own = members.get("name"), members.get("namespace", namespace)
    if not isinstance(name, str) or not isinstance(own, str):
        return name, namespace
    if "." in name:
        return name, name.rpartition(".")[0]
    return (f"{own}.{name}" if own else name), own


def of_field(field: Any, namespace: str, depth: int) -> Any:
    if not isinstance(field, dict):
        return field
    members = {**field, "type": in_full(field.get("type"), namespace, depth)}
    if members.get("order") == "ascending":
        del members["order"]
    return members
