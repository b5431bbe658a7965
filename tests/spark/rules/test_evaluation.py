"""Rules asked of tables: what matches, what null means, what a finding says, and when a rule could not run."""

from __future__ import annotations

import json
import time
from typing import Any

import pyarrow as pa
import pytest

from spark.rules import decoded
from spark.rules.evaluation import CouldNotRun, PinnedRule, ask, ask_all
from spark.terms.marked import plain
from tests.builders import entries_table, files_table, given_tables, other_table, records_table

RULE = """\
name: {name}
title: What we look for
severity: medium
over: {over}
text: "{text}"
remedy: Ask the owner.
when: {when}
"""


def rule(when: str, over: str = "records", text: str = "It is there", name: str = "ours") -> PinnedRule:
    return PinnedRule(f"rule:team/{name}", 3, RULE.format(name=name, over=over, text=text, when=when))


def offsets(when: str, over: str = "records", **tables: pa.Table) -> list[int]:
    """Proof of everything that matches."""
    return [
        offset
        for one in ask(rule(when, over), given_tables(tables), {"log-segment"})
        for offset in one.evidence
    ]


RECORDS = records_table(
    {"key": b"a", "value": b"one"},
    {"key": b"b", "value": None},
    {"key": None, "value": b"\xffraw"},
    {"key": b"a", "value": b"", "headers": [{"key": b"trace", "value": b"t-1"}]},
    {"key": b"\x00\x00", "value": b"marker", "control_type": "commit"},
)


@pytest.mark.parametrize(
    ("when", "found"),
    [
        ("{column: key, is: a}", [0, 3]),
        ("{column: key, is_not: a}", [1, 2]),
        ("{column: key, is_null: true}", [2]),
        ("{column: key, is_null: false}", [0, 1, 3]),
        ("{not: {column: key, is: a}}", [1, 2]),
        ("{column: key, one_of: [b, c]}", [1]),
        ("{column: value, contains: ne}", [0]),
        ("{column: value, starts: o, ends: e}", [0]),
        ("{column: value, matches: '^o.e$'}", [0]),
        ("{column: value, contains: raw}", [2]),
        ("{column: value, is: ''}", [3]),
        ("{column: value_is_null, is: true}", [1]),
        ("{column: value_size_bytes, over: 2, under: 4}", [0]),
        ("{column: offset, at_least: 1, at_most: 2}", [1, 2]),
        ("{column: offset, one_of: [0, 2]}", [0, 2]),
        ("{column: headers.trace, is: t-1}", [3]),
        ("{any: [{column: key, is: b}, {column: offset, is: 0}]}", [0, 1]),
        ("{all: [{column: key, is: a}, {column: offset, over: 1}]}", [3]),
        ("{column: control_type, is: commit}", [4]),
        ("""{column: key, is: "' OR 1=1 --"}""", []),
    ],
)
def test_what_matches(when: str, found: list[int]) -> None:
    assert offsets(when, records=RECORDS) == found


def test_members_of_attributes_and_null_among_them() -> None:
    entries = entries_table(
        {"attributes": {"size": 12, "deep": {"name": "x"}}}, {"attributes": {"size": "many"}}, {}
    )
    assert offsets("{column: attributes.size, over: 5}", "entries", entries=entries) == [0]
    assert offsets("{column: attributes.deep.name, is: x}", "entries", entries=entries) == [0]
    assert offsets("{column: attributes.size, is: many}", "entries", entries=entries) == [1]
    assert offsets("{column: attributes.size, is_null: true}", "entries", entries=entries) == [2]


def test_keys_are_proved_by_their_last_record() -> None:
    place = {"topic": "journal", "partition": 0, "replica": ""}
    keys = other_table("keys", {**place, "key": b"a", "versions": 9, "first_offset": 1, "last_offset": 40})
    assert offsets("{column: versions, over: 5}", "keys", keys=keys) == [40]


def test_one_finding_per_copy_of_a_partition_with_the_first_hundred_offsets() -> None:
    rows: list[dict[str, Any]] = [{"partition": n % 2, "offset": n, "key": b"k%d" % n} for n in range(500)]
    given = rule("{column: offset, over: 99}", text="{count} of {key}, timestamps {sequence}")
    even, odd = ask(given, given_tables({"records": records_table(*rows)}), {"log-segment"})
    assert (even.detector, even.detector_version, even.severity) == ("rule:team/ours", "3", "medium")
    assert (even.partition, even.first_offset, even.last_offset) == (0, 100, 498)
    assert even.evidence == list(range(100, 300, 2))
    assert even.title == "What we look for: 200 records of journal-0"
    assert even.explanation.startswith("200 of k100, timestamps ")
    assert "The first of 200 records is at offset 100." in even.explanation
    assert "the project's rule ours, version 3" in even.explanation
    assert (odd.first_offset, odd.remedy) == (101, "Ask the owner.")
    assert even.id != odd.id


def test_the_fingerprint_stays_while_rows_come_and_go() -> None:
    given = rule("{column: key, is: a}")
    fewer = ask(given, given_tables({"records": RECORDS.slice(3)}), {"log-segment"})
    every = ask(given, given_tables({"records": RECORDS}), {"log-segment"})
    assert [one.id for one in fewer] == [one.id for one in every]
    assert fewer[0].evidence != every[0].evidence


def test_values_that_are_long_are_cut_in_the_text() -> None:
    records = records_table({"value": b"x" * 5000})
    (finding,) = ask(
        rule("{column: offset, is: 0}", text="{value}"), given_tables({"records": records}), set()
    )
    assert len(finding.explanation) < 400


def test_a_rule_that_cannot_run_says_why_and_leaves_the_others_alone() -> None:
    tables = given_tables({"records": RECORDS})
    broken = PinnedRule("rule:team/broken", 1, "name: [")
    no_entries = rule("{column: entry_type, is: Content}", "entries", name="no-entries")
    lacking = rule("{column: producer_id, over: 5}", name="lacking")
    fine = rule("{column: key, is: b}")
    found, reasons = ask_all([broken, no_entries, lacking, fine], tables, {"kcat-json"})
    assert [one.detector for one in found] == ["rule:team/ours"]
    assert "version 1 of the rule cannot be read: Line 1" in reasons["rule:team/broken"]
    assert "the journal type of this input is unknown" in reasons["rule:team/no-entries"]
    assert "producer IDs, producer epochs" in reasons["rule:team/lacking"]


@pytest.mark.integration
def test_a_rule_is_broken_off_when_its_time_is_over() -> None:
    offsets = pa.array(range(300_000), pa.int64())
    one = records_table({"value": b"a" * 200})
    records = pa.table(
        {
            name: offsets
            if name == "offset"
            else pa.concat_arrays([one[name].combine_chunks()] * 1).take(
                pa.array([0] * len(offsets), pa.int32())
            )
            for name in one.column_names
        }
    )
    when = ", ".join("{column: value, matches: '(a|b|ab|aa)*c%d'}" % n for n in range(40))  # noqa: UP031
    tables = given_tables({"records": records})
    begun = time.monotonic()
    with pytest.raises(CouldNotRun, match=r"longer than 0\.2 seconds"):
        ask(rule(f"{{any: [{when}]}}"), tables, {"log-segment"}, seconds=0.2)
    assert time.monotonic() - begun < 20
    assert len(tables.rows('SELECT "offset" FROM records LIMIT 3')) == 3


# twins: the first of each pair matches, the second nearly does
MEMBERS = records_table(
    {"key": b'{"subject":"pay"}', "value": b'{"amount":401,"state":"open","due":"2026-11-30"}'},
    {"key": b'{"subject":"play"}', "value": b'{"amount":"400","state":"Open","due":"2026-12-01"}'},
    {"key": None, "value": b'\x00\x00\x00\x00\x07{"amount":"9e2","unit price":1}', "value_form": "framed"},
    {
        "key": b"k",
        "value": b"amount 500",
        "headers": [{"key": b"try", "value": b"1"}, {"key": b"try", "value": b"4"}],
    },
    {"key": b"k", "value": b'{"id":9007199254740993}', "headers": [{"key": b"try", "value": None}]},
    {"key": b"k", "value": None, "headers": [{"key": b"try", "value": b"3"}]},
)
# when, the same in the filter language, offsets
COMPARED = [
    ("{column: value.amount, over: 400}", "value.amount > 400", [0, 2]),
    ("{column: value.amount, at_least: 400, under: 401}", "value.amount:>=400 value.amount < 401", [1]),
    ("{column: value.amount, is: 400}", "value.amount:400", [1]),
    ("{column: value.amount, is_not: 400}", "-value.amount:400", [0, 2, 3, 4, 5]),
    ("{not: {column: value.amount, over: 400}}", "-value.amount > 400", [1, 3, 4, 5]),
    ("{column: value.amount, is_null: true}", "value.amount:null", [3, 4, 5]),
    ("{column: value.amount, is_null: false}", "value.amount:*", [0, 1, 2]),
    ("{column: value.state, is: open}", "value.state:open", [0]),
    ("{column: value.state, matches: '^[oO]pen$'}", "value.state ~ /^[oO]pen$/", [0, 1]),
    ("{column: value.state, starts: o, ends: n}", "value.state:o*n", [0]),
    ("{column: value.state, one_of: [open, 7]}", "value.state:open,7", [0]),
    ("{column: value.due, under: '2026-12-01'}", "value.due < 2026-12-01", [0]),
    ("{column: value.id, is: 9007199254740993}", "value.id:9007199254740993", [4]),
    ("{column: value.id, is: 9007199254740992}", "value.id:9007199254740992", []),
    ("{column: 'value.\"unit price\"', is: 1}", 'value."unit price":1', [2]),
    ("{column: key.subject, is: pay}", "key.subject:pay", [0]),
    ("{column: header.try, over: 3}", "header.try > 3", [3]),
    ("{column: header.try, is: 3}", "header.try:3", [5]),
    ("{column: header.try, is_not: 4}", "-header.try:4", [0, 1, 2, 4, 5]),
    ("{column: header.try, is_null: true}", "header.try:null", [0, 1, 2, 4]),
]  # fmt: skip


@pytest.mark.parametrize(("when", "found"), [(when, found) for when, _, found in COMPARED])
def test_members_of_keys_and_values_and_headers(when: str, found: list[int]) -> None:
    assert offsets(when, records=MEMBERS) == found


def test_members_that_the_dialect_reads_count_too() -> None:
    records = records_table({"value": b"\x02\x01"}, {"value": b"\x02\x02"})
    entries = entries_table({"attributes": {"size": 12}}, {"attributes": {"size": 2}})
    found = ask(
        rule("{column: value.size, over: 5}", text="It has {value.size} bytes"),
        given_tables({"records": records, "entries": entries}),
        {"log-segment"},
    )
    assert [finding.evidence for finding in found] == [[0]]
    assert "It has 12 bytes" in plain(found[0].explanation)


def test_values_that_only_a_schema_reads_are_no_reason_to_find_nothing() -> None:
    framed = records_table({"value": b"\x00\x00\x00\x00\x07\x02\xff", "value_form": "framed"})
    tables = given_tables({"records": framed})
    with pytest.raises(CouldNotRun, match="1 value is encoded with a schema"):
        ask(rule("{column: value.amount, over: 400}"), tables, {"log-segment"})
    assert ask(rule("{column: key.amount, over: 400}"), tables, {"log-segment"}) == []
    readable = records_table(
        {"value": b'\x00\x00\x00\x00\x07{"amount":1}', "value_form": "framed"}, {"value": b"text"}
    )
    assert (
        ask(rule("{column: value.amount, over: 400}"), given_tables({"records": readable}), {"log-segment"})
        == []
    )


PAYMENT = {
    "type": "record",
    "name": "Payment",
    "fields": [{"name": "amount", "type": "int"}, {"name": "state", "type": "string"}],
}
# 401 and "open", 400 and "shut", in Avro
ENCODED = [{"value": b"\xa2\x06\x08open"}, {"value": b"\xa0\x06\x08shut"}, {"value": b'{"amount":402}'}]


def uploaded(schema: dict[str, Any]) -> dict[str, pa.Table]:
    of = {"topic": "?", "partition": 0, "replica": ""}
    file = of | {"name": "payment.avsc", "kind": "companion", "layout": "avro-schema"}
    text = of | {"file": 0, "name": "x", "value": json.dumps(schema)}
    return {"files": files_table(file), "properties": other_table("properties", text)}


@pytest.mark.parametrize(("frame", "form"), [(b"", "binary"), (b"\0\0\0\0\x07", "framed")])
def test_members_that_an_uploaded_schema_reads_are_compared_and_shown(frame: bytes, form: str) -> None:
    encoded = [{"value": frame + row["value"], "value_form": form} for row in ENCODED[:2]]
    tables = {"records": records_table(*encoded, ENCODED[2]), **uploaded(PAYMENT)}
    asked = ask(
        rule("{column: value.amount, over: 400}", text="{value.state}: {value.amount}"),
        given_tables(tables),
        {"log-segment"},
    )
    assert [finding.evidence for finding in asked] == [[0, 2]]
    assert "open: 401" in plain(asked[0].explanation)
    assert offsets("{column: value.amount, over: 500}", **tables) == []


def test_a_rule_that_would_have_to_decode_too_much_could_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = given_tables(
        {"records": records_table(*({**row, "value_form": "binary"} for row in ENCODED)), **uploaded(PAYMENT)}
    )
    monkeypatch.setattr(decoded, "MAX_RECORDS", 1)
    with pytest.raises(CouldNotRun, match="more than a rule decodes: 1 records"):
        ask(rule("{column: value.amount, over: 400}"), tables, {"log-segment"})
    assert ask(rule("{column: value_size_bytes, over: 400}"), tables, {"log-segment"}) == []
