"""Parses the text of a Protobuf file in order to print it like Wire. Anything that these rules do not cover raises NotCovered.

    file => [syntax] (package | import | option | message | enum | extend | service)*

Not covered: groups, options of a custom form, extensions inside a message, escapes in texts.
Source: ProtoParser.kt and the *Element.kt of Wire 4.9.3; how they print: elements.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark.codecs.proto_file import elements
from spark.codecs.proto_file.scanner import NotCovered, Scanner

LABELS = ("optional", "required", "repeated")
LAST_TAG = 536_870_911


def parsed(content: bytes) -> elements.ParsedProto | None:
    """None if the content is not Protobuf or uses something these rules do not cover."""
    try:
        return Parser(content.decode()).file()
    except (NotCovered, UnicodeDecodeError, RecursionError, ValueError):
        return None


class Parser:
    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text)
        self.whole = elements.ParsedProto()

    def file(self) -> elements.ParsedProto:
        scanner = self.scanner
        while True:
            documentation = scanner.documentation()
            if not scanner.peek():
                break
            if not scanner.take(";"):
                self.declaration(scanner.word(), documentation)
        if not (self.whole.types or self.whole.services or self.whole.extends or self.whole.syntax):
            raise NotCovered("nothing that a Protobuf file contains")
        self.whole.is_plain &= not scanner.has_comments
        return self.whole

    def declaration(self, label: str, documentation: list[str]) -> None:
        whole = self.whole
        if label == "syntax":
            self.scanner.need("=")
            whole.syntax = self.scanner.string()
            self.scanner.need(";")
        elif label == "package":
            whole.package = self.scanner.word()
            self.scanner.need(";")
        elif label == "import":
            self.import_()
        elif label == "option":
            whole.options.append(self.option())
            self.scanner.need(";")
        elif label == "message":
            whole.types.append(self.message(documentation))
        elif label == "enum":
            whole.types.append(self.enum(documentation))
        elif label == "extend":
            whole.extends.append(self.fields_block("extend", documentation))
        elif label == "service":
            whole.services.append(self.service(documentation))
        else:
            raise NotCovered(f"the declaration {label}")

    def import_(self) -> None:
        if self.scanner.peek() in ("'", '"'):
            self.whole.imports.append(self.scanner.string())
        elif self.scanner.word() == "public":
            self.whole.public_imports.append(self.scanner.string())
        else:
            raise NotCovered("a weak import")
        self.scanner.need(";")

    def option(self) -> str:
        """An option as Wire prints it. Raises NotCovered for values other than plain ones."""
        scanner = self.scanner
        is_custom = scanner.take("(")
        name = scanner.word()
        if is_custom:
            scanner.need(")")
            name = f"({name})"
        if (not is_custom and "." in name) or scanner.peek() == ".":
            raise NotCovered("an option of an option")
        scanner.need("=")
        if scanner.peek() in ("{", "["):
            raise NotCovered("an option that contains a list or a message")
        return f"{name} = {self.value()}"

    def value(self) -> str:
        scanner = self.scanner
        return f'"{scanner.string()}"' if scanner.peek() in ("'", '"') else scanner.word()

    def options(self) -> list[str]:
        """Options in brackets; default and json_name go last."""
        scanner = self.scanner
        options: list[str] = []
        if scanner.take("["):
            options.append(self.option())
            while scanner.take(","):
                options.append(self.option())
            scanner.need("]")
        last = ("default = ", "json_name = ")
        late = [option for name in last for option in options if option.startswith(name)]
        return [option for option in options if not option.startswith(last)] + late

    def message(self, documentation: list[str]) -> elements.ProtoMessage:
        message = elements.ProtoMessage(self.scanner.word(), documentation)
        for documentation in self.each_declaration():
            self.member(message, documentation)
        return message

    def each_declaration(self) -> Iterator[list[str]]:
        """The documentation before each declaration between braces; the caller reads the declaration itself."""
        self.scanner.need("{")
        while True:
            documentation = self.scanner.documentation()
            if self.scanner.take("}"):
                return
            if not self.scanner.take(";"):
                yield documentation

    def member(self, message: elements.ProtoMessage, documentation: list[str]) -> None:
        label = self.scanner.type_name()
        if label == "message":
            message.nested.append(self.message(documentation))
        elif label == "enum":
            message.nested.append(self.enum(documentation))
        elif label == "oneof":
            self.whole.has_oneof = True
            self.whole.is_plain = False
            message.members.append(self.fields_block("oneof", documentation))
        elif label in ("reserved", "extensions"):
            self.whole.is_plain = False
            ranges = elements.documented(documentation) + f"{label} {self.ranges()};\n"
            (message.reserved if label == "reserved" else message.extensions).append(ranges)
        elif label == "option":
            message.options.append(self.option())
            self.scanner.need(";")
        elif label in ("group", "extend"):
            raise NotCovered(f"{label} inside a message")
        else:
            message.members.append(self.field(label, documentation))

    def field(self, label: str, documentation: list[str]) -> str:
        """A field; `label` is its first word: a label or its type."""
        kind = f"{label} {self.scanner.type_name()}" if label in LABELS else label
        if kind.endswith(" group"):
            raise NotCovered("a group")
        name = self.scanner.word()
        self.scanner.need("=")
        return self.numbered(f"{kind} {name}", documentation)

    def numbered(self, head: str, documentation: list[str]) -> str:
        """The rest of a field or constant: number, options, semicolon, comment on the same line."""
        number = int(self.scanner.word(), 0)
        options = self.options()
        self.scanner.need(";")
        documentation = self.scanner.trailing(documentation)
        return f"{elements.documented(documentation)}{head} = {number}{elements.bracketed(options)};\n"

    def ranges(self) -> str:
        """What is reserved or left to extensions."""
        parts = [self.range()]
        while self.scanner.take(","):
            parts.append(self.range())
        self.scanner.need(";")
        return ", ".join(parts)

    def range(self) -> str:
        """A name, a number, or two numbers."""
        if self.scanner.peek() in ("'", '"'):
            return f'"{self.scanner.string()}"'
        first = int(self.scanner.word())
        if self.scanner.peek() in (",", ";"):
            return str(first)
        if self.scanner.word() != "to":
            raise NotCovered("a range without end")
        last = self.scanner.word()
        end = "max" if last == "max" or int(last) == LAST_TAG else str(int(last))
        return f"{first} to {end}" if end != str(first) else end

    def fields_block(self, kind: str, documentation: list[str]) -> elements.ProtoBlock:
        """A oneof or an extend: fields without blank lines between them."""
        block = elements.ProtoBlock(kind, self.scanner.word(), documentation)
        for documentation in self.each_declaration():
            label = self.scanner.type_name()
            if label == "option":
                block.options.append(self.option())
                self.scanner.need(";")
            else:
                block.members.append(self.field(label, documentation))
        return block

    def enum(self, documentation: list[str]) -> elements.Enum:
        enum = elements.Enum(self.scanner.word(), documentation)
        for documentation in self.each_declaration():
            label = self.scanner.word()
            if label == "option" and self.scanner.peek() != "=":
                enum.options.append(self.option())
                self.scanner.need(";")
            elif label == "reserved" and self.scanner.peek() != "=":
                self.whole.is_plain = False
                enum.reserved.append(f"{elements.documented(documentation)}reserved {self.ranges()};\n")
            else:
                self.scanner.need("=")
                enum.constants.append(self.numbered(label, documentation))
        return enum

    def service(self, documentation: list[str]) -> elements.ProtoBlock:
        service = elements.ProtoBlock("service", self.scanner.word(), documentation)
        for documentation in self.each_declaration():
            label = self.scanner.word()
            if label == "option":
                service.options.append(self.option())
                self.scanner.need(";")
            elif label == "rpc":
                service.members.append(self.call(documentation))
            else:
                raise NotCovered(f"{label} inside a service")
        return service

    def call(self, documentation: list[str]) -> str:
        name = self.scanner.word()
        request = self.message_type()
        if self.scanner.word() != "returns":
            raise NotCovered("a call that returns nothing")
        head = f"{elements.documented(documentation)}rpc {name} ({request}) returns ({self.message_type()})"
        if not self.scanner.take("{"):
            self.scanner.need(";")
            return f"{head};\n"
        options: list[str] = []
        while not self.scanner.take("}"):
            if self.scanner.take(";"):
                continue
            if self.scanner.word() != "option":
                raise NotCovered("a call that contains more than options")
            options.append(f"option {self.option()};\n")
            self.scanner.need(";")
        return f"{head} {{\n{elements.indented(''.join(options))}}};\n" if options else f"{head};\n"

    def message_type(self) -> str:
        self.scanner.need("(")
        name = self.scanner.word()
        if name == "stream" and self.scanner.peek() != ")":
            name = f"stream {self.scanner.word()}"
        self.scanner.need(")")
        return name
