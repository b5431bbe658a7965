"""Rules as people write them: what is read, and what is refused with its line and what is allowed."""

from __future__ import annotations

import pytest

from spark.rules.condition import AllOf, AnyOf, ColumnComparison, Not
from spark.rules.language import parse, parse_all, texts_of
from spark.rules.yaml_nodes import RuleError

PLAIN = """\
name: large-values
title: Values above one megabyte
severity: high
over: records
text: "The value has {value_size_bytes} bytes."
remedy: Ask the team that writes {key}.
when:
"""


def refused(condition: str, head: str = PLAIN) -> str:
    with pytest.raises(RuleError) as problem:
        parse(head + condition)
    return str(problem.value)


def test_all_any_and_not_are_read_as_they_stand() -> None:
    rule = parse(
        PLAIN
        + """\
  all:
    - {column: value_size_bytes, over: 1000000, at_most: 2000000}
    - any:
        - {column: key, starts: '{"magic"'}
        - not: {column: entry_type, one_of: [Content, Artifact]}
"""
    )
    assert rule.when == AllOf(
        (
            AllOf(
                (
                    ColumnComparison("value_size_bytes", "over", 1_000_000, "number"),
                    ColumnComparison("value_size_bytes", "at_most", 2_000_000, "number"),
                )
            ),
            AnyOf(
                (
                    ColumnComparison("key", "starts", '{"magic"', "text"),
                    Not(ColumnComparison("entry_type", "one_of", ("Content", "Artifact"), "text")),
                )
            ),
        )
    )
    assert rule.columns_in_text == ["value_size_bytes"]


def test_a_time_is_compared_as_milliseconds() -> None:
    rule = parse(PLAIN + "  {column: timestamp_ms, under: 2024-06-01T00:00:00Z}")
    assert rule.when == ColumnComparison("timestamp_ms", "under", 1_717_200_000_000, "number")


def test_members_of_attributes_take_what_the_value_is() -> None:
    head = PLAIN.replace("over: records", "over: entries").replace("{value_size_bytes}", "{attributes.size}")
    assert parse(head + "  {column: attributes.size, over: 5}").when == ColumnComparison(
        "attributes.size", "over", 5, "number"
    )
    assert parse(head + "  {column: attributes.name, is: '5'}").when == ColumnComparison(
        "attributes.name", "is", "5", "text"
    )


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (
            "  {column: file, is: 1}",
            "Line 8, when: records has no column 'file'. Allowed are topic, partition",
        ),
        ("  {column: offset) OR (1=1, is: 1}", "records has no column 'offset) OR (1=1'"),
        ("  {column: offset, contains: '1'}", "offset is a number; allowed: is, is_not, one_of, over"),
        ("  {column: key, over: 3}", "key is a text; allowed: is, is_not, one_of, contains"),
        ("  {column: key, is: 3}", "write a text, in quotes here, not '3'"),
        ("  {column: key_is_null, is: maybe}", "write true or false here, not 'maybe'"),
        ("  {column: value.amount, is: true}", "write a text, in quotes, or a number here, not 'true'"),
        ("  {column: value.amount, contains: 4}", "write a text, in quotes here, not '4'"),
        ("  {column: value.amount, one_of: [4, null]}", "write a text, in quotes, or a number here"),
        ("  {column: value., is: 4}", "records has no column 'value.'"),
        ("  {column: 'value.a b', is: 4}", "records has no column 'value.a b'"),
        ("  {column: key, likes: x}", "has no member 'likes'"),
        ("  {column: key}", "what is key compared with? Allowed: is"),
        ("  {column: key, matches: '(a'}", "no regular expression (RE2): missing )"),
        ("  {column: key, matches: '" + "a" * 501 + "'}", "500 characters at most"),
        ("  {column: key, is: x, is: y}", "is stands twice"),
        ("  {column: offset, over: .nan}", "no number to compare with"),
        ("  {column: offset, over: 99999999999999999999}", "the number is too large for any column"),
        ("  {all: []}", "when.all: write a list of conditions"),
        ("  {column: key, one_of: []}", "write a list of 1 to 200 values"),
        ("  everything", "a condition is `all: [...]`"),
        ("  all:\n    - {column: key, is_null: 1}", "Line 9, when.all[1].is_null: write true or false"),
        ("  {column: key, is: !!python/object:os.system x}", "write one plain value"),
        ("  &a {column: key, is: x}", "Line 8: anchors"),
        ("  {column: key, is: 'x", "this is not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(condition: str, said: str) -> None:
    assert said in refused(condition)


def test_depth_and_number_of_comparisons_have_bounds() -> None:
    deep = "{not: " * 11 + "{column: key, is: x}" + "}" * 11
    assert "nested 10 deep at most" in refused(f"  {deep}")
    many = ", ".join(["{column: key, is: x}"] * 51)
    assert "50 comparisons at most" in refused(f"  any: [{many}]")
    assert "nested too deeply" in refused("  " + "[" * 5000 + "]" * 5000)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("severity: high", "severity: alarming", "'alarming' is not one of critical, high, medium or low"),
        ("severity: high\n", "", "the rule lacks severity"),
        ("name: large-values", "name: Large Values", "small letters, digits and hyphens"),
        ("over: records", "over: batches", "'batches' is not one of records, entries or keys"),
        ("{value_size_bytes}", "{password}", "Line 5, text: {password} is no column of records"),
        ("title: Values above one megabyte", "title: ''", "title: write a text of 1 to 150"),
        ("title:", "colour: red\ntitle:", "a rule has no member 'colour'"),
    ],
)
def test_members_are_checked(before: str, after: str, said: str) -> None:
    assert said in refused("  {column: key, is: x}", PLAIN.replace(before, after))


def test_a_file_holds_several_rules_each_with_its_own_text() -> None:
    one = PLAIN + "  {column: key, is: x}\n"
    listed = "".join(
        "- " + text.replace("\n", "\n  ").rstrip() + "\n" for text in (one, one.replace("large-", "small-"))
    )
    assert [rule.name for rule in parse_all(listed)] == ["large-values", "small-values"]
    assert [(name, parse(text)) for name, text in texts_of(listed)] == [
        (rule.name, rule) for rule in parse_all(listed)
    ]
    assert "not 2" in refused("", listed)
    assert "Two rules have the name" in refused("", listed.replace("small-", "large-"))


def test_nothing_and_too_much_are_refused() -> None:
    assert "The rule is empty" in refused("", "")
    assert "20,000 characters at most" in refused(
        "  {column: key, is: x}", PLAIN + "# " + "x" * 20_000 + "\n"
    )
