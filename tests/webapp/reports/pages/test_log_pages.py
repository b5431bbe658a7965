"""Pages Transactions and Log, and the switches of isolation level and cleaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.builders import batches_table, damage_table, files_table, other_table, records_table
from tests.webapp.reports.ledger import ledger
from tests.webapp.reports.result_folder import incident, report_document, write_results
from webapp.reports.pages.log import why_nothing
from webapp.reports.queries.transactions import OffsetRanges

pytestmark = pytest.mark.django_db
Get = Callable[..., Any]


def text_of(html: str) -> str:
    return " ".join(re.sub(r'<span class="term-text".*?</span>|<[^>]+>', " ", html).split())


def test_the_transactions_page_says_where_committed_readers_stop(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = get(inspected(ledger), "report-transactions").content.decode()
    assert "3 transactions: 1 committed, 1 aborted, 1 open." in page
    assert "stop at offset 6" in page
    assert "not in the broker&#x27;s index" in page or "not in the broker's index" in page


def test_what_is_hidden_from_readers_of_committed_data_is_given_by_offset(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = text_of(get(inspected(ledger), "report-transactions").content.decode())
    assert "2 records from offset 6 to 8 are hidden from them." in page
    assert "Offsets of the hidden records, without markers offsets 6 , 8" in page
    assert "lacks the transaction offset 3" in page


def test_open_transactions_come_first_and_are_marked(inspected: Callable[..., Any], get: Get) -> None:
    page = get(inspected(ledger), "report-transactions").content.decode()
    table = page[page.index("transactions-table") :]
    rows = table[table.index("<tbody>") : table.index("</tbody>")].split("<tr")[1:]
    assert [' class="is-open"' in row for row in rows] == [True, False, False]


def test_transactions_are_filtered_by_outcome(inspected: Callable[..., Any], get: Get) -> None:
    page = get(inspected(ledger), "report-transactions", outcome="aborted").content.decode()
    assert "Showing 1 transaction matching the filters, of 3" in page


def test_the_figure_of_transactions_has_a_span_for_each(inspected: Callable[..., Any], get: Get) -> None:
    figure = get(inspected(ledger), "report-transactions-figure").json()["figure"]
    spans = {trace["meta"]: trace["x"] for trace in figure["data"]}
    assert spans == {"committed": [0, 2], "aborted": [3, 4], "open": [6, 8.5]}
    assert figure["layout"]["shapes"][0]["x0"] == 5.5


def test_records_of_no_transaction_have_a_row_of_their_own(inspected: Callable[..., Any], get: Get) -> None:
    page = text_of(get(inspected(ledger), "report-transactions").content.decode())
    row = "no transaction offsets 5 , 8 none 2 gets all records gets all records before offset 6"
    assert row in page


def test_records_of_no_transaction_after_the_last_stable_offset_are_got_by_nobody(
    inspected: Callable[..., Any], get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = OffsetRanges(1, [(8, 8)], 0, 8)
    monkeypatch.setattr("webapp.reports.pages.transactions.records_outside", lambda partition: later)
    page = text_of(get(inspected(ledger), "report-transactions").content.decode())
    assert "gets none: all are after the last stable offset, 6" in page


def test_the_isolation_level_leaves_what_its_readers_get(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(ledger)
    page = get(inspection, "report-transactions", isolation="read_committed").content.decode()
    assert "Showing 1 transaction matching the filters, of 3" in page
    figure = get(inspection, "report-transactions-figure", isolation="read_committed").json()["figure"]
    assert [trace["meta"] for trace in figure["data"]] == ["committed"]


def test_a_journal_without_transactions_says_so(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(incident)
    assert "No transactions" in get(inspection, "report-transactions").content.decode()
    assert get(inspection, "report-transactions-figure").json()["figure"] is None
    assert "Isolation" not in get(inspection, "report-records").content.decode()


def test_the_log_page_shows_epochs_of_both_origins_and_the_cleaner(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = get(inspected(ledger), "report-log").content.decode()
    assert "no batches" in page
    page = text_of(page)
    assert "Clean section" in page
    assert "up to offset 2 (from" in page
    assert "Next compaction removes 2 records, stops before offset 6 (open transaction)" in page
    assert "Full compaction removes 3 records" in page


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "the segment at offset 0 contains the open transaction (offset 60)"),
        ({"first_uncleanable_offset": 97, "first_dirty_offset": 97, "stopped_by": "active segment"},
         "the active segment begins at offset 97"),
        ({"first_uncleanable_offset": 97, "first_dirty_offset": 97, "dirty_from": "keys"}, ""),
        ({"first_uncleanable_offset": 97}, ""),
        ({"removed_records": 2}, ""),
    ],
)  # fmt: skip
def test_a_compaction_that_cleans_nothing_says_why(members: dict[str, Any], words: str) -> None:
    options, facts = SimpleNamespace(last_stable_offset=60), SimpleNamespace(first_offset=0)
    plain = {"first_dirty_offset": 0, "dirty_from": "checkpoint", "first_uncleanable_offset": 0,
             "stopped_by": "open transaction", "removed_records": None}  # fmt: skip
    assert why_nothing(cast(Any, SimpleNamespace(options=options, facts=facts)), plain | members) == words


def test_the_map_reaches_to_the_end_of_the_damage(inspected: Callable[..., Any], get: Get) -> None:
    lost = {"file": 0, "position": 9, "size_bytes": 40, "first_offset": 10, "last_offset": 15}

    def truncated(folder: Path) -> Path:
        batches = batches_table({"base_offset": 0, "last_offset": 9})
        files = files_table({"kind": "segment", "name": "00.log"})
        return write_results(
            folder, report_document(), batches=batches, files=files, damage=damage_table(lost)
        )

    figure = get(inspected(truncated), "report-log-figure").json()["figure"]
    assert figure["layout"]["xaxis"]["range"][1] >= 15
    page = text_of(get(inspected(truncated), "report-log").content.decode())
    assert "40 bytes are unreadable , offsets 10 – 15" in page


def test_evidence_that_all_gaps_share_is_said_once(inspected: Callable[..., Any], get: Get) -> None:
    def lacking(*proofs: str) -> Callable[[Path], Path]:
        gaps = (
            {"first_offset": number, "last_offset": number, "cause": "compaction", "proof": proof}
            for number, proof in enumerate(proofs, 1)
        )
        return lambda folder: write_results(
            folder, records=records_table({"offset": 0}, {"offset": 9}), gaps=other_table("gaps", *gaps)
        )

    same = text_of(get(inspected(lacking("a later record", "a later record")), "report-log").content.decode())
    assert same.count("a later record") == 1
    assert "Evidence: a later record" in same
    other = text_of(get(inspected(lacking("a later record", "a header")), "report-log").content.decode())
    assert "Evidence: a later record" not in other
    assert re.search(r"How many Cause Evidence", other)


def test_the_checkpoint_says_only_what_it_lists_for_this_partition(
    inspected: Callable[..., Any], get: Get
) -> None:
    def listing(*partitions: int) -> Callable[[Path], Path]:
        checkpoints = other_table(
            "checkpoints",
            *(
                {"topic": "moves", "partition": number, "kind": "cleaner", "offset": 99}
                for number in partitions
            ),
            replica="",
            file=0,
        )
        of_both = {"topic": "moves", "partition": 0, "replica": ""}
        cleaning = {"compacted": "no", "why": "-", "first_dirty_offset": 0, "dirty_from": "checkpoint", "active_offset": 97,
                    "first_uncleanable_offset": 0, "stopped_by": "open transaction", "clean_bytes": 0,
                    "cleanable_bytes": 0, "removed_when_compacted": 105}  # fmt: skip
        policy = {
            "certainty": "proven",
            "sentence": "Proven to be compacted: the checkpoint names it, with offset 99.",
        }
        report = report_document(journals=[{"topic": "moves", "compaction": policy}])
        return lambda folder: write_results(
            folder,
            report,
            records=records_table({"offset": 0}, **of_both),
            batches=batches_table({"base_offset": 0}, **of_both),
            formats=other_table(
                "formats",
                {"number": 0, "magic": 2, "first_offset": 0, "last_offset": 0, "batches": 1},
                **of_both,
            ),
            cleanings=other_table("cleanings", cleaning, **of_both),
            checkpoints=checkpoints,
        )

    page = text_of(get(inspected(listing(1)), "report-log").content.decode())
    assert "Compacted topic: cleaner-offset-checkpoint lists moves-1, but not this partition." in page
    assert "with offset 99" not in page
    assert "Clean section" in page
    assert "0 bytes Dirty section" in page
    assert "Full compaction removes 105 records" in page
    listed = text_of(get(inspected(listing(0, 1)), "report-log").content.decode())
    assert "cleaner-offset-checkpoint lists this partition with offset 99." in listed


def test_a_lane_in_which_nothing_changes_is_not_drawn(inspected: Callable[..., Any], get: Get) -> None:
    where = {"topic": "plain", "partition": 0, "replica": ""}
    inspection = inspected(
        lambda folder: write_results(
            folder,
            records=records_table({"offset": 0}, **where),
            formats=other_table(
                "formats",
                {"number": 0, "magic": 2, "first_offset": 0, "last_offset": 0, "batches": 1},
                **where,
            ),
        )
    )
    assert get(inspection, "report-log-figure").json()["figure"] is None
    page = get(inspection, "report-log").content.decode()
    assert "data-figure-url" not in page
    assert "message format 2" in page


def test_the_map_of_the_log_has_its_lanes(inspected: Callable[..., Any], get: Get) -> None:
    figure = get(inspected(ledger), "report-log-figure").json()["figure"]
    lanes = figure["layout"]["yaxis"]["ticktext"]
    assert lanes == ["Format", "Missing", "Cleaner"], "one segment and one epoch say nothing"
    cleaner = figure["data"][lanes.index("Cleaner")]
    assert cleaner["base"] == [-0.5, 1.5, 5.5]
    assert cleaner["x"] == [2, 4, 3]


def test_a_source_without_batches_says_what_to_bring(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(lambda folder: write_results(folder, files=files_table({"kind": "export"})))
    assert "tar -czf TOPIC-0.tar.gz -C LOG_DIR TOPIC-0" in get(inspection, "report-log").content.decode()


@pytest.mark.parametrize("name", ["report-records", "report-keys", "report-timeline"])
def test_the_switches_keep_the_other_choice(inspected: Callable[..., Any], get: Get, name: str) -> None:
    page = get(inspected(ledger), name, isolation="read_committed").content.decode()
    assert "isolation=read_committed&amp;cleaned=1" in page
    assert 'aria-current="true">read_committed' in page


def test_the_timeline_draws_what_the_reader_sees(inspected: Callable[..., Any], get: Get) -> None:
    inspection = inspected(ledger)
    drawn = {
        isolation: get(inspection, "report-timeline-figure", isolation=isolation).json()["total"]
        for isolation in ("read_uncommitted", "read_committed")
    }
    assert drawn == {"read_uncommitted": 8, "read_committed": 3}


@pytest.mark.parametrize(
    "name",
    ["report-transactions", "report-transactions-figure", "report-log", "report-log-figure"],
)
def test_a_stranger_finds_nothing(
    inspected: Callable[..., Any], sign_in: Any, stranger: Any, name: str
) -> None:
    from django.urls import reverse

    assert sign_in(stranger).get(reverse(name, args=[inspected(ledger).id])).status_code == 404


def test_the_log_of_a_damaged_partition_marks_its_damage(inspected: Callable[..., Any], get: Get) -> None:
    def damaged(folder: Path) -> Path:
        batches = batches_table(
            *(
                {"base_offset": offset, "last_offset": offset + 9, "crc_ok": offset != 10}
                for offset in (0, 10, 20)
            )
        )
        files = files_table({"kind": "segment", "name": "00.log"})
        sound = {"first_offset": 0, "last_offset": 29, "batches": 2}
        return write_results(
            folder,
            report_document(),
            batches=batches,
            files=files,
            formats=other_table("formats", {**sound, "number": 0, "magic": 2}),
        )

    inspection = inspected(damaged)
    page = text_of(get(inspection, "report-log").content.decode())
    assert page.count("0 – 29 2, and 1 corrupt batch") == 2, "in the table of segments as in that of formats"
    assert "1 segment · 1 batch fails its checksum" in page
    assert re.search(r"1 batch fails its checksum , offsets 10 – 19", page)
    figure = get(inspection, "report-log-figure").json()["figure"]
    [lane] = [trace for trace in figure["data"] if "corrupt" in trace["hovertext"][0]]
    assert (lane["base"], lane["x"]) == ([9.5], [10])
    assert "Faults" not in text_of(get(inspected(ledger), "report-log").content.decode())


def test_the_log_counts_the_records_that_were_read(inspected: Callable[..., Any], get: Get) -> None:
    def written(record_count: int, records_read: int | None) -> Callable[[Path], Path]:
        batches = batches_table(
            {"last_offset": 9, "record_count": record_count, "records_read": records_read, "producer_id": 4}
        )
        return lambda folder: write_results(
            folder,
            report_document(),
            batches=batches,
            files=files_table({"kind": "segment", "name": "00.log"}),
        )

    def page(record_count: int, records_read: int | None) -> str:
        inspection = inspected(written(record_count, records_read))
        return text_of(get(inspection, "report-log").content.decode())

    assert page(11, 10).count("0 – 9 1 10, 11 declared") == 2, "of the segment and of the producer"
    assert "declared" not in page(10, 10)
    assert page(10, None).count("0 – 9 1 10 ") == 2, "a tool's output without records"


def cleaned_from_the_start(folder: Path) -> Path:
    """Records 1, 2 and 4; compaction removed 0 and 3."""
    gaps = [{"first_offset": at, "last_offset": at, "cause": "compaction", "proof": ""} for at in (0, 3)]
    return write_results(
        folder,
        report_document(),
        records=records_table(*({"offset": at} for at in (1, 2, 4))),
        gaps=other_table("gaps", *gaps, topic="journal", partition=0, replica=""),
    )


@pytest.mark.parametrize(("name", "noun"), [("report-overview", ""), ("report-log", "offset ")])
def test_missing_offsets_before_the_first_record_are_not_counted_between_the_records(
    inspected: Callable[..., Any], get: Get, name: str, noun: str
) -> None:
    page = text_of(get(inspected(cleaned_from_the_start), name).content.decode())
    assert f"1 {noun}compacted away, 1 more before offset 1" in page
    assert "2 compacted away" not in page


def test_the_profile_counts_missing_offsets_between_the_records(
    inspected: Callable[..., Any], get: Get
) -> None:
    page = text_of(get(inspected(cleaned_from_the_start), "report-profile").content.decode())
    assert "1 offset between the first and the last records has no record in this input" in page


def test_a_marker_has_no_life_of_a_key_and_its_time_is_set_by_the_broker(
    inspected: Callable[..., Any], get: Get
) -> None:
    inspection = inspected(ledger)
    marker, data = (text_of(get(inspection, "report-record", at).content.decode()) for at in (2, 3))
    assert "set by the broker" in marker
    assert "set by the producer" in data
    for words in ("Same key", "Life of the key"):
        assert words not in marker
        assert words in data
