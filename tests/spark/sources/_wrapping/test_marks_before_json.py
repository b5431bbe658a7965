"""JSON behind the marks of a comment or a list: the same mark on several lines is no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._wrapping.suspicion import is_suspicious
from spark.stages.plan import plan_inputs
from tests.spark.sources._wrapping.sorted_texts import sorted_text

ROWS = [
    b'{"keytype":"CONFIG","subject":"%s","magic":0}\t{"compatibilityLevel":"FULL"}' % name
    for name in (b"a", b"b", b"c")
]
MARKS = [b" * ", b"# ", b"// ", b"- ", b"\t* ", b"-- ", b"\xe2\x80\xa2 "]


@pytest.mark.parametrize("mark", MARKS)
def test_the_mark_of_several_lines_is_no_part_of_their_keys(mark: bytes) -> None:
    text = b"".join(mark + row + b"\n" for row in ROWS)
    found = sorted_text(text)
    assert is_suspicious(text)
    assert found.prints == [b"\n".join(ROWS)]
    assert found.undone == [{"prefix"}]


def test_lines_of_the_comment_around_them_are_set_aside() -> None:
    text = (
        b"/**\n * The journal:\n * <code>\n"
        + b"".join(b" * " + row + b"\n" for row in ROWS)
        + b" * </code>\n */\n"
    )
    found = sorted_text(text)
    assert found.prints == [b"\n".join(ROWS)]
    assert len(found.asides) == 5


def test_a_document_of_several_lines_is_whole() -> None:
    document = b'{\n  "offset": 0,\n  "key": "a",\n  "payload": "1"\n}'
    text = b"".join(b"// " + line + b"\n" for line in document.split(b"\n"))
    assert sorted_text(text).prints == [document]


@pytest.mark.parametrize(
    "text",
    [
        b'- {"a":1}\n',
        b'-\t{"a":1}\n# {"a":2}\n',
        b'-1\t{"a":1}\n-1\t{"a":2}\n',
        b'*key\t{"a":1}\n*key\t{"a":2}\n',
    ],
    ids=["one line", "two marks", "a number", "a key that begins with a mark"],
)
def test_other_beginnings_stay(text: bytes) -> None:
    assert sorted_text(text).prints == [text.rstrip(b"\n")]


def test_a_list_within_a_value_of_another_tool_stays() -> None:
    text = b'CreateTime:1700000000000\tk\tsteps:\n- {"a":1}\n- {"b":2}\nCreateTime:1700000000001\tk\tx\n'
    found = sorted_text(text)
    lines = b"\n".join([*found.prints, *(aside for _, aside in found.asides)]).split(b"\n")
    assert {b'- {"a":1}', b'- {"b":2}'} <= {*lines}


def test_the_keys_name_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "Sample.java"
    path.write_bytes(b"".join(b" * " + row + b"\n" for row in ROWS))
    plan = plan_inputs(
        [InputFile("pasted.txt", str(path), path.stat().st_size)], {}, None, tmp_path / "prints"
    )
    assert set(plan.dialect_ids.values()) == {"schema-registry"}
