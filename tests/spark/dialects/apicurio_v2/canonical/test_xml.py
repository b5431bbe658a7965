"""Canonical XML: what is ordered, what is left out, what is not tried."""

from __future__ import annotations

import pytest

from spark.dialects.apicurio_v2.canonical.xml import canonical


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('<?xml version="1.0"?>\n<a  b="1"   a="2"/>\n', '<a a="2" b="1"></a>'),
        ("<a><!-- why --><b>x &lt; y</b></a>", "<a><b>x &lt; y</b></a>"),
        (
            '<a xmlns:z="u:z" xmlns="u:d" z:b="1" c="2"><b xmlns="u:d"/></a>',
            '<a xmlns="u:d" xmlns:z="u:z" c="2" z:b="1"><b></b></a>',
        ),
        ('<a xmlns="u"><b xmlns=""/></a>', '<a xmlns="u"><b xmlns=""></b></a>'),
        ('<a b="x&#10;y&quot;"/>', '<a b="x&#xA;y&quot;"></a>'),
        ("<?p q?><a/><?r?>", "<?p q?>\n<a></a>\n<?r?>"),
        ("<a><![CDATA[<>]]></a>", "<a>&lt;&gt;</a>"),
    ],
    ids=["attributes", "comments", "namespaces", "a namespace taken back", "attribute text", "instructions", "CDATA"],
)  # fmt: skip
def test_documents(content: str, text: str) -> None:
    assert canonical(content.encode()) == text.encode()


@pytest.mark.parametrize(
    "content",
    [b"<a", b"", b"<!DOCTYPE a><a/>", b"<a b:c='1'/>", b"\xff<a/>", b"<a>" * 600 + b"</a>" * 600],
)  # fmt: skip
def test_what_is_not_tried(content: bytes) -> None:
    assert canonical(content) is None
