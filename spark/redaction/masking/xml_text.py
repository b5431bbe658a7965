"""Values in XML and HTML by the names of their elements and attributes, even if the document is truncated or not well-formed.

    <password>…</password>                      by the element
    <property name="password" value="…"/>       by an attribute with a name: value attributes and content
    <name>password</name><value>…</value>       by an element with a name: the element after it

Attributes such as `password="…"` are names with a sign, as everywhere in text. Source: XML 1.0, section 3.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.redaction.masking.fields import FieldPaths
from spark.redaction.masking.pairs import is_name_word, is_value_word
from spark.redaction.masking.views import TextSpan

TAG = re.compile(
    r"<!\[cdata\[|<!--|<(?P<close>/?)(?P<name>[a-z_][\w.:-]*)(?P<rest>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*)>"
)
ATTRIBUTE = re.compile(r"([\w.:-]+)\s{0,8}=\s{0,8}(\"[^\"]*\"|'[^']*')")
ENDS = {"<![cdata[": "]]>", "<!--": "-->"}


@dataclass(frozen=True)
class Tag:
    """A tag of the text, in folded letters."""

    start: int
    end: int
    name: str
    rest: str
    rest_at: int
    is_close: bool

    @property
    def is_empty(self) -> bool:
        return self.rest.endswith("/")

    @property
    def local(self) -> str:
        """The name without its prefix."""
        return self.name.rsplit(":", 1)[-1]

    def attributes(self) -> list[tuple[str, str, TextSpan]]:
        """Names, values, and positions of the values."""
        return [
            (
                match[1].rsplit(":", 1)[-1],
                match[2][1:-1],
                (self.rest_at + match.start(2) + 1, self.rest_at + match.end(2) - 1),
            )
            for match in ATTRIBUTE.finditer(self.rest)
        ]


def xml_spans(text: str, fields: FieldPaths) -> list[TextSpan]:
    """Contents and attributes to mask, in the folded text."""
    tags = _tags(text)
    ends = _partners(tags)
    spans: list[TextSpan] = []
    for at, tag in enumerate(tags):
        if tag.is_close:
            continue
        content = (tag.end, tags[ends[at]].start if at in ends else len(text))
        if fields.is_name(tag.local) and not tag.is_empty:
            spans.append(content)
        elif any(is_name_word(name) and fields.is_name(value.strip()) for name, value, _ in tag.attributes()):
            spans += [span for name, _, span in tag.attributes() if is_value_word(name)]
            spans += [] if tag.is_empty else [content]
        elif (
            is_name_word(tag.local.rsplit("-", 1)[-1])
            and _is_leaf(text, content)
            and fields.is_name(text[slice(*content)].strip())
        ):
            spans += _following(tags, ends, at, len(text))
    return [span for span in spans if span[1] > span[0]]


def _tags(text: str) -> list[Tag]:
    tags: list[Tag] = []
    at = 0
    while match := TAG.search(text, at):
        at = match.end()
        if match["name"] is None:
            end = text.find(ENDS[match[0]], at)
            at = end + 3 if end >= 0 else len(text)
            continue
        tags.append(
            Tag(
                match.start(),
                match.end(),
                match["name"],
                match["rest"].rstrip(),
                match.start("rest"),
                bool(match["close"]),
            )
        )
    return tags


def _partners(tags: list[Tag]) -> dict[int, int]:
    """The closing tag's index by the index of its opening tag."""
    waiting: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for at, tag in enumerate(tags):
        if not tag.is_close and not tag.is_empty:
            waiting.setdefault(tag.name, []).append(at)
        elif tag.is_close and waiting.get(tag.name):
            ends[waiting[tag.name].pop()] = at
    return ends


def _is_leaf(text: str, content: TextSpan) -> bool:
    """Whether the content is short and has no elements."""
    return content[1] - content[0] <= 200 and "<" not in text[slice(*content)]


def _following(tags: list[Tag], ends: dict[int, int], at: int, limit: int) -> list[TextSpan]:
    """The content of the element after one that contains a name; of the one before if it is called a value."""
    after = ends.get(at, at) + 1
    spans = []
    if after < len(tags) and not tags[after].is_close and not tags[after].is_empty:
        spans.append((tags[after].end, tags[ends[after]].start if after in ends else limit))
    before = next((number for number in (at - 2,) if number >= 0 and ends.get(number) == at - 1), None)
    if before is not None and is_value_word(tags[before].local.rsplit("-", 1)[-1]):
        spans.append((tags[before].end, tags[at - 1].start))
    return spans
