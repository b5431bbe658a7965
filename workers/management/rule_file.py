"""Rules of a file, for the command line: the same language as on the pages, with no project around it."""

from __future__ import annotations

from pathlib import Path

from spark.rules.evaluation import PREFIX, PinnedRule
from spark.rules.language import texts_of
from spark.rules.yaml_nodes import RuleError
from spark.terms.errors import UnreadableInput

NO_PROJECT = "file"  # stands where the project's name does
FIRST_VERSION = 1


def read_rules(path: Path) -> list[PinnedRule]:
    """The rules of a YAML file. Raises UnreadableInput with the line of what is wrong."""
    try:
        texts = texts_of(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UnreadableInput(f"{path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise UnreadableInput(f"{path} is not UTF-8 text.") from problem
    except RuleError as problem:
        raise UnreadableInput(f"{path}: {problem}") from problem
    return [PinnedRule(f"{PREFIX}{NO_PROJECT}/{name}", FIRST_VERSION, text) for name, text in texts]
