"""Member names for a pair of a name and its value: `{"name": "password", "value": "…"}`.

Source: the forms of Kubernetes (`name`, `value`), Hadoop and Spring (`<property name= value=>`), Kafka's configuration
entries, plists (`<key>`), CloudFormation, Keycloak's credentials (`type`, `value`).
"""

from __future__ import annotations

import re

from spark.redaction.masking.views import folded_name

NAMES = frozenset(
    {
        "name", "names", "key", "id", "field", "property", "parameter", "param", "option", "attribute",
        "attr", "setting", "variable", "var", "header", "label", "type", "kind", "k", "n", "configname",
        "keyname", "fieldname", "paramname", "headername", "propertyname", "attributename", "variablename",
        "dt", "th", "td", "arg", "argument", "env", "symbol", "column", "path",
    }
)  # fmt: skip
VALUES = frozenset(
    {
        "v", "val", "values", "content", "contents", "data", "text", "default", "defaultvalue", "body",
        "cdata", "raw", "plain", "plaintext", "before", "after", "old", "new", "current", "previous", "is",
        "to", "from", "set", "secretdata", "stringdata", "t", "string",
    }
)  # fmt: skip
FILLERS = str.maketrans("", "", "_-.@#$: ")
NAME_BEFORE = re.compile(
    rf"(?<![a-z0-9])(?:{'|'.join(sorted(NAMES, key=len, reverse=True))})[\"'\\]{{0,4}}\s{{0,4}}(?:=>|[:=])\s{{0,4}}[\"'\\]{{0,4}}\Z"
)
VALUE_KEY = re.compile(
    r"(?<![a-z0-9])(?:[a-z_]{0,20}value|val|content|data|text|default)[\"'\\]{0,4}\s{0,4}(?:=>|[:=])"
)


def is_name_word(name: str) -> bool:
    return bare(name) in NAMES


def is_value_word(name: str) -> bool:
    word = bare(name)
    return word in VALUES or word.endswith(("value", "values"))


def bare(name: str) -> str:
    """A name without signs and XML prefix."""
    return folded_name(name).rsplit(":", 1)[-1].translate(FILLERS)
