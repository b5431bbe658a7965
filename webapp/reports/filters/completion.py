"""What can follow in a filter that somebody types: names that the journal contains, operators, values, usual filters.

The place of the cursor decides. Each choice says which characters it replaces; nothing is offered that the language refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import Any

from spark.terms.wording import plural
from webapp.rejected import Rejected
from webapp.reports.charts.clock import clock_of
from webapp.reports.filters.fields import FIELDS, OUTCOMES, FilterField
from webapp.reports.filters.former import RecordFilter
from webapp.reports.filters.met import MetName, MetNames, met_names, met_words
from webapp.reports.filters.moments import moment_text
from webapp.reports.filters.parser import FilterParser
from webapp.reports.filters.reading import FilterError
from webapp.reports.filters.tree import FilterTree, literal, text_of
from webapp.reports.queries.keys import TEXT_OF
from webapp.reports.queries.kinds import START_MARK, kind_word
from webapp.reports.queries.partitions import Facts
from webapp.reports.queries.records import RecordPosition, find_offsets
from webapp.reports.results import WHERE_REPLICA, PartitionResults
from webapp.time_element import zone_named

MAX_CHOICES = 8  # choices of a group
USUAL = 3
HITS_SECONDS = 1.0  # of all choices together
STEP = r'(?:\."(?:[^"\\]|\\.)*"|\.[^\s:=<>!~()",.*]*)'
NAME = rf"[A-Za-z_]\w*{STEP}*"
VALUE = re.compile(
    rf"""(?:^|[\s(-])(?P<name>{NAME})\s*(?P<operator>!=|<=|>=|:|=|<|>)\s*(?P<values>(?:"(?:[^"\\]|\\.)*"?|[^\s()"])*)$""",
    re.DOTALL,
)
PARTIAL = re.compile(rf"(?:^|[\s(-])(?P<name>(?:{NAME})?)$", re.DOTALL)
AFTER_NAME = re.compile(rf"(?:^|[\s(-])(?P<name>{NAME})\s+$", re.DOTALL)
KEYS = f"""
SELECT {TEXT_OF.format(column='"key"')} AS word, versions AS records FROM keys
WHERE {WHERE_REPLICA} AND starts_with({TEXT_OF.format(column='"key"')}, $start) ORDER BY versions DESC, word LIMIT {MAX_CHOICES}
"""
ENTITIES = f"""
SELECT entity_id AS word, count(*) AS records FROM entries
WHERE {WHERE_REPLICA} AND entity_id IS NOT NULL AND contains(lower(entity_id), lower($start))
GROUP BY entity_id ORDER BY starts_with(lower(entity_id), lower($start)) DESC, records DESC, word LIMIT {MAX_CHOICES}
"""


@dataclass(frozen=True)
class FilterChoice:
    """`insert` takes the place of the characters from `start` to `end`."""

    text: str
    about: str
    insert: str
    start: int
    end: int


@dataclass(frozen=True)
class ChoiceGroup:
    title: str
    choices: list[FilterChoice] = field(default_factory=list)


@dataclass(frozen=True)
class FilterCompletion:
    """Completes a text at a cursor for one partition."""

    partition: PartitionResults
    facts: Facts
    text: str
    cursor: int
    hidden: frozenset[str] = frozenset()
    zone: str = ""
    decodes: bool = True
    began: float = field(default_factory=monotonic)

    def answer(self) -> dict[str, Any]:
        """For the page: tokens with their colours, the mistake, the groups of choices."""
        parser = FilterParser(self.text, hidden=self.hidden)
        mistake = None
        try:
            parser.parse()
        except FilterError as problem:
            mistake = {
                "start": problem.start,
                "end": problem.end,
                "sentence": str(problem),
                "instead": problem.instead,
            }
        groups = [group for group in self.groups() if group.choices]
        return {
            "tokens": [list(token) for token in parser.tokens],
            "mistake": mistake,
            "groups": [asdict(group) for group in groups],
        }

    def groups(self) -> Iterable[ChoiceGroup]:
        head = self.text[: self.cursor]
        if (after := AFTER_NAME.search(head)) and self._is_field(after["name"]):
            yield self._operators(after["name"])
            yield self._usual(after["name"], self.cursor - len(after[0].lstrip("( -")))
            return
        if (value := VALUE.search(head)) and self._is_field(value["name"]):
            yield self._values(value)
            return
        partial = PARTIAL.search(head)
        if partial is None:
            return
        start = self.cursor - len(partial["name"])
        yield from self._names(partial["name"], start)

    @property
    def met(self) -> MetNames:
        return met_names(self.partition, self.facts.bounds, self.facts.records, self.hidden, self.decodes)

    def _is_field(self, name: str) -> bool:
        filter_field = FIELDS.get(name.split(".")[0].lower())
        return filter_field is not None and filter_field.hidden_with not in self.hidden

    def _fields(self) -> list[FilterField]:
        return [each for each in FIELDS.values() if each.hidden_with not in self.hidden]

    def _names(self, typed: str, start: int) -> Iterable[ChoiceGroup]:
        """Names that begin with what is typed, then those that contain it."""
        plain = [each for each in self._fields() if each.kind != "member"]
        fields = [
            FilterChoice(each.name, each.meaning, f"{each.name}:", start, self.cursor)
            for each in plain
            if each.name.startswith(typed.lower())
        ]
        members = [name for name in self.met.names.values() if typed.lower() in name.name.lower()]
        members.sort(
            key=lambda name: (not name.name.lower().startswith(typed.lower()), name.kind == "object")
        )
        titles = {"value": "Members of the value", "key": "Members of the key", "header": "Headers"}
        groups = {name: ChoiceGroup(title) for name, title in titles.items()}
        for member in members:
            group = groups[member.name.split(".")[0]]
            if len(group.choices) < (MAX_CHOICES if typed else MAX_CHOICES // 2):
                about = f"{member.kind}, {self._of_records(member.records)}"
                group.choices.append(FilterChoice(member.name, about, f"{member.name} ", start, self.cursor))
        if "." not in typed:
            yield ChoiceGroup("Fields", fields)
        yield from groups.values()
        if not typed:
            yield self._usual("", start)
        if typed and (first := next(iter(members), None)) and first.name.lower().startswith(typed.lower()):
            yield replace(self._operators(first.name, start), title=f"After {first.name}")
            yield self._usual(first.name, start)

    def _of_records(self, records: int) -> str:
        met = self.met
        return (
            f"in {plural(records, 'record')}"
            if met.of_all
            else f"in {records:,} of {met.looked_at:,} records looked at"
        )

    def _operators(self, name: str, start: int | None = None) -> ChoiceGroup:
        """`start`: where the name begins that has not been typed to its end."""
        begin = self.cursor if start is None else start
        prefix = "" if start is None else f"{name} "
        met = self.met.names.get(name)
        example = next(iter(met.values), "") if met else ""
        if met and met.kind == "number":
            offered = [
                ("> ", "above"),
                ("< ", "below"),
                ("= ", "equals"),
                (":", "a range such as 1..9, or several values"),
            ]
        else:
            offered = [("= ", "equals"), (":", "several values, * for any text"), ("!= ", "differs")]
            offered.append(("~ /", f"regular expression, such as /^{re.escape(example)[:12]}/"))
        choices = [
            FilterChoice(operator.strip(), about, f"{prefix}{operator}", begin, self.cursor)
            for operator, about in offered
        ]
        return ChoiceGroup(f"After {name}", choices)

    def _usual(self, name: str, start: int) -> ChoiceGroup:
        """Up to three whole tests with the records that the filter would then match."""
        choices = []
        for test in list(usual_tests(self, name))[:USUAL]:
            hits = self._hits_of(self.text[:start] + test + self.text[self.cursor :])
            if hits and test not in self.text:
                about = f"{plural(hits, 'record')} {'match' if hits != 1 else 'matches'}"
                choices.append(FilterChoice(test, about, f"{test} ", start, self.cursor))
        return ChoiceGroup("Usual here", choices)

    def _hits_of(self, text: str) -> int | None:
        try:
            return self._hits(FilterParser(text, hidden=self.hidden).parse())
        except FilterError:
            return None

    def _hits(self, tree: FilterTree | None) -> int | None:
        """None: they are not counted within the time that an answer has for counting."""
        record_filter = RecordFilter(tree, self.zone, self.decodes)
        seconds = self.began + HITS_SECONDS - monotonic()
        if seconds <= 0:
            return None
        try:
            with self.partition.results.deadline(seconds):
                return find_offsets(self.partition, record_filter, self.facts, RecordPosition(), 1).total
        except (TimeoutError, Rejected):
            return None

    def _values(self, match: re.Match[str]) -> ChoiceGroup:
        """Values that are met, which begin with what is typed of the last one."""
        name, typed = match["name"], match["values"].rpartition(",")[2]
        start = self.cursor - len(typed)
        plain = typed.strip('"*')
        met = self.met.names.get(name)
        is_plain = name in ("offset", "time") or (met is not None and met.kind != "text")
        choices = [
            FilterChoice(word, about, f"{word if is_plain else text_of(literal(word))} ", start, self.cursor)
            for word, about in self._words(name, plain)
            if (word.lower().startswith(plain.lower()) or name == "entity") and word.isprintable()
        ]
        return ChoiceGroup(f"Values of {name}", choices[:MAX_CHOICES])

    def _words(self, name: str, start: str) -> Iterable[tuple[str, str]]:
        field_name = name.lower()
        if field_name in ("kind", "type", "action"):
            return (
                (word, plural(records, kind_word(word) if word == START_MARK else "record"))
                for word, records in met_words(self.partition, field_name)
            )
        if field_name == "outcome":
            return ((word, "") for word in OUTCOMES)
        if field_name in ("key", "entity"):
            rows = self.partition.rows(KEYS if field_name == "key" else ENTITIES, {"start": start})
            return ((row["word"], plural(row["records"], "record")) for row in rows)
        if field_name == "offset":
            low, high = self.facts.bounds
            return ((f"{low}..{high}", "all offsets of the partition"),)
        if field_name == "time" and self.facts.first_timestamp_ms is not None:
            return times_of(self.facts, self.zone)
        met = self.met.names.get(name)
        return (
            ((word, self._of_records(records)) for word, records in met.values.most_common(30)) if met else ()
        )


def times_of(facts: Facts, zone: str = "") -> Iterable[tuple[str, str]]:
    """The first and the last day, and the whole span."""
    first, last = facts.first_timestamp_ms or 0, facts.last_timestamp_ms or 0
    local = [moment + clock_of(zone, moment).shift_ms if zone else moment for moment in (first, last)]
    days = dict.fromkeys(moment_text(moment)[:10] for moment in local)
    return [(day, f"a day of the journal ({zone_named(zone) or 'UTC'})") for day in days] + [
        (f">={moment_text(first)[:16]}Z", "from the first record")
    ]


def usual_tests(completion: FilterCompletion, name: str) -> Iterable[str]:
    """Tests that tell records apart: high numbers, common texts, rare kinds."""
    if not name:
        kinds = met_words(completion.partition, "kind") if completion.facts.marks else []
        yield from (f"kind:{word}" for word, _ in reversed(kinds[1:]))
        yield from (f"{met.name}:*" for met in list(completion.met.names.values())[:1])
        return
    if met := completion.met.names.get(name):
        yield from _tests_of(met)


def _tests_of(met: MetName) -> Iterable[str]:
    if met.kind == "number":
        numbers = sorted(met.numbers)
        yield f"{met.name} > {_round(numbers[len(numbers) * 9 // 10])}"
        yield f"{met.name} < {_round(numbers[len(numbers) // 10])}"
    common = [word for word, count in met.values.most_common(2) if count > 1 or met.records == 1]
    yield from (f"{met.name}:{text_of(literal(word)) if met.kind != 'number' else word}" for word in common)
    yield f"-{met.name}:*"


def _round(number: float) -> str:
    """Two digits that say something: 396.41 -> 400."""
    return f"{float(f'{number:.2g}'):g}" if abs(number) < 1e15 else str(number)
