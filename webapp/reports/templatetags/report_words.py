"""Words of a report: terms that explain themselves, offsets as links to their records, times of records."""

from __future__ import annotations

import re
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus, urlsplit

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from spark.tables.replica import PartitionReplica
from spark.terms.damage import output_title
from spark.terms.entity_words import type_words
from spark.terms.marked import partition_name
from spark.terms.typed_text import Blocks
from spark.terms.wording import offset_range
from webapp.journals.previews.words import aside_words, plural
from webapp.reports.charts.look import gap_look
from webapp.reports.incidents.short_folders import consequence_first, cut, short_copy, with_short_folders
from webapp.reports.offset_links import link_in_text
from webapp.reports.paging import before_fold, in_fold
from webapp.reports.typed_text import Segments, as_html, own, unbroken
from webapp.reports.values.bytes_text import one_line
from webapp.time_element import from_ms, time_element

if TYPE_CHECKING:
    from webapp.reports.page import Page

register = template.Library()
register.filter("aside_words", aside_words)
register.filter("plural", plural)
register.filter("type_words", type_words)
register.filter("offset_range", offset_range)
register.filter("short_copy", short_copy)
register.filter("short_folder", consequence_first)
register.filter("cut", cut)
register.filter("unbroken", unbroken)
register.filter("before_fold", before_fold)
register.filter("in_fold", in_fold)
register.filter("output_title", output_title)
register.filter("with_commands", lambda sentences: as_html(own(sentences)))  # with buttons that copy

TERMS = {
    "tombstone": "A record with a key and a null value: it deletes the key. Compaction removes the older records of that key.",
    "compaction": "Compaction keeps only the newest record of each key.",
    "offset": "The number of a record within its partition. Kafka never uses it twice.",
    "partition": "A topic consists of partitions. Each partition is a separate log with its own offsets.",
    "record batch": "Records are written in batches: one header with a checksum, then the records.",
    "CRC": "A checksum over the batch. If it does not match, bytes were changed after they were written.",
    "LSO": "Last stable offset (LSO): all transactions before it are committed or aborted. read_committed consumers read up to it.",
    "isolation level": "A consumer's setting: read_uncommitted gets every record, read_committed only those of committed "
    "transactions, up to the last stable offset.",
    "read_committed": "Records of aborted transactions are left out, and so are all records from the last stable offset on.",
    "index of aborted transactions": "The broker's .txnindex files. read_committed consumers skip only "
    "the transactions in it: they get the records of an aborted transaction that is missing there.",
    "delete horizon": "The time at which the cleaner may remove a tombstone or a transaction's marker: "
    "delete.retention.ms after the first cleaning that met it.",
    "dirty section": "The records written since the last compaction. It can still contain older records of a key.",
    "clean section": "The compacted part of the log: one record for each key.",
    "active segment": "The newest file of the log, which is still written to. It is never cleaned.",
    "leader-epoch-checkpoint": "The broker's own file of leader epochs: where each began. Followers truncate their logs with it.",
    "coordinator": "The broker that runs a producer's transactions and has their markers written.",
    "marker": "A control record, COMMIT or ABORT, that ends a transaction of one producer.",
    "producer epoch": "Counts how often a producer ID got a new owner. Brokers reject writers with an older producer epoch.",
    "sequence number": "Counts the records of one producer and epoch, so that the broker sees repeats and gaps.",
    "magic": "The version of Kafka's message format: 0, 1, or 2 (since Kafka 0.11).",
    "leader epoch": "Counts the changes of the partition's leader.",
    "control record": "Written by the broker, not by the service: it ends a transaction.",
    "start": "A start of the service: it writes a start mark. Marks of one producer are of one start.",
    "start mark": "An entry the service writes when it starts. A Confluent registry also writes one when it becomes the leader "
    "and after a failed write, so one start can have several.",
    "revived": "Written again after a delete of the same key.",
    "read_uncommitted": "The consumer gets every record, including those of open and aborted transactions.",
    "live": "Bytes of the newest record of a key: what compaction keeps.",
    "dead": "Bytes of older records of a key, and of a tombstone: what compaction may remove.",
    "schema ID": "A zero byte and a number in four bytes come first, as serializers of a schema registry write them. "
    "A look at the first bytes, no proof.",
    "90 %": "90 % of the keys or values are not larger.",
    "99 %": "99 % of the keys or values are not larger.",
    "gap": "Offsets without a record in this dump.",
    "producer": "The client that wrote the batch, identified by the producer ID from the broker.",
    "superseded": "A later record has the same key.",
}
REASONS = {
    "truncated": "truncated",
    "torn": "torn: zeros where its end should be",
    "zeros_at_end": "zeros at the end",
    "zeros": "zeros",
    "not_a_batch": "no record batch",
    "undecodable_records": "records cannot be decoded",
    "not_decompressed": "not decompressed",
    "bad_line": "line cannot be read",
    "crc_mismatch": "corrupt record batch (checksum mismatch)",
    "bad_companion": "companion file cannot be read: no part of the log itself",
}  # of damage
IN_SENTENCES = {"compaction": "removed by compaction", "likely compaction": "likely removed by compaction"}
INDEX_PAGE = re.compile(r"(index)?\.html?")
NUMBERED = re.compile(r"[A-Z]+-\d+")  # KAFKA-7601, KIP-101
REFERENCE_CHARACTERS = 50
_numbers = count(1)


@register.simple_tag(takes_context=True)
def report_url(context: dict[str, Any], name: str, *args: Any) -> str:
    """Address of another page of this report, or of the share that is looked at."""
    address: str = context["page"].source.address(name, args)
    return address


@register.simple_tag
def term(name: str, text: str = "") -> SafeString:
    """A word that explains itself on hover and focus."""
    return _explained(text or name, TERMS[name])


register.simple_tag(partition_name)


@register.simple_tag
def gap_cause(cause: str) -> SafeString:
    """Why offsets are missing, in words that explain themselves."""
    look = gap_look(cause)
    return _explained(look["name"], look["text"])


def _explained(word: str, text: str) -> SafeString:
    identity = f"term-{next(_numbers)}"
    return format_html(
        '<span class="term" tabindex="0" aria-describedby="{0}">{1}<span class="term-text" role="tooltip" id="{0}">'
        "{2}</span></span>",
        identity,
        word,
        text,
    )


@register.simple_tag(takes_context=True)
def offset_link(
    context: dict[str, Any], offset: Any, replica: PartitionReplica | None = None
) -> SafeString | str:
    """An offset as a link that opens its record."""
    if offset is None:
        return "–"
    return link_in_text(context["page"], int(offset), str(int(offset)), replica)


@register.simple_tag(takes_context=True)
def card_url(context: dict[str, Any], finding: Any) -> str:
    """Address of a finding's card."""
    return str(context["page"].card_url(finding))


@register.simple_tag(takes_context=True)
def typed_line(
    context: dict[str, Any], segments: Segments | str | None, replica: PartitionReplica | None = None
) -> SafeString:
    """A line of typed text, or a sentence of a page's own: every offset in it a link, every command set apart."""
    if segments is None or isinstance(segments, str):
        segments = own(segments)
    return as_html(
        segments,
        lambda offset, text, copy: link_in_text(context["page"], offset, text, replica, copy),
        page_link=lambda title: _address_of_page(context["page"], title),
    )


def _address_of_page(page: Page, title: str) -> str:
    name = f"report-{title.lower()}"
    return page.url(name) if page.source.shows(name) else ""


@register.filter
def with_code(sentence: str) -> SafeString:
    """A sentence with code between backticks."""
    return as_html(own(sentence), has_buttons=False)


@register.filter
def without_marks(sentence: str) -> str:
    """The same where no code can be set apart, as in a choice."""
    return sentence.replace("`", "")


@register.simple_tag(takes_context=True)
def typed_blocks(
    context: dict[str, Any], blocks: Blocks | str, replica: PartitionReplica | None = None
) -> SafeString:
    """A text of one line, by its blocks; replicas by the last part of their folder."""
    if isinstance(blocks, str):
        return typed_line(context, blocks, replica)
    segments = [each for block in blocks for each in block["segments"]]
    folders = {each["text"] for each in segments if each.get("kind") == "replica"}
    return typed_line(context, with_short_folders(segments, folders), replica)


@register.simple_tag
def reference_link(reference: str) -> SafeString | str:
    """A reference that is an address as a link, named by what people call it."""
    if not reference.startswith(("https://", "http://")):
        return reference
    return format_html('<a href="{}" rel="noopener noreferrer">{}</a>', reference, name_of_address(reference))


def name_of_address(reference: str) -> str:
    """`apicurio-registry #4384` for an issue on GitHub, else the host and the last part that says something."""
    address = urlsplit(reference)
    parts = [step for step in address.path.split("/") if step and not INDEX_PAGE.fullmatch(step)]
    if address.hostname == "github.com" and len(parts) == 4 and parts[2] in ("issues", "pull"):
        return f"{parts[1]} #{parts[3]}"
    last = INDEX_PAGE.sub("", unquote_plus(address.fragment or (parts[-1] if parts else "")))
    last = last if NUMBERED.match(last) else last.replace("-", " ")
    return f"{address.hostname}: {cut(last, REFERENCE_CHARACTERS)}" if last else str(address.hostname)


@register.simple_tag
def time_span(first_ms: Any, last_ms: Any) -> SafeString:
    """First and last time, to the second; the day once when it is the same, one time when both are."""
    first, last = at_ms(first_ms), at_ms(last_ms)
    moments = [_moment(first_ms), _moment(last_ms)]
    if None in moments:
        return format_html("{} – {}", first, last)
    if moments[0].replace(microsecond=0) == moments[1].replace(microsecond=0):  # type: ignore[union-attr]
        return _time(moments[0], "%Y-%m-%d %H:%M:%S")
    same_day = moments[0].date() == moments[1].date()  # type: ignore[union-attr]
    return format_html(
        "{} – {}",
        _time(moments[0], "%Y-%m-%d %H:%M:%S"),
        _time(moments[1], "%H:%M:%S" if same_day else "%Y-%m-%d %H:%M:%S"),
    )


@register.filter
def at(things: dict[Any, Any], name: Any) -> Any:
    """What a dict has under a name; None where it has nothing."""
    return things.get(name)


@register.filter
def at_ms(timestamp_ms: Any) -> SafeString | str:
    """A record's time in UTC with milliseconds; zone.js puts the local time into the tooltip."""
    moment = _moment(timestamp_ms)
    if moment is None:
        return "–" if timestamp_ms is None or int(timestamp_ms) < 0 else f"{int(timestamp_ms):,} ms"
    return _time(moment, f"%Y-%m-%d %H:%M:%S.{moment.microsecond // 1000:03d}")


@register.filter
def bytes_line(data: bytes | None, limit: int = 120) -> str:
    """Bytes of a key or value in one line."""
    return one_line(bytes(data) if data is not None else None, limit)


@register.filter
def hexadecimal(number: Any) -> str:
    """A checksum as people write it."""
    return "–" if number is None else f"0x{int(number):08x}"


@register.filter
def gap_words(cause: str) -> str:
    """Why offsets are missing, as a sentence says it; labels in figures are shorter."""
    return IN_SENTENCES.get(cause) or gap_look(cause)["name"]


@register.filter
def damage_words(reason: str | None) -> str:
    """`torn` as people say it; a reason without words of its own as it is written."""
    return REASONS.get(reason or "", words(reason))


@register.filter
def words(name: str | None) -> str:
    """`zeros_at_end` as `zeros at end`."""
    return (name or "").replace("_", " ")


@register.filter
def of_type(number: Any, entity_type: str) -> str:
    """`2|of_type:"artifact-rule"` -> `2 artifact rules`."""
    singular = type_words(entity_type)
    many = singular + ("es" if singular.endswith("s") else "s")
    if singular.endswith("y") and singular[-2:-1] not in "aeiou":
        many = singular[:-1] + "ies"
    return plural(number, f"{singular},{many}")


def _moment(timestamp_ms: Any) -> datetime | None:
    """None for no time and for what no calendar holds."""
    return None if timestamp_ms is None or int(timestamp_ms) < 0 else from_ms(timestamp_ms)


def _time(moment: datetime | None, form: str) -> SafeString:
    if moment is None:
        return escape("–")
    return time_element(moment, format(moment, form))
