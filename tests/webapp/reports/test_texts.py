"""Texts of findings as steps, differences of values, the ticket."""

from __future__ import annotations

from types import SimpleNamespace

from django.utils.html import format_html

from spark.tables.replica import PartitionReplica
from spark.terms import marked
from spark.terms.typed_text import line_of, typed
from spark.terms.typed_wording import items, offset_range, steps
from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.report import read_report
from webapp.reports.templatetags.report_words import typed_line
from webapp.reports.ticket import ticket_text
from webapp.reports.typed_text import Segments, as_html, blocks_of, in_blocks
from webapp.reports.values.differences import MAX_BYTES, compare


def plain(lines: list[Segments]) -> list[str]:
    return [line_of(line) for line in lines]


def test_numbered_lines_are_steps_and_the_rest_paragraphs() -> None:
    found = in_blocks(typed(steps(["Stored.", "Replaced."]) + "\nToday it reads well.\n\nLater it will not."))
    assert [(block.is_list, plain(block.lines)) for block in found] == [
        (True, ["Stored.", "Replaced."]),
        (False, ["Today it reads well."]),
        (False, ["Later it will not."]),
    ]


def test_lines_with_a_dash_are_a_list_in_no_order() -> None:
    found = in_blocks(
        typed("Two keys:\n" + items(["Key `a` is gone.", "Key `b` too."]) + "\n" + steps(["Look."]))
    )
    assert [(block.is_list, block.is_numbered, plain(block.lines)) for block in found] == [
        (False, False, ["Two keys:"]),
        (True, False, ["Key `a` is gone.", "Key `b` too."]),
        (True, True, ["Look."]),
    ]


def test_offsets_are_links_and_commands_have_a_button_and_data_is_neither() -> None:
    command = "kcat -C -b BROKER:9092 -t t"
    line = typed(f"At {marked.offset(7)} key {marked.key('offset 8 `x` <b>')}: `{command}`, `short`")[0][
        "segments"
    ]
    html = as_html(line, lambda offset, text, copy: format_html("[{}]", text))
    assert html.startswith("At [7] key offset 8 `x` &lt;b&gt;: ")
    assert f'data-copy-text="{command}"' in html
    assert html.endswith("<code>short</code>")


def test_an_offset_of_another_replica_is_a_link_to_that_one() -> None:
    shown = PartitionReplica("ledger", 0, "after")
    before = shown._replace(replica="before")
    page = SimpleNamespace(
        replica=shown,
        survey=SimpleNamespace(replicas=[shown, before]),
        offset_links=lambda replica: SimpleNamespace(
            link=lambda offset, text: format_html("[{}:{}]", replica.replica, text)
        ),
    )
    text = f"{offset_range(6)}, {offset_range(1, replica='before')} of {marked.replica('before')}, {offset_range(2, replica='lost')}"
    line = typed_line({"page": page}, typed(text)[0]["segments"], shown)
    assert line == "offset [after:6], offset [before:1] of before, offset 2"


def test_no_full_stop_is_left_behind_a_command_that_is_set_apart() -> None:
    line = typed("Ask: `kcat -C -b BROKER:9092 -t t`. Check `it`.")[0]["segments"]
    assert as_html(line).endswith("</button></span> Check <code>it</code>.")
    assert as_html(line, has_buttons=False).endswith("-t t</code>. Check <code>it</code>.")


def test_a_report_from_before_texts_were_typed_is_shown_without_links() -> None:
    blocks = blocks_of({"remedy": "1. Look at offset 7.\n`code`"}, "remedy")
    html = "".join(as_html(block["segments"], lambda *_: "link") for block in blocks)
    assert html == "Look at offset 7.<code>code</code>"
    assert [block["kind"] for block in blocks] == ["step", "paragraph"]


def test_a_difference_shows_the_lines_that_changed() -> None:
    difference = compare(b'{"a": 1, "b": 2}', b'{"a": 1, "b": 3}')
    assert [(line.kind, line.text) for line in difference.lines if line.kind in ("added", "removed")] == [
        ("removed", '-  "b": 2'),
        ("added", '+  "b": 3'),
    ]


def test_a_difference_with_nothing_to_compare_says_why() -> None:
    assert "delete" in compare(b"x", None).note
    assert "after a delete" in compare(None, b"x").note
    assert "same bytes" in compare(b"x", b"x").note
    assert "Too large" in compare(b"x" * MAX_BYTES, b"y").note
    assert "with the same meaning" in compare(b'{"a":1}', b'{ "a": 1 }').note


def test_consequences_hang_below_their_cause() -> None:
    report = read_report(
        report_document(
            findings=[finding("b", consequence_of="a"), finding("a"), finding("c", consequence_of="gone")]
        )
    )
    assert [root.id for root in report.roots] == ["a", "c"]
    assert [found.id for found in report.roots[0].all_consequences()] == ["b"]


def test_a_finding_about_one_copy_is_not_about_the_other() -> None:
    found = read_report(report_document(findings=[finding("a", replica="broker-1")])).findings[0]
    assert found.is_about(PartitionReplica("journal", 0, "broker-1"))
    assert not found.is_about(PartitionReplica("journal", 0, "broker-2"))


def test_the_ticket_is_eight_lines_of_headline_journal_victims_proof_steps_and_link() -> None:
    emptied = [
        finding(name, title=f"Content {name}", evidence=[offset], incident="restart", remedy="Ask.")
        for name, offset in (("a", 9), ("b", 6))
    ]
    lost = {"kind": "lost", "entity_type": "version", "when": "already"}
    restart = {
        "id": "restart",
        "severity": "critical",
        "title": "A restart emptied 2 content items",
        "findings": ["a", "b"],
        "victims": [
            {**lost, "finding": "a", "entity_id": "pay/money/1"},
            {**lost, "finding": "b", "entity_id": "pay/coin/2"},
        ],
        "victim_count": 2,
        "plan": [{"finding": None, "step": f"Step {number}: `kcat -C {'x' * 40}`."} for number in range(5)],
    }
    other = finding("c", detector="crc-mismatch", title="A batch is corrupt", evidence=[2])
    apart = {"id": "apart", "severity": "critical", "title": "", "findings": ["c"], "victims": [], "plan": []}
    consequences = [finding("d", consequence_of="a"), finding("i", severity="info", title="a remark")]
    report = read_report(
        report_document(findings=[*emptied, other, *consequences], incidents=[restart, apart])
    )
    step = "`kcat -C xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`"
    assert ticket_text(report, "https://journals.example/report").splitlines() == [
        "**Critical, proven:** A restart emptied 2 content items",
        "- Journal: `journal-0` offsets 0-2; 3 records; all checksums match",
        "- Victims: 2 versions (pay/money version 1 and pay/coin version 2)",
        "- Cause: It was stored at offset 6.",
        "- Proof: offsets 6 and 9 of `journal-0`",
        "- Also: 1 more incident (critical): A batch is corrupt",
        f"1. Step 0: {step}",
        f"2. Step 1: {step}",
        "- Report with 3 more steps (sign-in needed): https://journals.example/report",
    ]


def test_the_ticket_of_a_healthy_journal_says_what_was_checked() -> None:
    assert ticket_text(read_report(report_document()), "L").splitlines() == [
        "**Healthy.** 3 records, no missing offsets.",
        "- Journal: `journal-0` offsets 0-2; 3 records; all checksums match",
        "- Checks: 1 check ran and found nothing.",
        "- Report (sign-in needed): L",
    ]


def test_the_ticket_says_of_which_time_the_dump_is() -> None:
    document = report_document()
    document["coverage"]["last_timestamp_ms"] = 1_717_243_203_000
    assert "offsets 0-2; dump of 2024-06-01 12:00:03 UTC; 3 records" in ticket_text(
        read_report(document), "L"
    )


def test_a_step_of_the_ticket_is_whole_or_left_out() -> None:
    steps = "".join(f"{number}. {'long ' * 100}`{'x' * 900}`\n" for number in range(1, 4))
    text = ticket_text(read_report(report_document(findings=[finding("a", remedy=steps)])), "L")
    assert f"`{'x' * 900}`" in text
    assert "2. long" not in text
    assert "Report with 2 more steps" in text


def test_a_time_is_an_element_that_a_script_can_write_in_a_local_zone() -> None:
    blocks = typed(f"Lost at {marked.time(1_700_000_000_000, '2023-11-14 22:13:20 UTC')}.")
    html = as_html(blocks[0]["segments"])
    assert '<time datetime="2023-11-14T22:13:20+00:00"' in html
    assert ">2023-11-14 22:13:20 UTC</time>." in html


def test_a_time_that_no_calendar_has_stays_text() -> None:
    assert as_html([{"kind": "time", "text": "timestamp 9", "value": 10**18}]) == "timestamp 9"


def test_a_calm_headline_says_of_what_no_fault_was_found() -> None:
    def headline(sentence: str, *topics: str, level: str = "healthy") -> str:
        verdict = {"level": level, "sentence": sentence}
        return read_report(
            report_document(verdict=verdict, journals=[{"topic": topic} for topic in topics])
        ).calm_headline

    assert headline("No fault found. 4 records.", "_schemas") == "No fault found in _schemas"
    assert headline("Healthy. 4 records.", "a", "b") == "Healthy: 2 journals"
    assert headline("No fault found. 4 records.", "?") == "No fault found in the journal"
    assert headline("The input contains no records.", level="medium") == ""


def test_a_page_of_the_report_that_a_step_names_is_a_link_for_whom_has_it() -> None:
    line = typed("Compare the replicas (Compare page of the report, or command `compare`).")[0]["segments"]
    data = typed(f"Key {marked.key('Compare page of the report')}.")[0]["segments"]

    def html(segments: Segments, address: str) -> str:
        return as_html(segments, page_link=lambda title: address if title == "Compare" else "")

    assert '(<a href="/compare/">Compare page of the report</a>, or command <code>' in html(line, "/compare/")
    assert "<a" not in html(line, "")
    assert "<a" not in html(data, "/compare/")
    assert "page Records of the report shows" in as_html(
        typed("The page Records of the report shows it.")[0]["segments"]
    )
