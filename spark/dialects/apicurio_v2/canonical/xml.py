"""XML in canonical form, comments left out: C14N 1.0, inclusive, of a whole document.

Namespace declarations come before the attributes, by prefix; attributes by namespace and name; no XML declaration.
Not attempted: a document with a DOCTYPE, which may define attributes and entities, and one that nests too deep.
Source: Canonical XML 1.0 (W3C); XmlContentCanonicalizer.java 2.5.8.Final.
"""

from __future__ import annotations

from xml.parsers import expat

XMLNS = "xmlns"
MAX_DEPTH = 500  # elements within elements: each may bring namespaces of its own


class NotTried(ValueError):
    """A document that is not attempted."""


def canonical(content: bytes) -> bytes | None:
    """The canonical bytes; None if the document is unreadable or not attempted."""
    writer = Writer()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.StartDoctypeDeclHandler = refuse_doctype
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    parser.ProcessingInstructionHandler = writer.instruction
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError):
        return None
    return "".join(writer.out).encode()


def refuse_doctype(*_: object) -> None:
    """Parser callback for a DOCTYPE."""
    raise NotTried


class Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self.scopes: list[dict[str, str]] = [{"": "", "xml": "http://www.w3.org/XML/1998/namespace"}]
        self.ended = False

    def start(self, name: str, attributes: list[str]) -> None:
        pairs = list(zip(attributes[::2], attributes[1::2], strict=True))
        declared = {key.partition(":")[2]: value for key, value in pairs if is_declaration(key)}
        outer = self.scopes[-1]
        if len(self.scopes) > MAX_DEPTH:
            raise NotTried
        scope = outer | declared if declared else outer
        self.scopes.append(scope)
        self.out.append(f"<{name}")
        for prefix, uri in sorted(declared.items()):
            if outer.get(prefix) != uri:
                self.out.append(f' {XMLNS}{":" if prefix else ""}{prefix}="{attribute_text(uri)}"')
        own = [(key, value) for key, value in pairs if not is_declaration(key)]
        for key, value in sorted(own, key=lambda pair: order(pair[0], scope)):
            self.out.append(f' {key}="{attribute_text(value)}"')
        self.out.append(">")

    def end(self, name: str) -> None:
        """An end tag; an empty element has one, too."""
        self.scopes.pop()
        self.out.append(f"</{name}>")
        self.ended = len(self.scopes) == 1

    def text(self, data: str) -> None:
        escaped = data.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.out.append(escaped.replace("\r", "&#xD;"))

    def instruction(self, target: str, data: str) -> None:
        """A processing instruction; outside the document element on a line of its own."""
        written = f"<?{target}{' ' if data else ''}{data}?>"
        outside = len(self.scopes) == 1
        self.out.append(f"\n{written}" if outside and self.ended else written + ("\n" if outside else ""))


def is_declaration(key: str) -> bool:
    return key == XMLNS or key.startswith(XMLNS + ":")


def order(key: str, scope: dict[str, str]) -> tuple[str, str]:
    """Sort key: attributes by namespace, then local name; those without a prefix have no namespace."""
    prefix, colon, local = key.partition(":")
    return (scope[prefix], local) if colon else ("", key)


def attribute_text(value: str) -> str:
    for plain, escaped in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;"), ("\t", "&#x9;"), ("\n", "&#xA;")):
        value = value.replace(plain, escaped)
    return value.replace("\r", "&#xD;")
