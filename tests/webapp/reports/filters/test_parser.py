"""The filter language: what it reads, how it prints it, and what it says of a mistake."""

from __future__ import annotations

import pytest

from tests.webapp.reports.filters.evaluation import RandomFilters
from webapp.reports.filters.parser import MAX_DEPTH, MAX_FILTER, MAX_TESTS, FilterParser, parse_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.filters.tree import BothTest, EitherTest, FieldTest, NegatedTest, TextMatch, written


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("", ""),
        ("   ", ""),
        ("offset:44..60", "offset:44..60"),
        ("offset: 44", "offset:44"),
        ("OFFSET:>=44", "offset:>=44"),
        ("time:>=14:02", "time:>=14:02"),
        ("key:acc-*", "key:acc-*"),
        ("kind:update,rejected", "kind:update,rejected"),
        ("kind:dropped", "kind:dropped"),
        ('entity:"content 48"', 'entity:"content 48"'),
        ("header.trace:x", "header.trace:x"),
        ("header.spring.json.type:*", "header.spring.json.type:*"),
        ("value.amount>400", "value.amount > 400"),
        ("value.name ~ /^pay/", "value.name ~ /^pay/"),
        ("value.name!=x", "-value.name:x"),
        ("a and b", "a b"),
        ("a or b c", "a or b c"),
        ("(a or b) c", "(a or b) c"),
        ("not (a b)", "-(a b)"),
        ("- kind:update", "-kind:update"),
        ('"or"', '"or"'),
        ('key:*"a b"*', 'key:*"a b"*'),
        ("value.items.0.name = x", "value.items.0.name:x"),
        ("orders", "orders"),
    ],
)
def test_a_filter_is_read(typed: str, printed: str) -> None:
    assert written(parse_filter(typed)) == printed
    assert written(parse_filter(printed)) == printed


def test_spaces_bind_closer_than_or() -> None:
    tree = parse_filter("key:a key:b or -key:c")
    assert isinstance(tree, EitherTest)
    assert [type(part) for part in tree.parts] == [BothTest, NegatedTest]


def test_what_is_quoted_is_neither_number_nor_null_nor_star() -> None:
    for text in ("44", "null", "a*b"):
        tree = parse_filter(f'value.x:"{text}"')
        assert isinstance(tree, FieldTest)
        (match,) = tree.matches
        assert isinstance(match, TextMatch)
        assert (match.pieces, match.number, match.is_null) == ((text,), None, False)


@pytest.mark.parametrize(
    ("typed", "wrong", "instead"),
    [
        ("key:a offest:44", "offest", "offset"),
        ("valeu.amount > 4", "valeu.amount", "value.amount"),
        ("kind:updat", "updat", "update"),
        ("kind:update,deleet", "deleet", "delete"),
        ("outcome:abort", "abort", "aborted"),
        ("key:a value.amo", "value.amo", "value.amo:*"),
        ("value.", "value.", ""),
        ("offset:x", "x", ""),
        ("offset:1.5", "1.5", ""),
        ("offset:44..x", "44..x", ""),
        ("offset:9999999999999999999", "9999999999999999999", ""),
        ("offset:..", "..", ""),
        ("offset:4*", "4*", ""),
        ("kind:update*", "update*", ""),
        ("time:25:00", "25:00", ""),
        ("time:2026-02-30", "2026-02-30", ""),
        ("time:yesterday", "yesterday", ""),
        ('key:"a', '"a', '"a"'),
        ("(a b", "(", ""),
        ("a) b", ")", ""),
        ("()", ")", ""),
        ("a or", "", ""),
        ("or a", "or", '"or"'),
        ("a,b,", None, None),
        ("kind:", "", ""),
        ("kind:update,", "", ""),
        ("key > 4", "4", ""),
        ("header:x", "header", ""),
        ("offset.a:4", "offset.a", "offset"),
        ("value.x ~ pay", "pay", ""),
        ("value.x ~ /(/", "(", ""),
        ("value.x ~ /a/g", "g", ""),
        ("offset ~ /4/", "/4/", ""),
        ("value.a >= 4*", "4*", ""),
        ("*", "*", ""),
    ],
)
def test_a_mistake_is_told_with_its_place(typed: str, wrong: str | None, instead: str | None) -> None:
    if wrong is None:
        assert parse_filter(typed)
        return
    with pytest.raises(FilterError) as told:
        parse_filter(typed)
    assert (typed[told.value.start : told.value.end], told.value.instead) == (wrong, instead)
    assert str(told.value).endswith((".", "?"))
    assert told.value.with_place.startswith(f"Character {told.value.start + 1} of the filter: ")


@pytest.mark.parametrize(
    "typed",
    [
        "a" * (MAX_FILTER + 1),
        " ".join(["a"] * (MAX_TESTS + 1)),
        "(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1),
        "-" * (MAX_FILTER - 1) + "a",
        f"value.a ~ /{'x' * 501}/",
    ],
    ids=["long", "many tests", "deep", "negations", "expression"],
)
def test_a_filter_has_limits(typed: str) -> None:
    with pytest.raises(FilterError, match=r"at most|1 to 500"):
        parse_filter(typed)


def test_a_link_that_hides_a_part_has_no_filter_on_it() -> None:
    hidden = frozenset({"value", "key"})
    for typed in ("value:x", "value.a:1", "kind:update or -value.a.b ~ /x/", "key.id > 4", "key:a"):
        with pytest.raises(FilterError, match="This link hides"):
            parse_filter(typed, hidden)
    assert parse_filter("kind:update offset:4..", hidden)
    with pytest.raises(FilterError, match="This link hides") as told:
        parse_filter("smith", hidden)
    assert told.value.instead == "entity:smith"


def test_tokens_say_what_was_read_before_a_mistake() -> None:
    parser = FilterParser("-key:acc-* kind:nope")
    with pytest.raises(FilterError):
        parser.parse()
    assert [(kind, parser.text[start:end]) for kind, start, end in parser.tokens] == [
        ("keyword", "-"), ("name", "key"), ("operator", ":"), ("value", "acc-*"), ("name", "kind"), ("operator", ":"),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_parses_back_from_its_text(seed: int) -> None:
    filters = RandomFilters(seed)
    for _ in range(50):
        tree = filters.tree()
        assert parse_filter(written(tree)) == tree, written(tree)


@pytest.mark.parametrize("seed", range(10))
def test_no_text_breaks_the_parser(seed: int) -> None:
    filters = RandomFilters(seed)
    signs = "()\"':,.*~/<>=!- \\ab0\tä\0"
    for _ in range(300):
        text = list(written(filters.tree()))
        for _ in range(filters.random.randint(1, 4)):
            place = filters.random.randrange(len(text) + 1)
            text[place : place + filters.random.randint(0, 2)] = filters.random.choice(signs)
        try:
            tree = parse_filter("".join(text))
        except FilterError:
            continue
        assert parse_filter(written(tree)) == tree
