"""A result folder of a compacted topic with transactions: committed, aborted and open, two formats, two epochs."""

from __future__ import annotations

from pathlib import Path

from tests.builders import batches_table, files_table, other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results

WHERE = {"topic": "ledger", "partition": 0, "replica": ""}


def ledger(folder: Path) -> Path:
    """Offsets 0 to 8: b is written and committed, written again and aborted; producer 2 never ends."""
    records = records_table(
        {"offset": 0, "key": b"a", "value": b"1", "producer_id": 1},
        {"offset": 1, "key": b"b", "value": b"1", "producer_id": 1},
        {"offset": 2, "key": b"\0\0\0\1", "value": b"", "producer_id": 1, "control_type": "commit"},
        {"offset": 3, "key": b"b", "value": b"2", "producer_id": 1},
        {"offset": 4, "key": b"\0\0\0\0", "value": b"", "producer_id": 1, "control_type": "abort"},
        {"offset": 5, "key": b"a", "value": b"2", "producer_id": -1},
        {"offset": 6, "key": b"c", "value": b"1", "producer_id": 2},
        {"offset": 8, "key": b"d", "value": b"1", "producer_id": -1},
        **WHERE,
    )
    transactions = other_table(
        "transactions",
        {**_span(1, 0, 1), "records": 2, "marker_offset": 2, "outcome": "committed"},
        {**_span(1, 3, 3), "records": 1, "marker_offset": 4, "outcome": "aborted", "is_indexed": False},
        {**_span(2, 6, 6), "records": 1, "marker_offset": None, "outcome": "open", "first_stable_offset": 6},
        **WHERE,
    )
    cleanings = other_table(
        "cleanings",
        {
            "compacted": "proven",
            "why": "the cleaner's checkpoint names it",
            "first_dirty_offset": 2,
            "first_uncleanable_offset": 6,
            "stopped_by": "open transaction",
            "removed_records": 2,
            "removed_when_compacted": 3,
        },
        **WHERE,
    )
    formats = other_table(
        "formats",
        {
            "number": 0,
            "magic": 1,
            "first_offset": 0,
            "last_offset": 4,
            "batches": 5,
            "first_leader_epoch": -1,
        },
        {"number": 1, "magic": 2, "first_offset": 5, "last_offset": 8, "batches": 3, "first_leader_epoch": 3},
        **WHERE,
    )
    epochs = other_table(
        "epochs",
        {"epoch": 2, "checkpoint_offset": 1},
        {"epoch": 3, "first_offset": 5, "last_offset": 8, "batches": 3, "checkpoint_offset": 5},
        **WHERE,
    )
    gaps = other_table(
        "gaps",
        {"first_offset": 7, "last_offset": 7, "cause": "compaction", "proof": "A batch header spans it."},
        **WHERE,
    )
    batches = batches_table(
        {"base_offset": 0, "last_offset": 4, "producer_id": 1, "producer_epoch": 0, "base_sequence": 0},
        {"base_offset": 5, "last_offset": 8, "magic": 2, "leader_epoch": 3},
        **WHERE,
    )
    return write_results(
        folder,
        report_document(),
        records=records,
        transactions=transactions,
        cleanings=cleanings,
        formats=formats,
        epochs=epochs,
        gaps=gaps,
        batches=batches,
        files=files_table({"kind": "segment", "name": "ledger-0/00000000000000000000.log", **WHERE}),
    )


def _span(producer: int, first: int, last: int) -> dict[str, int]:
    return {"producer_id": producer, "producer_epoch": 0, "first_offset": first, "last_offset": last}
