"""Binary files without a journal, by their first bytes: pictures, documents, archives, other data stores.

Sources: the forms' own magic numbers; ZooKeeper `FileTxnLog`, `FileSnap`. A spreadsheet is a zip archive, unpacked like any other: its
members are recognised by name.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import crc32c

from spark.sources._not_a_journal.words import NOT_READ, Identified, dump, dump_command

AS_TEXT = f"the text itself, copied from the terminal or the page into a file, or {dump()}"
AS_LINES = f"the records as the tool wrote them, not copied into a table: {dump_command()}"
UNPACKED = (
    "its files, unpacked, or a zip, tar, tar.gz or tar.zst archive of them: `tar -czf TOPIC-0.tar.gz TOPIC-0`"
)

PICTURES = (
    (rb"\x89PNG\r\n\x1a\n", "a picture (PNG image, such as a screenshot)"),
    (rb"\xff\xd8\xff", "a picture (JPEG image, such as a screenshot)"),
    (rb"GIF8[79]a", "a picture (GIF image, such as a screenshot)"),
    (rb"RIFF....WEBP", "a picture (WebP image, such as a screenshot)"),
    (rb"BM....\0\0\0\0", "a picture (BMP image, such as a screenshot)"),
    (rb"II\*\0|MM\0\*", "a picture (TIFF image, such as a screenshot)"),
    (rb"....ftyp(?:heic|heix|mif1|avif)", "a picture (HEIC or AVIF)"),
    (rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]", "a picture (SVG)"),
    (rb"....ftyp|\x1aE\xdf\xa3", "a film (MP4 or Matroska)"),
    (rb"%PDF-", "a PDF document"),
)
OFFICE = (
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a spreadsheet or document of Microsoft Office (before 2007)"),
)
ARCHIVES = (
    (rb"Rar!\x1a\x07", "a RAR archive"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (rb"\xfd7zXZ\0", "a file compressed with xz"),
    (rb"BZh[1-9]", "a file compressed with bzip2"),
    (rb"PK\x03\x04|\x1f\x8b\x08|\x28\xb5\x2f\xfd", "an archive inside an archive"),
)
STORES = (
    (rb"PAR1", "a Parquet file"),
    (rb"Obj\x01", "an Avro container file"),
    (rb"ORC", "an ORC file"),
    (rb"SQLite format 3\0", "a SQLite database"),
    (rb"JAVA PROFILE 1\.", "a heap dump of a Java process"),
    (rb"\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x0a\x0d\x0d\x0a", "a network capture (pcap)"),
    (rb"\xca\xfe\xba\xbe", "a Java class file"),
    (rb"\x7fELF|MZ\x90", "a program"),
    (rb"\xfe\xed\xfe\xed", "a Java keystore"),
    (rb"ZKLG", "a transaction log of ZooKeeper"),
    (rb"ZKSN", "a snapshot of ZooKeeper"),
    (rb"\xac\xed\x00\x05", "a serialized Java object"),
)
KINDS = ((PICTURES, AS_TEXT), (OFFICE, AS_LINES), (ARCHIVES, UNPACKED), (STORES, dump()))

NAMES = (
    (re.compile(r"\.(?:rsm-manifest|tierstate)$"), "a manifest of tiered storage"),
    (re.compile(r"\.sst$"), "a table of RocksDB (a state store of Kafka Streams, or of another program)"),
    (
        re.compile(r"(^|/)(?:MANIFEST-\d{6}|OPTIONS-\d{6})$"),
        "a file of RocksDB (a state store of Kafka Streams, or of another program)",
    ),
)
REDPANDA = "a segment of Redpanda (record batches in its own form, not in Kafka's)"
HEADER_BYTES = 61

MEMBERS = (
    (re.compile(r"(^|/)xl/|\.xls[xmb]?(/|$)"), "part of a spreadsheet (Excel)"),
    (re.compile(r"(^|/)word/"), "part of a document (Word)"),
    (re.compile(r"(^|/)ppt/"), "part of a presentation (PowerPoint)"),
    (re.compile(r"\.(ods|odt)/"), "part of a spreadsheet or document (OpenDocument)"),
    (re.compile(r"\.(xlsx|xlsm|docx|pptx)/"), "part of a document of Microsoft Office"),
)


def identify(name: PurePosixPath, head: bytes) -> Identified | None:
    """By the first bytes, or by name: a store's file, or a part of a document that an archive contained."""
    if is_redpanda(head):
        return Identified(REDPANDA, dump(), holds=NOT_READ)
    for forms, instead in KINDS:
        for pattern, description in forms:
            if re.match(pattern, head, re.DOTALL):
                return Identified(description, instead)
    by_name = next((description for pattern, description in NAMES if pattern.search(str(name))), None)
    if by_name:
        return Identified(by_name, dump(), holds=NOT_READ)
    return next(
        (Identified(description, AS_LINES) for pattern, description in MEMBERS if pattern.search(str(name))),
        None,
    )


def is_redpanda(head: bytes) -> bool:
    """Whether a batch of Redpanda begins here: its header's CRC-32C, little-endian, stands before the other 57 bytes.

    Source: redpanda `storage/record_batch_utils.cc`, `model/record.h`.
    """
    header = head[4:HEADER_BYTES]
    return len(head) >= HEADER_BYTES and crc32c.crc32c(header) == int.from_bytes(head[:4], "little")
