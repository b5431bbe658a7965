"""Damaged in transfer: a copy changed a segment. The log that was copied is not known to be damaged.

Innocent: bytes of values that look like one of the changes; a checksum, or the loss of every byte that is no UTF-8, shows it.
Page: docs/detectors/damaged-in-transfer.md
"""

from __future__ import annotations

from spark.detectors import Detector, clause, located, query
from spark.detectors import _words as words
from spark.tables.replica import REPLICA_COLUMNS, Row
from spark.terms import marked
from spark.terms.findings import Finding
from spark.terms.typed_wording import grouped, listed, plural

# One row per file.
CHANGED_FILES = f"""
    WITH changed AS (
        SELECT {REPLICA_COLUMNS}, file, name, list(cause) AS causes, bool_and(is_undone) AS is_undone, list(detail) AS details,
            list(changed) AS changed
        FROM copy_changes GROUP BY ALL
    ),
    contents AS (
        SELECT file, count(*) AS batches, count(*) FILTER (NOT crc_ok) AS corrupt, min(base_offset) AS first_offset,
            max(last_offset) AS last_offset
        FROM batches WHERE file IN (SELECT file FROM changed) GROUP BY file
    ),
    unreadable AS (
        SELECT file, sum(size_bytes)::BIGINT AS unreadable FROM damage
        WHERE reason NOT IN ('truncated', 'torn', 'zeros_at_end') GROUP BY file
    )
    FROM changed LEFT JOIN contents USING (file) LEFT JOIN unreadable USING (file) ORDER BY file
"""
CHANGES = {
    "hex": "is a hex dump of a segment",
    "base64": "is a segment in base64",
    "text_before": "has text before its first batch",
    "text_after": "has text behind its last batch",
    "line_ends": "has CR LF in place of LF",
    "utf_8": "was written as UTF-8",
    "utf_16": "was written as UTF-16",
}
HOW = {
    "hex": "The file contains the bytes of a segment as {detail} prints them.",
    "base64": "The file contains the bytes of a segment as text in base64.",
    "text_before": "Its first {changed} are the text {detail}. A command wrote them to the same file: kubectl or docker exec, ssh, sudo, or curl -i.",
    "text_after": "Its last {changed} are the text {detail}. A command wrote them to the same file: kubectl or docker exec, or ssh.",
    "line_ends": "A transfer as text wrote a carriage return before {changed} that looked like the end of a line: FTP in ASCII mode, git with "
    "core.autocrlf, or a command with a terminal (kubectl exec -t, docker exec -t).",
    "utf_8": "A program read the segment as text and wrote it as UTF-8: an editor, a log shipper, or a client that decodes what it receives.",
    "utf_16": "A program read the segment as text and wrote it as UTF-16: usually the redirection > of Windows PowerShell.",
}
LOST = "It replaced {changed} that {are} not UTF-8 by the bytes EF BF BD (U+FFFD). The original bytes are unknown."


def describe(row: Row) -> Finding:
    is_restored = row["is_undone"] and not row["corrupt"] and not row["unreadable"]
    causes = set(row["causes"])
    return Finding(
        detector=detector.id,
        severity="low" if is_restored else "medium",
        title=title(row, is_restored),
        explanation=explanation(row),
        **located(row, row["first_offset"], row["last_offset"]),
        entity=row["name"],
        remedy=detector.remedy(
            "Restored" if is_restored else "Not restored",
            hex_or_base64={"hex", "base64"} & causes,
            text_of_a_command={"text_before", "text_after"} & causes,
            line_ends="line_ends" in causes,
            utf_8="utf_8" in causes,
            utf_16="utf_16" in causes,
        ),
        confidence="proven" if row["is_undone"] else "likely",
        references=detector.references,
    )


def title(row: Row, is_restored: bool) -> str:
    """Which file, how it was changed, what came of it."""
    how = listed([CHANGES[cause] for cause in row["causes"]])
    result = "and every checksum is correct" if is_restored else "and batches are still corrupt"
    undone = f": this was undone, {result}" if row["is_undone"] else ", and not all bytes can be restored"
    return f"The copy {words.file_name(row)} of {words.partition_name(row)} {how}{undone}"


def explanation(row: Row) -> str:
    """How each change happens, and what the log itself has to do with it."""
    changes = zip(row["causes"], row["details"], row["changed"], strict=True)
    return " ".join([*(how(*change) for change in changes), batches_read(row), OF_THE_LOG])


OF_THE_LOG = (
    "The copy was damaged, not the log: this says nothing about the broker's disk or its other replicas."
)


def how(cause: str, detail: str, changed: int) -> str:
    """One change."""
    origin = HOW[cause].format(detail=marked.quote(detail), changed=plural(changed, "byte"))
    if cause not in {"utf_8", "utf_16"} or not changed:
        return origin
    return f"{origin} {LOST.format(changed=plural(changed, 'byte'), are='is' if changed == 1 else 'are')}"


def batches_read(row: Row) -> str:
    """What could be read."""
    batches, corrupt, unreadable = (row[name] or 0 for name in ("batches", "corrupt", "unreadable"))
    if not batches:
        return "No batch can be read."
    intact = batches - corrupt
    read = f"{plural(intact, 'batch', 'batches')} {'has' if intact == 1 else 'have'} correct checksums"
    rest = [f"{grouped(corrupt)} {'does' if corrupt == 1 else 'do'} not"] if corrupt else []
    rest += (
        [f"{plural(unreadable, 'byte')} {'is' if unreadable == 1 else 'are'} unreadable"]
        if unreadable
        else []
    )
    return f"{'; '.join([read, *rest])}."


detector = Detector(
    id="damaged-in-transfer",
    title="Segment changed while it was copied",
    find=query(CHANGED_FILES),
    describe=describe,
    headline=clause("{count} damaged while being copied", "segment was", "segments were"),
    rows_of="copy_changes",
    one_cause="each",
)
