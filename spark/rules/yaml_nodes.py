"""Reading a YAML tree: members, texts and plain values, each refusal with its line."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import Any

import yaml

from spark.terms.wording import listed

MAX_VALUE = 1000  # characters of a text that a column is compared with
PLAIN_TAGS = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "timestamp")}


class RuleError(ValueError):
    """A mistake in a rule: where it is, and what is allowed. For the author of the rule."""


def position_of(node: Any) -> str:
    """`Line 7`."""
    return f"Line {node.start_mark.line + 1}"


def listed_members(node: Any, noun: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Members of a mapping: name -> node, none twice and none that is not allowed."""
    if not isinstance(node, yaml.MappingNode):
        raise RuleError(
            f"{position_of(node)}: {noun} is written as `name: value` lines with {listed(allowed)}."
        )
    members: dict[str, Any] = {}
    for key, value in node.value:
        name = str(scalar(key, "name of a member"))
        if name not in allowed:
            raise RuleError(
                f"{position_of(key)}: {noun} has no member '{name[:60]}'. Allowed are {listed(allowed)}."
            )
        if name in members:
            raise RuleError(f"{position_of(key)}: {name} stands twice in {noun}.")
        members[name] = value
    return members


def scalar(node: Any, name: str) -> str | int | float | bool | None:
    """A plain value; a time as milliseconds since 1970."""
    if not isinstance(node, yaml.ScalarNode) or node.tag not in PLAIN_TAGS:
        raise RuleError(f"{position_of(node)}, {name}: write one plain value here.")
    try:
        value = yaml.SafeLoader("").construct_object(node)  # a loader remembers what it made
    except (yaml.YAMLError, ValueError, OverflowError) as problem:
        raise RuleError(f"{position_of(node)}, {name}: '{node.value[:60]}' cannot be read.") from problem
    if isinstance(value, date):
        return _milliseconds(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleError(f"{position_of(node)}, {name}: '{node.value[:60]}' is no number to compare with.")
    if isinstance(value, int) and abs(value) >= 2**63:
        raise RuleError(f"{position_of(node)}, {name}: the number is too large for any column.")
    if isinstance(value, str) and len(value) > MAX_VALUE and name not in {"text", "remedy"}:
        raise RuleError(f"{position_of(node)}, {name}: a text has {MAX_VALUE:,} characters at most here.")
    return value


def plain_text(node: Any, name: str, longest: int) -> str:
    """A text that is not empty."""
    value = scalar(node, name)
    text = "" if value is None else node.value.strip()
    if not text or len(text) > longest or "\0" in text:
        raise RuleError(f"{position_of(node)}, {name}: write a text of 1 to {longest:,} characters.")
    return text


def _milliseconds(value: date) -> int:
    moment = (
        value if isinstance(value, datetime) else datetime(value.year, value.month, value.day, tzinfo=UTC)
    )
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(aware.timestamp() * 1000)
