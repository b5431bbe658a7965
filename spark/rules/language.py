"""A rule as people write it, in YAML (docs/rules.md); what cannot be read says where, and what is allowed.

    rule      => name title severity over when text remedy
    condition => {all: [condition...]} | {any: [condition...]} | {not: condition} | {column: name, operator: value...}

YAML is read by PyYAML's safe loader, as a tree with line numbers; anchors and tags have no place in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from spark.rules.columns import OVER, readable, reading
from spark.rules.condition import Condition
from spark.rules.conditions import ConditionParser
from spark.rules.yaml_nodes import RuleError, listed_members, plain_text, position_of, scalar
from spark.terms.findings import SEVERITIES, Severity
from spark.terms.wording import listed

MAX_RULE = 20_000  # characters of one rule
MAX_TEXT = 50  # lists and maps within each other, more than conditions can make of them
MAX_RULES = 50  # in one file, and active in one project
MAX_LENGTHS = {"name": 40, "title": 150, "text": 2000, "remedy": 4000}
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
PLACEHOLDER = re.compile(r"\{([^{}\s]{1,210})\}")
COUNT = "count"  # the one placeholder that is no column
MEMBERS = ("name", "title", "severity", "over", "when", "text", "remedy")
RULE_SEVERITIES = tuple(severity for severity in SEVERITIES if severity != "info")


@dataclass(frozen=True)
class CheckedRule:
    """One rule, checked: every column is known and every value fits its column."""

    name: str
    title: str
    severity: Severity
    over: str
    when: Condition
    text: str
    remedy: str

    @property
    def columns_in_text(self) -> list[str]:
        return list(dict.fromkeys(name for name in PLACEHOLDER.findall(self.text) if name != COUNT))


def parse(text: str) -> CheckedRule:
    """One rule. Raises RuleError, a sentence."""
    rules = parse_all(text)
    if len(rules) != 1:
        raise RuleError(f"This is one rule, not {len(rules)}. Write each rule on a separate page.")
    return rules[0]


def parse_all(text: str) -> list[CheckedRule]:
    """The rules of a file: one mapping, or a list of them. Raises RuleError."""
    if len(text) > MAX_RULE * MAX_RULES:
        raise RuleError(f"Rules have {MAX_RULE * MAX_RULES:,} characters at most; these have {len(text):,}.")
    root = _tree(text)
    nodes = root.value if isinstance(root, yaml.SequenceNode) else [root]
    if not 1 <= len(nodes) <= MAX_RULES:
        raise RuleError(f"A file contains 1 to {MAX_RULES} rules. This file contains {len(nodes)}.")
    rules = [_rule(node) for node in nodes]
    names = [rule.name for rule in rules]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise RuleError(f"Two rules have the name {twice[0]}. Give each rule a unique name.")
    return rules


def texts_of(text: str) -> list[tuple[str, str]]:
    """The rules of a file: name, and its own YAML. Raises RuleError."""
    rules = parse_all(text)
    root = _tree(text)
    nodes = root.value if isinstance(root, yaml.SequenceNode) else [root]
    return [
        (rule.name, yaml.serialize(node, Dumper=yaml.SafeDumper, allow_unicode=True))
        for rule, node in zip(rules, nodes, strict=True)
    ]


def _tree(text: str) -> yaml.Node:
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_TEXT:
                raise RuleError(f"{position_of(event)}: this is nested too deeply for a rule.")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise RuleError(
                    f"{position_of(event)}: anchors (&) and aliases (*) have no place in a rule; "
                    "write it out, and put texts that begin with & or * in quotes."
                )
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        position = f"Line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise RuleError(f"{position}this is not YAML: {problem.problem or problem.context}.") from problem
    except yaml.YAMLError as problem:
        raise RuleError(f"This is not YAML: {problem}.") from problem
    if root is None:
        raise RuleError(f"The rule is empty. It needs {listed(MEMBERS)}.")
    return root


def _rule(node: Any) -> CheckedRule:
    members = listed_members(node, "a rule", MEMBERS)
    missing = [name for name in MEMBERS if name not in members]
    if missing:
        raise RuleError(f"{position_of(node)}: the rule lacks {listed(missing)}. It needs {listed(MEMBERS)}.")
    if node.end_mark.index - node.start_mark.index > MAX_RULE:
        raise RuleError(f"{position_of(node)}: a rule has {MAX_RULE:,} characters at most.")
    texts = {name: plain_text(members[name], name, longest) for name, longest in MAX_LENGTHS.items()}
    if not NAME.fullmatch(texts["name"]):
        raise RuleError(
            f"{position_of(members['name'])}, name: '{texts['name']}' must be of small letters, digits and hyphens, such as "
            "large-values. It stays the same through all versions."
        )
    over = _one_of(members["over"], "over", tuple(OVER))
    when = ConditionParser(over).condition(members["when"], "when")
    _check_placeholders(texts["text"], members["text"], over)
    severity: Any = _one_of(members["severity"], "severity", RULE_SEVERITIES)
    return CheckedRule(texts["name"], texts["title"], severity, over, when, texts["text"], texts["remedy"])


def _one_of(node: Any, name: str, allowed: tuple[str, ...]) -> str:
    value = scalar(node, name)
    if value not in allowed:
        raise RuleError(f"{position_of(node)}, {name}: '{value}' is not one of {listed(allowed, 'or')}.")
    return str(value)


def _check_placeholders(text: str, node: Any, over: str) -> None:
    for name in PLACEHOLDER.findall(text):
        if name != COUNT and reading(over, name) is None:
            raise RuleError(
                f"{position_of(node)}, text: {{{name}}} is no column of {over}. Allowed are {COUNT}, {listed(readable(over))}."
            )
