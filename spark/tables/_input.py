"""Tables of what the bytes say: files, batches, records, damage."""

from __future__ import annotations

from spark.tables._schema import HEADERS, OF_FILE, table

FILES = table(
    "files",
    "input file, archive members one by one",
    ("file", "int", "number, referred to by the other tables"),
    ("name", "string", "path as uploaded, archive members as `archive.zip/member`"),
    ("sha256", "string", "of the file's bytes, lower-case hex"),
    ("kind", "string", "segment | export | companion | ignored"),
    ("layout", "string", "id of the source that reads it, or null"),
    ("layout_title", "string", "the same in words"),
    ("topic", "string", "topic the name or first record gives"),
    ("partition", "int", "partition the folder's name gives"),
    ("replica", "string", "see the other tables"),
    ("base_offset", "bigint", "offset in a segment's file name"),
    ("size_bytes", "bigint", "size"),
    ("cannot_tell", "array<string>", "sentences: what this file format loses"),
    ("note", "string", "how it was recognised, or why it was not"),
)

SET_ASIDE = table(
    "set_aside",
    "line of a pasted text that is not output of the tool, or repeats a record",
    ("file", "int", "first print of the text"),
    ("name", "string", "the text's file as uploaded"),
    ("line", "int", "number of the line, from 1"),
    ("position", "bigint", "first byte"),
    ("size_bytes", "bigint", "with its end of line"),
    (
        "kind",
        "string",
        "prompt | command | fence | program | closing | left out | comment | text | unread | repeat",
    ),
    ("records", "int", "first line of a repeat: records that it repeats; else 0"),
    ("text", "string", "the line, up to 2,000 characters"),
)

COPY_CHANGES = table(
    "copy_changes",
    "change that a copy made to a segment",
    *OF_FILE,
    ("name", "string", "the segment's file as uploaded"),
    ("cause", "string", "hex | base64 | text_before | text_after | line_ends | utf_8 | utf_16"),
    ("is_undone", "boolean", "the segment is read as it was before"),
    ("detail", "string", "the text that was added, the tool, or the encoding"),
    ("changed", "bigint", "bytes added or replaced; 0: all"),
)

BATCHES = table(
    "batches",
    "record batch (v2) or message-set entry (v0, v1), in file order",
    *OF_FILE,
    ("position", "bigint", "byte position in the file"),
    ("size_bytes", "int", "with the 12 bytes of offset and length"),
    ("base_offset", "bigint", ""),
    ("last_offset", "bigint", "base offset + last offset delta"),
    ("magic", "tinyint", "message format version"),
    ("codec", "string", "none | gzip | snappy | lz4 | zstd"),
    ("timestamp_type", "string", "create | log_append"),
    ("base_timestamp_ms", "bigint", "null when the field holds the delete horizon"),
    ("max_timestamp_ms", "bigint", ""),
    ("delete_horizon_ms", "bigint", "set by the cleaner (attribute bit 6), else null"),
    ("leader_epoch", "int", "-1: none"),
    ("producer_id", "bigint", "-1: none"),
    ("producer_epoch", "smallint", "-1: none"),
    ("base_sequence", "int", "-1: none"),
    ("is_transactional", "boolean", ""),
    ("is_control", "boolean", ""),
    ("record_count", "int", "as the header says"),
    ("records_read", "int", "records that could be decoded"),
    ("crc_stored", "bigint", "unsigned 32 bits"),
    ("crc_computed", "bigint", "unsigned 32 bits"),
    ("crc_ok", "boolean", ""),
)

RECORDS = table(
    "records",
    "record, control records included; sorted by place in the file",
    *OF_FILE,
    ("offset", "bigint", ""),
    ("batch_position", "bigint", "byte position of its batch; of its line or element in a text export"),
    ("timestamp_ms", "bigint", "record timestamp"),
    ("timestamp_type", "string", "create | log_append"),
    ("key", "binary", "key bytes as the broker stored them"),
    ("value", "binary", "value bytes as the broker stored them"),
    ("key_is_null", "boolean", ""),
    ("value_is_null", "boolean", "true: a tombstone"),
    ("key_size_bytes", "int", "0 for null"),
    ("value_size_bytes", "int", "0 for null"),
    (
        "headers",
        HEADERS,
        "in order, duplicates kept; value null possible; null: the file format contains none",
    ),
    ("control_type", "string", "commit | abort | leader_change | snapshot_header | ... ; null: data"),
    ("producer_id", "bigint", ""),
    ("producer_epoch", "smallint", ""),
    ("sequence", "int", ""),
    ("key_hash_1", "bigint", "first half of the 128-bit hash of the key bytes; 0 for a null key"),
    ("key_hash_2", "bigint", "second half"),
    (
        "key_form",
        "string",
        "framed | object | text | binary | ... by its bytes: spark/tables/forms.py; null for null",
    ),
    ("value_form", "string", "the same of the value"),
    ("key_schema_id", "int", "of a framed key"),
    ("value_schema_id", "int", "of a framed value"),
    ("entry_type", "string", "what the dialect calls it (Content, Artifact, ...); null in a plain topic"),
    ("entry_action", "string", "create | update | delete | import | restart | ...; null in a plain topic"),
)

DAMAGE = table(
    "damage",
    "unreadable byte range",
    *OF_FILE,
    ("position", "bigint", "first byte"),
    ("size_bytes", "bigint", "length of the byte range"),
    (
        "reason",
        "string",
        "truncated | torn (its end is zeros to the end of the file) | zeros_at_end | zeros | not_a_batch | undecodable_records | not_decompressed | bad_line | bad_companion (a companion file, no part of the log)",
    ),
    ("detail", "string", "one sentence"),
    ("first_offset", "bigint", "first offset that fell in it, when the neighbours tell"),
    ("last_offset", "bigint", "last such offset; null when unknown"),
    ("batches_after", "boolean", "readable data follows in the same file"),
)

INDEX_ENTRIES = table(
    "index_entries",
    "entry of an offset or time index, zeros at the end left out",
    *OF_FILE,
    ("base_offset", "bigint", "offset in the index's file name: that of its segment"),
    ("kind", "string", "offset | time"),
    ("offset", "bigint", "offset the entry names: base offset + relative offset"),
    ("position_bytes", "bigint", "place in the segment's file; null in a time index"),
    ("timestamp_ms", "bigint", "null in an offset index"),
)

RUNS = table(
    "runs",
    "unbroken run of offsets within one split, in file order",
    *OF_FILE,
    ("position", "bigint", "byte position of the run's first batch or line"),
    ("first_offset", "bigint", ""),
    ("last_offset", "bigint", ""),
)
