"""How columns are written into a share: a SQL expression for each kind of column.

Hashes are computed in SQL; masks and sentences by functions over whole columns, once for each distinct text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from spark.redaction.columns import CHECKSUMS, ColumnKind
from spark.redaction.entity_ids import ANY_NAME
from spark.redaction.hashing import NAME_DIGITS, expression, pads
from spark.redaction.house_words import house_words
from spark.redaction.masking.header_masks import masked_headers
from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.options import Options
from spark.redaction.shown_bytes import ShownBytes
from spark.redaction.shown_members import ShownMembers
from spark.redaction.typed_texts import HIDDEN, ShareTexts
from spark.tables.store import ResultTables
from spark.terms.secret_members import SESSION_KEY

KEY_OF_HASHES = "encode(t.key_hash_1::VARCHAR || ':' || t.key_hash_2::VARCHAR)"
DEFAULT_TENANT = "_/"  # of a registry without tenants: no name
NUMBERED = re.compile(r"[0-9]{1,19}")  # a content that is named by its id
HEADERS_AS = pa.list_(pa.struct([("key", pa.binary()), ("value", pa.binary())]))


@dataclass(frozen=True)
class ShareNames:
    """The replacements of topics and copies; both map every existing name. `files`: by number, the name and its replacement;
    empty where file names are shown."""

    topics: Mapping[str, str]
    copies: Mapping[str, str]
    files: Mapping[int, tuple[str, str]] = field(default_factory=dict)


class Rewriting:
    """The SQL expressions of one share."""

    def __init__(
        self, options: Options, names: ShareNames, texts: ShareTexts, dialects: Mapping[str, str]
    ) -> None:
        self.options, self.names, self.texts = options, names, texts
        self.shown_names = texts.names
        self.masks = ShareMasks(options.fields, options.patterns)
        self.bytes = ShownBytes(options, self.masks, dialects)
        self.shown_members = ShownMembers(options, self.shown_names, self.bytes)

    def prepare(self, tables: ResultTables) -> None:
        """Registers the functions and values that the expressions use."""
        for name, value in pads(self.options.salt).items():
            tables.set_variable(name, value)
        functions: dict[str, Callable[[str], str | None]] = {
            "told_topic": lambda name: self.names.topics.get(name, HIDDEN),
            "told_copy": lambda name: self.names.copies.get(name, HIDDEN),
            "told_file": self._told_file,
            "told_word": self.told_word,
            "told_sentence": self.texts.phrase,
            "told_name": self._told_name,
            "masked_text": lambda text: self.texts.renamed(self.masks.text(text)),
            "masked_content": lambda text: self.texts.renamed(self.masks.document(text)),
        }
        for name, change in functions.items():
            _add(tables, name, change, pa.string(), "VARCHAR")
        _add(tables, "masked_bytes", self.masks.payload, pa.binary(), "BLOB")
        _add(tables, "names_a_secret", self.masks.is_named_by, pa.binary(), "BOOLEAN", pa.bool_())
        _add_of_row(tables, "shown_key", self.bytes.key, "topic VARCHAR, key BLOB", "BLOB")
        _add_of_row(tables, "shown_value", self.bytes.value, "topic VARCHAR, key BLOB, value BLOB", "BLOB")
        _add_of_row(tables, "shown_id", self.shown_id, "topic VARCHAR, kind VARCHAR, id VARCHAR", "VARCHAR")
        _add_of_row(tables, "shown_needed", self.shown_needed, "topic VARCHAR, id VARCHAR", "VARCHAR")
        _add_of_row(tables, "shown_members", self.shown_members, "topic VARCHAR, members VARCHAR", "VARCHAR")
        _add_headers(tables, self.masks)

    def told_word(self, word: str) -> str:
        return word if word in house_words() else self.shown_names.hashed(ANY_NAME, word)

    def shown_needed(self, topic: str | None, needed: str) -> str | None:
        """`artifact:pay/money`, `content:48` for `content:_/<hash>`. The type is our own word; a hash would let a reader test
        guesses at a value."""
        kind, colon, identity = needed.partition(":") if ":" in needed else ("", "", needed)
        *above, last = identity.removeprefix(DEFAULT_TENANT).split("/")
        is_content = kind == "content" and not self.options.shows_all_names
        if is_content:
            last = self.shown_names.content_ids.get((topic or "", last)) or last.removeprefix("#")
        pseudonym = self.shown_id(topic, kind, "/".join([*above, last]))
        if is_content and not NUMBERED.fullmatch(last):
            pseudonym = "/".join(
                [*(pseudonym or "").split("/")[: len(above)], self.shown_names.hashed("hash", last)]
            )
        return f"{self.told_word(kind)}{colon}{pseudonym}"

    def _told_name(self, name: str) -> str | None:
        """A name of the cluster, outside of records."""
        if self.options.names or self.options.shows_all_names:
            return self.texts.renamed(self.masks.text(name))
        return self.shown_names.pseudonym(ANY_NAME, name)

    def _told_file(self, number: str) -> str:
        _, replacement = self.names.files.get(int(number), ("", ""))
        return replacement or f"file {int(number) + 1}"

    def shown_id(self, topic: str | None, kind: str | None, identity: str) -> str | None:
        if not self.shown_names.shows_ids_of(topic):
            return self.shown_names.id_of(topic, kind, identity)
        return self.texts.renamed(self.bytes.masks_of(topic).text(identity))

    def column(self, name: str, kind: ColumnKind) -> str:
        """SQL for a column of `t`."""
        if name in CHECKSUMS:
            return self._checksum(f't."{name}"')
        return getattr(self, f"_{kind.name.lower()}")(f't."{name}"')

    def untouched(self) -> str | None:
        """SQL for records of `t` that are shown unchanged; None if a part of every record is hidden."""
        if not self.options.shows_all:
            return None
        rewrites = (("key", self._key), ("value", self._value), ("headers", self._headers))
        columns = ((f't."{name}"', rewrite) for name, rewrite in rewrites)
        return " AND ".join(f"{column} IS NOT DISTINCT FROM {rewrite(column)}" for column, rewrite in columns)

    def _checksum(self, column: str) -> str:
        """Unchanged for batches whose records are all in the share."""
        return f'CASE WHEN (t."file", t.position) IN (SELECT "file", position FROM shown_batches) THEN {column} END'

    def _plain(self, column: str) -> str:
        return column

    def _word(self, column: str) -> str:
        return column if self.options.shows_all_names else f"told_word({column})"

    def _topic(self, column: str) -> str:
        return f"told_topic({column})"

    def _copy(self, column: str) -> str:
        return f"told_copy({column})"

    def _key(self, column: str) -> str:
        if self.options.shows_keys:
            if self.bytes.are_plain:
                return column
            return f"CASE WHEN {column} IS NOT NULL THEN shown_key({{'topic': t.topic, 'key': {column}}}) END"
        hashed = f"encode('key-' || substr({expression(KEY_OF_HASHES)}, 1, 12))"
        return f"CASE WHEN {column} IS NOT NULL THEN {hashed} END"

    def _key_hash_1(self, column: str) -> str:
        return self._key_hash(1)

    def _key_hash_2(self, column: str) -> str:
        return self._key_hash(17)

    def _key_hash(self, start: int) -> str:
        """Sixty bits of the salted hash; null keys keep their zeros."""
        salted = f"('0x' || substr({expression(KEY_OF_HASHES)}, {start}, 15))::BIGINT"
        return f"CASE WHEN t.key_hash_1 = 0 AND t.key_hash_2 = 0 THEN 0 ELSE {salted} END"

    def _value(self, column: str) -> str:
        if self.options.payloads:
            row = f"{{'topic': t.topic, 'key': t.\"key\", 'value': {column}}}"
            is_session_key = f"t.\"key\" = '{SESSION_KEY.decode()}'::BLOB"
            is_looked_at = is_session_key if self.bytes.are_plain else "true"
            return (
                f"CASE WHEN {column} IS NOT NULL AND {is_looked_at} THEN shown_value({row}) ELSE {column} END"
            )
        hashed = expression(f"encode('value:') || {column}")
        return (
            f"CASE WHEN {column} IS NULL THEN NULL WHEN octet_length({column}) = 0 THEN {column} "
            f"ELSE encode('[hidden, fingerprint ' || substr({hashed}, 1, 12) || ']') END"
        )

    def _key_form(self, column: str) -> str:
        return column if self.options.shows_keys else "NULL"

    def _value_form(self, column: str) -> str:
        return column if self.options.payloads else "NULL"

    def _headers(self, column: str) -> str:
        if self.options.headers and self.options.payloads:
            masked = f"CASE WHEN len({column}) > 0 THEN masked_headers({column}) ELSE {column} END"
            return masked if self.masks.are_any else column
        name = "masked_bytes(x.key)" if self.options.headers else f"'{HIDDEN}'::BLOB"
        value = f"CASE WHEN x.value IS NOT NULL THEN '{HIDDEN}'::BLOB END"
        return f"list_transform({column}, lambda x: {{'key': {name}, 'value': {value}}})"

    def _entry_id(self, column: str) -> str:
        return self._id("t.entry_type", column)

    def _entity_id(self, column: str) -> str:
        return self._id("t.entity_type", column)

    def _needed_id(self, column: str) -> str:
        return f"CASE WHEN {column} IS NOT NULL THEN shown_needed({{'topic': t.topic, 'id': {column}}}) END"

    def _id(self, kind: str, column: str) -> str:
        row = f"{{'topic': t.topic, 'kind': {kind}, 'id': {column}}}"
        return f"CASE WHEN {column} IS NOT NULL THEN shown_id({row}) END"

    def _name(self, column: str) -> str:
        return f"told_name({column})"

    def _setting(self, column: str) -> str:
        if self.options.shows_all_names:
            return self._masked(column, "masked_text")
        return f"CASE WHEN {column} = '' THEN '' ELSE 'name-' || substr({expression(f'encode({column})')}, 1, {NAME_DIGITS}) END"

    def _members(self, column: str) -> str:
        return f"CASE WHEN {column} IS NOT NULL THEN shown_members({{'topic': t.topic, 'members': {column}}}) END"

    def _texts(self, column: str) -> str:
        if self._quotes_are_shown:
            return f"list_transform({column}, lambda x: {self._masked('x', 'masked_text')})"
        return f"list_filter({column}, lambda x: told_sentence(x) = x)"

    def _text(self, column: str) -> str:
        """A phrase of our own, otherwise hidden: the text may quote data."""
        if self._quotes_are_shown:
            return self._masked(column, "masked_text")
        return f"told_sentence({column})"

    @property
    def _quotes_are_shown(self) -> bool:
        """Whether a sentence may quote records, and name topics that the input does not contain."""
        return self.options.shows_all_names and self.options.names

    def _content(self, column: str) -> str:
        if not self.options.payloads:
            return "NULL::VARCHAR"
        masked = self._masked(column, "masked_content")
        if column != 't."value"' or not self.masks.are_any:
            return masked
        return f"CASE WHEN names_a_secret(encode(t.name)) THEN '{MASKED}' ELSE {masked} END"

    def _file_name(self, column: str) -> str:
        """File names contain topics and the journal's name: they are hidden with names, unless Kafka gave them."""
        if self.options.payloads and self.options.names:
            return self._masked(column, "masked_text")
        return 'told_file(t."file"::VARCHAR)'

    def _masked(self, column: str, function: str) -> str:
        renames = function in ("masked_text", "masked_content") and self.texts.renames_any
        return f"{function}({column})" if self.masks.are_any or renames else column


def _add_of_row(
    tables: ResultTables, name: str, change: Callable[..., Any], members: str, gives: str
) -> None:
    """Registers a function over a struct of columns, called once for each distinct row of a batch."""

    def over(rows: pa.ChunkedArray | pa.Array) -> pa.Array:
        results: dict[tuple[Any, ...] | None, Any] = {None: None}
        keys = [None if row is None else tuple(row.values()) for row in rows.to_pylist()]
        for key in keys:
            if key is not None and key not in results:
                results[key] = None if key[-1] is None else change(*key)
        return pa.array([results[key] for key in keys], pa.binary() if gives == "BLOB" else pa.string())

    tables.add_function(name, over, f"STRUCT({members})", gives)


def _add_headers(tables: ResultTables, masks: ShareMasks) -> None:
    """Registers `masked_headers` over a column of lists."""

    def over(column: pa.ChunkedArray | pa.Array) -> pa.Array:
        rows = (None if headers is None else masked_headers(masks, headers) for headers in column.to_pylist())
        return pa.array(rows, HEADERS_AS)

    type_ = "STRUCT(key BLOB, value BLOB)[]"
    tables.add_function("masked_headers", over, type_, type_)


def _add(
    tables: ResultTables,
    name: str,
    change: Callable[[Any], Any],
    input_type: pa.DataType,
    type_: str,
    result_type: pa.DataType | None = None,
) -> None:
    """Registers a function over a column, called once for each distinct value; null stays null."""

    def over(values: pa.ChunkedArray | pa.Array) -> pa.Array:
        column = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        encoded = pc.dictionary_encode(column.cast(input_type))
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.combine_chunks()
        results = pa.array(
            [change(value) for value in encoded.dictionary.to_pylist()], result_type or input_type
        )
        return results.take(encoded.indices)

    taken = "BLOB" if input_type == pa.binary() else "VARCHAR"
    tables.add_function(name, over, taken, type_)
