"""Words, numbers and marks as the pages write them. Built in: templates need no `load`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from django import template
from django.forms import BoundField
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from spark.terms.verdict_word import verdict_tone, verdict_word, without_word
from spark.terms.visible import cut_middle, one_line
from webapp.time_element import from_ms, time_element

register = template.Library()
register.filter(from_ms)

NO_VALUE = "\N{EN DASH}"
ICONS = {"critical": "⬢", "high": "▲", "medium": "◆", "low": "●", "info": "○", "healthy": "✓"}
SIZES = ((1000**4, "TB"), (1000**3, "GB"), (1000**2, "MB"), (1000, "kB"))
LAST_WORDS = re.compile(r"(?<!\w)\S.{6,14}$|.{1,8}$")  # whole words where they are short enough


@register.filter
def icon(level: str) -> str:
    return ICONS.get(level, "○")


@register.filter
def shown(name: object) -> str:
    """A name on one line, with control characters escaped."""
    return "" if name is None else one_line(str(name))


@register.filter
def short(name: object, characters: int) -> SafeString | str:
    """A name on one line, cut in its middle where it is longer, then whole in its tooltip."""
    whole = shown(name)
    if len(whole) <= characters:
        return whole
    return format_html('<span title="{}">{}</span>', whole, cut_middle(whole, characters))


@register.filter
def fitted(name: object) -> SafeString:
    """A name that the browser cuts before its last words where it is longer than its line: names differ at their ends."""
    whole = shown(name)
    end = LAST_WORDS.search(whole)
    at = end.start() if end else 0
    return format_html(
        '<span class="fitted" title="{}"><span>{}</span><span>{}</span></span>', whole, whole[:at], whole[at:]
    )


@register.filter
def beside_chip(sentence: str, level: str) -> str:
    """A verdict without the word of the chip beside it: `Healthy. 243 records` -> `243 records`."""
    return without_word(level, sentence)


@register.filter
def without_stop(sentence: str) -> str:
    """For a sentence that goes on, or whose end the page writes."""
    return sentence.removesuffix(".")


@register.filter
def chip_word(level: str, sentence: str = "") -> str:
    """Text of the chip of a severity or a verdict: `Critical`, `Healthy`, `No fault found`."""
    return verdict_word(level, sentence)


@register.filter
def chip_tone(level: str, sentence: str = "") -> str:
    """Level that determines icon and colour of a chip: `info` if not everything could be checked."""
    return verdict_tone(level, sentence or "")


@register.filter
def first_sentence(text: str) -> str:
    """Without a command at its end: a row has no room for it, the page of the row has it whole."""
    sentence = re.split(r"(?<=\.)\s", text, maxsplit=1)[0]
    before, command, _ = sentence.partition(": `")
    return f"{before}." if command else sentence


@register.filter
def title_of(journal: Any, summary: dict[str, Any] | None) -> str:
    """The name that somebody gave the journal; else its topic and partition; before it is inspected, its files."""
    names = summary or {}
    file_name = names.get("by_files") or ""
    is_of_file = journal.name == file_name or file_name.startswith(f"{journal.name}.")
    return names.get("by_topics") or journal.name if is_of_file else journal.name


@register.filter
def without_remark(title: str) -> str:
    """`Apicurio Registry 2.x` of `Apicurio Registry 2.x (KafkaSQL journal)`."""
    return title.partition(" (")[0]


@register.filter
def grouped(number: Any) -> str:
    """1204331 -> 1,204,331; None -> a dash."""
    return NO_VALUE if number is None or number == "" else f"{int(number):,}"


@register.filter
def offset(number: Any) -> str:
    """1204331, without separators; None -> a dash."""
    return NO_VALUE if number is None or number == "" else str(int(number))


@register.filter
def size(size_bytes: Any) -> str:
    """`3.1 MB`: bytes in a readable unit."""
    count = int(size_bytes or 0)
    for unit_bytes, unit in SIZES:
        if count >= unit_bytes:
            return f"{count / unit_bytes:.1f} {unit}"
    return f"{count:,} byte{'' if count == 1 else 's'}"


@register.filter
def when(moment: datetime | None) -> SafeString | str:
    """A time in UTC; zone.js adds the local time as a tooltip."""
    if moment is None:
        return NO_VALUE
    return time_element(moment, f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}")


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """Rough time since then; the exact time is in the tooltip."""
    return (
        NO_VALUE if moment is None else time_element(moment, _ago((timezone.now() - moment).total_seconds()))
    )


@register.filter
def span(summary: dict[str, Any]) -> SafeString | str:
    """First and last timestamp of the records, in a short form."""
    first, last = from_ms(summary.get("first_timestamp_ms")), from_ms(summary.get("last_timestamp_ms"))
    if first is None or last is None:
        return ""
    same_day = first.date() == last.date()
    end = f"{last:%H:%M}" if same_day else f"{last:%Y-%m-%d}"
    start = f"{first:%Y-%m-%d %H:%M}" if same_day else f"{first:%Y-%m-%d}"
    if start == f"{last:%Y-%m-%d %H:%M}":
        return time_element(first, start)
    return format_html("{} \N{EN DASH} {}", time_element(first, start), time_element(last, end))


@register.filter
def newest_record(summary: dict[str, Any] | None, has_seconds: bool = False) -> SafeString | str:
    """Time of the newest record, which tells dumps of one topic apart; empty if the dump has no timestamps."""
    last = from_ms((summary or {}).get("last_timestamp_ms"))
    form = "%Y-%m-%d %H:%M:%S" if has_seconds else "%Y-%m-%d %H:%M"
    return time_element(last, last.strftime(form)) if last else ""


@register.filter
def seconds(duration: Any) -> str:
    """Seconds as `3.1 s` or `2 min 5 s`."""
    if duration is None or duration == "":
        return ""
    total = float(duration)
    return f"{total:.1f} s" if total < 60 else f"{int(total // 60)} min {int(total % 60)} s"


@register.filter
def percent(done: Any, total: Any) -> int:
    """0 if the total is 0."""
    return min(100, int(100 * int(done or 0) / int(total))) if total else 0


@register.filter
def total(counts: dict[str, int] | None) -> int:
    """Sum of counts by name, such as findings by severity."""
    return sum((counts or {}).values())


def _ago(elapsed_seconds: float) -> str:
    for unit_seconds, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if elapsed_seconds >= unit_seconds:
            return f"{int(elapsed_seconds // unit_seconds)} {unit} ago"
    return "just now"


@register.filter
def control(field: BoundField) -> SafeString:
    input_type = getattr(field.field.widget, "input_type", "")
    marks = {"checkbox": "form-check-input", "select": "form-select"}.get(input_type, "form-control")
    # the label says it already; a placeholder that repeats it only looks like a value
    return field.as_widget(
        attrs={"class": f"{marks} is-invalid" if field.errors else marks, "placeholder": ""}
    )
