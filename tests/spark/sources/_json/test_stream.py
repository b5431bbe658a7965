import json
import random
from pathlib import Path

import pytest

from spark.sources._json import scan
from spark.sources._json.spans import to_bytes, to_whole_numbers
from spark.sources._json.stream import UnreadSpan, windows

NAMES = ("offset", "key", "rest")


def scanned(
    path: Path, window_bytes: int = 1 << 20
) -> tuple[list[int], list[bytes | None], list[UnreadSpan]]:
    offsets: list[int] = []
    keys: list[bytes | None] = []
    damage: list[UnreadSpan] = []
    for window in windows(str(path), 0, path.stat().st_size, NAMES, window_bytes):
        offsets += to_whole_numbers(window.members[0])[0].tolist()
        keys += to_bytes(window.members[1]).column.to_pylist()
        damage += window.damage
    return offsets, keys, damage


def random_text(draw: random.Random) -> str:
    ranges = [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFC), (0x10000, 0x10FFFF)]
    return "".join(chr(draw.randint(*draw.choice(ranges))) for _ in range(draw.randrange(12)))


def random_value(draw: random.Random, depth: int = 0) -> object:
    if depth < 4 and draw.random() < 0.4:
        inner = [random_value(draw, depth + 1) for _ in range(draw.randrange(4))]
        return inner if draw.random() < 0.5 else {random_text(draw): value for value in inner}
    return draw.choice([None, True, False, -1.5e-7, 12, random_text(draw)])


@pytest.mark.parametrize("ensure_ascii", [True, False], ids=["escaped", "raw"])
@pytest.mark.parametrize("indent", [None, 1], ids=["lines", "pretty"])
def test_it_agrees_with_the_standard_library(tmp_path: Path, ensure_ascii: bool, indent: int | None) -> None:
    draw = random.Random(3)
    texts = [random_text(draw) for _ in range(300)]
    records = [{"rest": random_value(draw), "offset": n, "key": text} for n, text in enumerate(texts)]
    lines = [json.dumps(record, ensure_ascii=ensure_ascii, indent=indent) for record in records]
    path = tmp_path / "dump"
    path.write_bytes("\n".join(lines).encode())
    assert scanned(path) == (list(range(300)), [text.encode() for text in texts], [])


@pytest.mark.parametrize("window_bytes", [16, 40, 100, 1000])
def test_the_window_size_changes_nothing(tmp_path: Path, window_bytes: int) -> None:
    lines = [b'{"offset":%d,"key":"%s"}\n' % (n, b"k" * (n * 7 % 60)) for n in range(60)]
    lines[5:5] = [b"% status {\n"]
    lines[20] = b"broken {\n"
    lines[40] = lines[40].replace(b',"', b',,"')
    lines[41] = b'{"key":"no offset"}\n'
    lines.append(b'{"offset":99,"ke')
    path = tmp_path / "dump"
    path.write_bytes(b"".join(lines))
    assert scanned(path, window_bytes) == scanned(path)
    offsets, _, damage = scanned(path, window_bytes)
    assert set(range(60)) - set(offsets) == {19, 39, 40}
    assert [stretch.why for stretch in damage][-1] == scan.CUT_OFF


def test_damage_and_records_cover_the_file(tmp_path: Path) -> None:
    content = b'junk\n{"offset":1}\n{"offset":2,]\n{"offset":3}\n\x00\x00\x00'
    path = tmp_path / "dump"
    path.write_bytes(content)
    offsets, _, damage = scanned(path)
    assert offsets == [1, 3]
    assert [content[stretch.start : stretch.end] for stretch in damage] == [
        b"junk\n",
        b'{"offset":2,]\n',
        b"\x00\x00\x00",
    ]
    assert [stretch.is_last for stretch in damage] == [False, False, True]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"offset":1,}',
        b'{"offset" 1}',
        b'{"offset":1 "key":"k"}',
        b'{"offset":1,"key":"\\x"}',
        b'{"offset":1,"key":"\\u12g4"}',
        b'{"offset":1,"key":"a\nb"}',
        b'{"offset":1,"rest":[1,]}',
        b'{"offset":1,"rest":[1}',
        b'{"offset":1,"rest":{"a":1,}}',
        b'{"offset":1,"rest":{"a"}}',
        b'{"offset":1,"rest":nul}',
        b'{"offset":1,"rest":-}',
        b'{"offset":1,"rest":' + b"[" * 300 + b"]" * 300 + b"}",
        b"{offset:1}",
    ],
)
def test_what_is_no_json_is_damage(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b'{"offset":0}\n' + broken + b'\n{"offset":2}\n')
    offsets, _, damage = scanned(path)
    assert offsets == [0, 2]
    assert (damage[0].start, damage[-1].end) == (13, 13 + len(broken) + 1)


def test_a_nested_offset_behind_damage_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b'{"offset":1,"rest":[{"a":"offset"},{"b":2}] broken}\n{"offset":2}\n')
    assert scanned(path)[0] == [2]


def test_the_last_of_two_equal_members_counts(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b'{"offset":1,"offset":2,"key":"a","key":null}')
    assert scanned(path)[:2] == ([2], [None])
