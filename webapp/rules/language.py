"""The one way from the pages to the language of rules: `spark.rules`, which loads neither Spark nor Arrow."""

from __future__ import annotations

from spark.rules.columns import NOUNS, OVER, meaning
from spark.rules.conditions import DEEPEST, MAX_COMPARISONS
from spark.rules.language import MAX_RULE, MAX_RULES, CheckedRule, parse
from spark.rules.nodes import RuleError
from spark.rules.query import fill, matches

__all__ = [
    "DEEPEST",
    "MAX_COMPARISONS",
    "MAX_RULE",
    "MAX_RULES",
    "NOUNS",
    "OVER",
    "CheckedRule",
    "RuleError",
    "fill",
    "matches",
    "meaning",
    "parse",
]
