"""What a column shows of a record, as HTML: one line, the whole of it in the tooltip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from spark.terms.visible import one_line as escaped
from webapp.journals.templatetags.journalscope import size
from webapp.reports.queries.kinds import kind_word
from webapp.reports.queries.transactions import LOST_ABORT
from webapp.reports.record_table.whole import DECODED_BYTES
from webapp.reports.templatetags.report_words import at_ms
from webapp.reports.values.bytes_text import RenderedValue, one_line, read
from webapp.reports.values.control_records import control_word, what_it_ends
from webapp.reports.values.decoded_line import (
    DecodedLine,
    LinePiece,
    ReadEntry,
    key_line,
    plain_line,
    value_line,
)
from webapp.reports.values.decoded_values import read_framed

if TYPE_CHECKING:
    from webapp.reports.page import Page

NOTHING = mark_safe("")
CORRUPT = mark_safe(
    '<span class="severity-critical" title="Checksum mismatch of its batch: any byte of the record can be wrong">corrupt</span>'
)
HEADER_LETTERS = 300
END_LETTERS = 12  # of a name, which tell it from its neighbours: `-value`, a version, the last part of a path
OUTCOME_MARKS = {"committed": "committed", "aborted": "aborted", "open": "open", LOST_ABORT: "aborted"}


@dataclass(frozen=True)
class RecordCells:
    """A record of the table; `transactional_id` of its producer, where a marker names it."""

    page: Page
    row: dict[str, Any]
    outcome: str
    transactional_id: str
    stable_offset: int | None

    def cell(self, column: str) -> SafeString | str:
        """The content of a cell."""
        return CELLS[column](self)

    @property
    def is_hidden(self) -> bool:
        """Whether readers of committed data do not get it because a transaction before it is open."""
        return self.stable_offset is not None and self.row["offset"] >= self.stable_offset

    def line(self, side: str) -> DecodedLine:
        """Key or value, decoded where this page may."""
        row = self.row
        if row["control_type"]:
            return plain_line(self._marker() if side == "value" else "")
        if row[f"{side}_is_null"]:
            return plain_line("no value" if side == "value" else "no key")
        data = bytes(row[side] or b"")
        if side in self.page.source.hidden:
            return DecodedLine((LinePiece("plain", one_line(data)),), is_raw=True)
        if len(data) > DECODED_BYTES:
            note = f"Too long to decode here. Beginning of {size(row[f'{side}_size_bytes'])}."
            return DecodedLine((LinePiece("plain", one_line(data, 300)),), note, is_raw=True)
        if side == "key":
            return key_line(data, self._key, self._entry())
        return value_line(data, self._reading("value"), self._entry(), self._key)

    @cached_property
    def _key(self) -> RenderedValue:
        return self._reading("key")

    def _reading(self, side: str) -> RenderedValue:
        data = self.row[side]
        if data is None or side in self.page.source.hidden or len(data) > DECODED_BYTES:
            return RenderedValue("null", "")
        if not self.page.source.decodes:
            return read(bytes(data))
        return read_framed(self.page.results, bytes(data), self.row["is_entry"])

    def _entry(self) -> ReadEntry | None:
        """What the dialect read; nothing of it where a share hides the bytes that it was read from."""
        row = self.row
        if not row["is_entry"] or row["decode_error"] or self.page.source.hidden:
            return None
        action, kind = row["entry_action"] or "", row["kind"] or ""
        return ReadEntry(row["entity_id"] or "", action, kind, row["attributes"])

    def _marker(self) -> str:
        row = self.row
        return what_it_ends(
            row["control_type"], row["producer_id"], row["producer_epoch"], self.transactional_id
        )


def _offset(cells: RecordCells) -> SafeString:
    offset = cells.row["offset"]
    return cells.page.offset_links(cells.page.replica).link(offset, str(offset))


def _time(cells: RecordCells) -> SafeString | str:
    return at_ms(cells.row["timestamp_ms"])


def _what(cells: RecordCells) -> SafeString:
    kind, control = cells.row["kind"], cells.row["control_type"]
    corrupt = CORRUPT if cells.row["crc_ok"] is False else NOTHING
    if not kind:
        return corrupt
    word = control_word(control) if control else kind_word(kind)
    action = cells.row["entry_action"]
    title = f"action of the entry: {escaped(action)}" if action and action != kind else ""
    return format_html('{}<span title="{}">{}</span> {}', mark(kind), title, word, corrupt)


@cache
def mark(name: str) -> SafeString:
    """The shape of a kind of record or of an outcome, from the page's sprite."""
    return format_html(
        '<svg class="kind-icon mark-{0}" aria-hidden="true"><use href="#mark-{0}"/></svg>', name
    )


def _entity(cells: RecordCells) -> SafeString:
    row, about = cells.row, cells.row["about"]
    kind, name = escaped(row["entry_type"] or ""), escaped(row["entity_id"] or "")
    if not (kind or name):
        return NOTHING
    title, content = f"{kind} {name}".strip(), _cut_inside(name or kind)
    url = about and cells.page.url("report-entity", type=about["entity_type"], id=about["entity_id"])
    link = (
        format_html('<a href="{}">{}</a>', url, content) if url else format_html("<span>{}</span>", content)
    )
    return format_html(
        '<span class="named" title="{}">{}{}</span>',
        title,
        format_html('<span class="named-type">{}</span> ', kind) if name else "",
        link,
    )


def _cut_inside(name: str) -> SafeString:
    """A name whose end stays where there is no room for all of it."""
    at = max(len(name) - END_LETTERS, 0)
    return format_html('<span class="name-start">{}</span><span>{}</span>', name[:at], name[at:])


def _key(cells: RecordCells) -> SafeString:
    line = cells.line("key")
    if cells.row["key_is_null"] or cells.row["control_type"]:
        return _html(line)
    url = cells.page.key_url(cells.row)
    return format_html('<a class="key-link" href="{}">{}</a>', url, _html(line)) if url else _html(line)


def _value(cells: RecordCells) -> SafeString:
    error = cells.row["decode_error"]
    html = _html(cells.line("value"))
    if not error:
        return html
    return format_html(
        '<span class="entry-unreadable" title="{0}">cannot be read: {0}</span> {1}', escaped(error), html
    )


def _html(line: DecodedLine) -> SafeString:
    """Some thousand pieces a page, so without `format_html`."""
    pieces = " ".join(f'<span class="d-{piece.look}">{escape(piece.text)}</span>' for piece in line.pieces)
    raw = '<span class="raw-bytes">bytes</span> ' if line.is_raw else ""
    return mark_safe(  # noqa: S308 - every text is escaped, the looks are words of ours
        f'<span class="decoded" title="{escape(line.whole)}">{raw}{pieces}</span>'
    )


def _size(cells: RecordCells) -> str:
    row = cells.row
    return (
        size((row["key_size_bytes"] or 0) + (row["value_size_bytes"] or 0))
        .replace("bytes", "B")
        .replace("byte", "B")
    )


def _outcome(cells: RecordCells) -> SafeString:
    if cells.row["control_type"]:
        return NOTHING
    hidden = NOTHING
    if cells.is_hidden:
        title = f"read_committed consumers do not get it: the last stable offset is {cells.stable_offset}."
        hidden = format_html('<span class="is-hidden" title="{}">hidden</span>', title)
    if not cells.outcome:
        return hidden
    icon = mark(OUTCOME_MARKS.get(cells.outcome, "open"))
    word = format_html(
        '{}<span class="outcome-{}">{}</span>', icon, cells.outcome.partition(" ")[0], cells.outcome
    )
    return format_html("{}, {}", word, hidden) if hidden and cells.outcome != "open" else word


def _producer(cells: RecordCells) -> str:
    row = cells.row
    number = row["producer_id"]
    return "" if number is None or number < 0 else f"{number}, producer epoch {row['producer_epoch']}"


def _headers(cells: RecordCells) -> SafeString:
    headers = cells.row["headers"] or []
    pairs = [(one_line(header["key"], 60), one_line(header["value"], 60)) for header in headers]
    title = ", ".join(f"{name}: {value}" for name, value in pairs)[:HEADER_LETTERS]
    pieces = format_html_join(" ", '<span class="d-name">{}</span> <span class="d-text">{}</span>', pairs)
    return format_html('<span title="{}">{}</span>', title, pieces)


def _batch(cells: RecordCells) -> str:
    row = cells.row
    if row["base_offset"] is None:
        return ""
    return f"{row['base_offset']} – {row['last_offset']}"


def _number(name: str) -> Callable[[RecordCells], str]:
    """A number that -1 stands for the absence of."""

    def number_text(cells: RecordCells) -> str:
        number = cells.row[name]
        return "" if number is None or number < 0 else str(number)

    return number_text


CELLS: dict[str, Callable[[RecordCells], SafeString | str]] = {
    "offset": _offset,
    "time": _time,
    "what": _what,
    "entity": _entity,
    "key": _key,
    "value": _value,
    "size": _size,
    "outcome": _outcome,
    "producer": _producer,
    "sequence": _number("sequence"),
    "leader": _number("leader_epoch"),
    "headers": _headers,
    "partition": lambda cells: escaped(cells.page.replica.name),
    "batch": _batch,
}
