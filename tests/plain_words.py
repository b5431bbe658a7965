"""Texts that users see and documentation, held against the words not to use: `words_not_to_use.txt`, one a line, matched as whole words.

Not matched: code in backticks, quoted text, addresses, names of files and whatever comes out of the data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

WORDS = Path(__file__).with_name("words_not_to_use.txt").read_text().splitlines()
ANY = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in WORDS)
UNWANTED = re.compile(rf"(?<![\w-])(?:{ANY})(?![\w-])", re.IGNORECASE)
NOT_PROSE = re.compile(r"`[^`]*`|\"[^\"]*\"|https?://\S+|\S*[/@]\S*")  # names of entities have a slash
SQL = re.compile(r"\b(?:SELECT|JOIN|WHERE|FROM|OVER|ORDER BY|GROUP BY|UNION|WITH)\b|\bcoalesce\(")


def unwanted(text: str, data: Iterable[str] = ()) -> list[str]:
    """The words not to use that stand in a text; `data`: names out of the data, which may be called anything."""
    for name in sorted(filter(None, data), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
    return [match[0] for match in UNWANTED.finditer(NOT_PROSE.sub(" ", text))]


def unwanted_in_report(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Each unwanted word in a report with its text."""
    data = names_in(report)
    return [(word, text) for text in texts_of(report) for word in unwanted(text, data)]


def texts_of(report: dict[str, Any]) -> Iterator[str]:
    """What a reader of a report is told: verdicts, coverage, findings, checks that did not run, advice."""
    yield report["verdict"]["sentence"]
    for journal in report["journals"]:
        yield journal["verdict"]["sentence"]
        yield journal.get("compaction", {}).get("sentence", "")
    yield from (*report["coverage"].get("capture", ()), *report["coverage"]["cannot_tell"])
    for finding in report["findings"]:
        yield from (finding["title"], finding["explanation"], finding["remedy"])
    yield from (entry["why"] for entry in report["not_run"])
    unrun = report["unrun_checks"]
    yield from (unrun["does_not_apply"], *unrun["better_data"], *unrun["failed"])
    for advice in report.get("format_advice", ()):
        yield advice["sentence"]
        for section in advice["sections"]:
            yield from (section["title"], *section["sentences"], *section["steps"])


def words_of_template(template: str) -> str:
    """What a template shows whatever it is given: its text, and the attributes that a reader sees or hears."""
    bare = re.sub(r"{#.*?#}|<(code|script|style)\b.*?</\1>", " ", template, flags=re.DOTALL)
    spoken = re.findall(
        r'(?:title|placeholder|aria-label|alt|data-copied|text|question|confirm|label)="([^"]*)"', bare
    )
    return re.sub(r"{%.*?%}|{{.*?}}|<[^>]*>", " ", " ".join([bare, *spoken]), flags=re.DOTALL)


def names_in(report: dict[str, Any]) -> set[str]:
    """Names of files, topics, replicas, keys and entities."""
    names = {file["name"] for file in report["files"]} | {journal["topic"] for journal in report["journals"]}
    for finding in report["findings"]:
        names |= {finding["topic"], finding["replica"], finding["key"] or "", finding["entity"] or ""}
    return names


def sentences_of(code: str) -> Iterator[tuple[int, str]]:
    """Line and text of the string constants of a module that may be sentences: no docstring, no SQL."""
    tree = ast.parse(code)
    skipped = {id(node) for node in ast.walk(tree) for node in left_out(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def unwanted_in_code(paths: Iterable[Path], root: Path) -> list[str]:
    """`path:line: word` of each unwanted word in the modules' string constants."""
    return [
        f"{path.relative_to(root)}:{line}: {word}"
        for path in paths
        for line, text in sentences_of(path.read_text())
        for word in unwanted(text)
    ]


def prose_of(markdown: str) -> str:
    """What a page says in words: code, commands and addresses of links left out, a break of line as a space."""
    return " ".join(_prose(MarkdownIt("commonmark").enable("table").parse(markdown)))


def _prose(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield "".join(_prose(token.children or []))
        elif token.type in {"softbreak", "hardbreak", "code_inline"}:
            yield " "
        elif token.type == "text":
            yield token.content


def left_out(node: ast.AST) -> Iterator[ast.AST]:
    """Constants below a node that nobody reads: its docstring, the pieces of a query, a name alone."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [one.value for one in pieces if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if any(SQL.search(text) for text in texts) or all(" " not in text.strip() for text in texts):
        yield from pieces
