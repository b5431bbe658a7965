"""The one way from the pages to the language of rules: `spark.rules`, which loads neither Spark nor Arrow."""

from __future__ import annotations

from spark.rules.columns import NOUNS, OVER, meaning
from spark.rules.conditions import DEEPEST, MOST_COMPARISONS
from spark.rules.language import LONGEST_RULE, MOST_RULES, Rule, parse
from spark.rules.nodes import RuleError
from spark.rules.query import fill, matches

__all__ = [
    "DEEPEST",
    "LONGEST_RULE",
    "MOST_COMPARISONS",
    "MOST_RULES",
    "NOUNS",
    "OVER",
    "Rule",
    "RuleError",
    "fill",
    "matches",
    "meaning",
    "parse",
]
