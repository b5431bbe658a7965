"""How Wire prints the parts of a Protobuf file.

Members of a message are separated by blank lines, those of an enum, oneof or extend are not. Every inner line is indented
by two spaces, even a blank one. Source: *Element.kt and Util.kt of wire-schema, 4.5.4.
"""

from __future__ import annotations

from dataclasses import dataclass, field


def indented(text: str) -> str:
    """Each line two spaces further in."""
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return "".join(f"  {line}\n" for line in lines)


def documented(documentation: list[str]) -> str:
    """Documentation as line comments."""
    return "".join(f"// {line}".rstrip(" ") + "\n" if not line else f"// {line}\n" for line in documentation)


def bracketed(options: list[str]) -> str:
    """Options of a field, constant or range: a single one on the same line, several on lines of their own."""
    if not options:
        return ""
    if len(options) == 1:
        return f" [{options[0]}]"
    last = len(options) - 1
    lines = (f"  {option}{',' if number < last else ''}\n" for number, option in enumerate(options))
    return f" [\n{''.join(lines)}]"


def option_lines(options: list[str]) -> str:
    """Options as declarations of their own, indented."""
    return "".join(f"  option {option};\n" for option in options)


@dataclass
class ProtoBlock:
    kind: str
    name: str
    documentation: list[str]
    options: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)

    def text(self, oneofs_last: bool = False) -> str:
        options = f"\n{option_lines(self.options)}" if self.options else ""
        members = "\n" + "".join(indented(member) for member in self.members) if self.members else ""
        return f"{documented(self.documentation)}{self.kind} {self.name} {{{options}{members}}}\n"


@dataclass
class Enum:
    name: str
    documentation: list[str]
    reserved: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)

    def text(self, oneofs_last: bool = False) -> str:
        inside = "".join(indented(line) for line in self.reserved) + option_lines(self.options)
        inside += "".join(indented(constant) for constant in self.constants)
        opening = "\n" if inside else ""
        return f"{documented(self.documentation)}enum {self.name} {{{opening}{inside}}}\n"


@dataclass
class ProtoMessage:
    """A message; `members` are fields and oneofs in source order."""

    name: str
    documentation: list[str]
    reserved: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    members: list[str | ProtoBlock] = field(default_factory=list)
    extensions: list[str] = field(default_factory=list)
    nested: list[ProtoMessage | Enum] = field(default_factory=list)

    def text(self, oneofs_last: bool = False) -> str:
        parts = [documented(self.documentation), f"message {self.name} {{"]
        parts += ["\n", *(indented(line) for line in self.reserved)] if self.reserved else []
        parts += ["\n", option_lines(self.options)] if self.options else []
        parts += [f"\n{indented(text)}" for text in self.member_texts(oneofs_last)]
        parts += ["\n", *(indented(line) for line in self.extensions)] if self.extensions else []
        parts += [f"\n{indented(inner.text(oneofs_last))}" for inner in self.nested]
        return "".join([*parts, "}\n"])

    def member_texts(self, oneofs_last: bool) -> list[str]:
        """Fields and oneofs as texts, in the order of the version."""
        members = self.members
        if oneofs_last:
            members = sorted(members, key=lambda member: isinstance(member, ProtoBlock))
        return [member if isinstance(member, str) else member.text() for member in members]


@dataclass
class ParsedProto:
    """A parsed file. `is_plain`: every version of Wire prints it alike, so its canonical text is certain."""

    syntax: str | None = None
    package: str | None = None
    imports: list[str] = field(default_factory=list)
    public_imports: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    types: list[ProtoMessage | Enum] = field(default_factory=list)
    extends: list[ProtoBlock] = field(default_factory=list)
    services: list[ProtoBlock] = field(default_factory=list)
    is_plain: bool = True
    has_oneof: bool = False

    def text(self, oneofs_last: bool = False) -> bytes:
        """The canonical text; `oneofs_last`: as Wire before 4.3 printed it."""
        parts = ["// Proto schema formatted by Wire, do not edit.\n// Source: \n"]
        parts += [f'\nsyntax = "{self.syntax}";\n'] if self.syntax else []
        parts += [f"\npackage {self.package};\n"] if self.package else []
        imports = [f'import "{name}";\n' for name in self.imports]
        imports += [f'import public "{name}";\n' for name in self.public_imports]
        parts += ["\n", *imports] if imports else []
        parts += ["\n", *(f"option {option};\n" for option in self.options)] if self.options else []
        blocks = [*self.types, *self.extends, *self.services]
        parts += [f"\n{block.text(oneofs_last)}" for block in blocks]
        return "".join(parts).encode()
