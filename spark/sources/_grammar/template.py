r"""Templates of rows: the declaration's text into expressions.

    {name}          a field, spelt as its name says (`topic`, `offset`, ...)     {name:form}  spelt as this form says
    {key} {value}   any bytes: up to where their printed size or the next label says
    [text]          may be missing         \[ \] \{ \\  themselves
    {}              what stands before it shows that a row begins, and must not be cut

A space in a template is any number of blanks where `is_loose`: rows that were broken between labels read as before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from spark.sources._grammar.forms import BY_NAME, READERS, SPELT, Reader

TOKEN = re.compile(
    r"\\(?P<literal>.)|\{(?P<name>\w*)(?::(?P<form>\w+))?\}|(?P<open>\[)|(?P<close>\])|(?P<text>.)", re.S
)
FREE = ("key", "value")
LOOSE = r"\s+"
NEVER = r"(?!)"


@dataclass(frozen=True)
class RowTemplate:
    """A compiled template: segments around the fields that no expression limits. `begins`: before them."""

    segments: tuple[re.Pattern[bytes], ...]
    free: tuple[str, ...]
    begins: re.Pattern[bytes]
    names: frozenset[str] = frozenset()
    readers: dict[str, Reader] = field(default_factory=dict)
    form: str = ""  # of rows that a layout reads differently
    is_lined: bool = False  # the row ends with its line
    is_last_longest: bool = True  # the last field goes to the last place on its line where the row can end

    @cached_property
    def quick(self) -> re.Pattern[bytes] | None:
        """The whole row as one expression, each field as short as can be: right where the sizes say so or none are needed."""
        if self.readers or not self.free:
            return None
        fields = [b"(?P<%s>.*?)" % name.encode() for name in self.free]
        pieces = [
            self.segments[0].pattern,
            *(
                b"".join(pair)
                for pair in zip(fields, (segment.pattern for segment in self.segments[1:]), strict=True)
            ),
        ]
        return re.compile(b"".join(pieces), re.S)

    @property
    def is_chained(self) -> bool:
        """Whether the row ends where the next can begin, so that a field may contain line feeds without a size."""
        return not self.is_last_longest


@dataclass
class Compiling:
    """Expressions as far as a template was read."""

    is_loose: bool
    segments: list[list[str]] = field(default_factory=lambda: [[]])
    free: list[str] = field(default_factory=list)
    readers: dict[str, Reader] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    begins: str | None = None
    depth: int = 0

    def add(self, expression: str) -> None:
        self.segments[-1].append(expression)

    def literal(self, text: str) -> None:
        blank = self.is_loose and text == " "
        self.add(LOOSE if blank else re.escape(text.encode("latin-1", "replace").decode("latin-1")))

    def named(self, name: str, form: str | None) -> None:
        """A field: an expression, or the end of a segment."""
        spelt = form or BY_NAME.get(name, "text")
        if name and spelt in READERS:
            self.readers[name] = READERS[spelt]
        if name:
            self.names.append(name)
        if self.depth == 0 and (spelt in READERS or (spelt == "text" and name in FREE)):
            if self.segments[-1][-1:] == [LOOSE]:
                self.segments[-1][-1] = " ?"  # further blanks belong to the field
            self.free.append(name)
            self.segments.append([])
            return
        self.add(f"(?P<{name}>{SPELT[spelt]})" if name else f"(?:{SPELT[spelt]})")


@lru_cache(maxsize=512)
def row(template: str, form: str = "", is_loose: bool = True, begins: str = "") -> RowTemplate:
    """A template, compiled. `form`: the name of rows that their layout reads differently from the others; `begins`: an
    expression for what a template without a literal begins with."""
    compiling = Compiling(is_loose, begins=begins or None)
    if begins:
        compiling.add(f"(?={begins})")
    for match in TOKEN.finditer(template):
        take(compiling, match)
    segments = ["".join(pieces) for pieces in compiling.segments]
    begins = segments[0] if compiling.begins is None else compiling.begins
    return RowTemplate(
        tuple(re.compile(segment.encode("latin-1"), re.S) for segment in segments),
        tuple(compiling.free),
        re.compile(unnamed(begins or NEVER).encode("latin-1"), re.S),
        frozenset(compiling.names),
        compiling.readers,
        form,
    )


def take(compiling: Compiling, match: re.Match[str]) -> None:
    """One token of a template."""
    if match["open"] or match["close"]:
        compiling.depth += 1 if match["open"] else -1
        compiling.add("(?:" if match["open"] else ")?")
    elif match["name"] is None:
        compiling.literal(match["literal"] or match["text"])
    elif match["name"] or match["form"]:
        compiling.named(match["name"], match["form"])
    elif compiling.begins is None:
        compiling.begins = "".join(compiling.segments[0])


def unnamed(expression: str) -> str:
    return re.sub(r"\?P<\w+>", "?:", expression)
