"""Rewrites the names of our packages for the wheel: `spark.log` of this repository is `journalscope.spark.log` there.

Imports are rewritten, and strings that name a module of ours or a member of one (Django's settings, arguments of `python -m`).
Anything else that begins with the same word, such as Spark's own settings (`spark.master`), stays as it is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

PACKAGES = ("spark", "workers", "webapp")
HOME = "journalscope"
DOTTED = re.compile(rf"(?<![\w./-])(?:{'|'.join(PACKAGES)})(?:\.[A-Za-z_]\w*)*\.?")
STATEMENT = re.compile(rf"\b(from|import)(\s+)(?=(?:{'|'.join(PACKAGES)})\b)")


class Names:
    """The modules below a folder, and what each defines."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.members = cache(self._members)

    def rewritten(self, source: str) -> str:
        """The source of a module as it is in the wheel. Raises SyntaxError where it is none."""
        places = [*self._imports(ast.parse(source), source), *self._strings(source)]
        for start in sorted(places, reverse=True):
            source = f"{source[:start]}{HOME}.{source[start:]}"
        return source

    def is_ours(self, dotted: str) -> bool:
        """Whether a text names a module, a member of one, or the beginning of such a name (`workers.kinds.`)."""
        words = dotted.rstrip(".").split(".")
        depth = len(words)
        while depth and not self._file(words[:depth]):
            depth -= 1
        if not depth or (dotted.endswith(".") and depth != len(words)):
            return False
        return depth == len(words) > 1 or (
            depth < len(words) and words[depth] in self.members(tuple(words[:depth]))
        )

    def _file(self, words: list[str] | tuple[str, ...]) -> Path | None:
        path = self.root.joinpath(*words)
        return next(
            (file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None
        )

    def _members(self, words: tuple[str, ...]) -> set[str]:
        file = self._file(words)
        names: set[str] = set()
        for node in ast.parse(file.read_text()).body if file else ():
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    names.add(name)
                case ast.Assign(targets=targets):
                    names |= {target.id for target in targets if isinstance(target, ast.Name)}
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names.add(name)
                case ast.ImportFrom(names=aliases) | ast.Import(names=aliases):
                    names |= {alias.asname or alias.name for alias in aliases}
        return names

    def _imports(self, tree: ast.Module, source: str) -> list[int]:
        """Where the name of a package of ours begins in a statement that imports from it."""
        starts = line_starts(source)
        found = []
        for node in ast.walk(tree):
            names = (
                [node.module]
                if isinstance(node, ast.ImportFrom) and not node.level
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            if any((name or "").split(".")[0] in PACKAGES for name in names):
                assert isinstance(node, (ast.Import, ast.ImportFrom))
                if isinstance(node, ast.Import):
                    require_plain(node)
                begin = starts[node.lineno - 1] + byte_column(source, starts, node)
                match = STATEMENT.match(source, begin)
                assert match, f"line {node.lineno}: an import that cannot be rewritten"
                found.append(match.end())
        return found

    def _strings(self, source: str) -> list[int]:
        starts = line_starts(source)
        found = []
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE":
                begin = starts[token.start[0] - 1] + token.start[1]
                found += [
                    begin + match.start()
                    for match in DOTTED.finditer(token.string)
                    if self.is_ours(match.group())
                ]
        return found


def require_plain(node: ast.Import) -> None:
    """`import spark.log` binds `spark`, which is another name in the wheel: such a module has to say `as`."""
    for alias in node.names:
        if alias.name.split(".")[0] in PACKAGES and (alias.asname is None or len(node.names) > 1):
            raise SyntaxError(f"line {node.lineno}: write `import {alias.name} as ...` on a line of its own")


def line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def byte_column(source: str, starts: list[int], node: ast.stmt) -> int:
    """The node's column in characters; the parser counts bytes of UTF-8."""
    line = source[starts[node.lineno - 1] : starts[node.lineno]]
    return len(line.encode()[: node.col_offset].decode())
