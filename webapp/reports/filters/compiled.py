"""A syntax tree -> SQL over the tables of a partition: what stands behind FROM and WHERE, and the values.

Narrow tables decide where they can (offset, time, kind, type, size, key). What reads records or what their dialect made of
them is a set of offsets; tests that stand together read the records once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from zoneinfo import ZoneInfo

from webapp.reports.filters.entities import entity_offsets
from webapp.reports.filters.matches import (
    BoundValues,
    any_of,
    number_matches,
    text_match,
    text_matches,
    time_matches,
)
from webapp.reports.filters.members import DOCUMENTS, ENTRIES, DecodedDocuments, header_test, member_test
from webapp.reports.filters.tree import (
    BothTest,
    FieldTest,
    FilterTree,
    Match,
    NegatedTest,
    TextMatch,
    WordTest,
    tests_of,
)
from webapp.reports.queries import transactions
from webapp.reports.queries.keys import KEY_TEXT, TEXT_OF
from webapp.reports.queries.kinds import FORMER_KINDS, OF_BYTES, all_kinds
from webapp.reports.queries.partitions import LANE
from webapp.reports.results import WHERE_REPLICA, PartitionResults

Level = Literal["narrow", "records"]
OF_KEYS = {"versions": "versions", "tombstones": "tombstones", "live": "live_bytes"}
HASHES = "key_hash_1, key_hash_2"
AMONG_KEYS = f"({HASHES}) IN (SELECT {HASHES} FROM keys WHERE {WHERE_REPLICA} AND {{0}})"
NO_KEY = "(key_hash_1 = 0 AND key_hash_2 = 0)"
AMONG = '"offset" IN (SELECT "offset" FROM {0} WHERE {1} AND {2})'
IN_RECORDS = """"offset" IN (SELECT r."offset" FROM (SELECT * FROM records WHERE {within}) AS r {joined} WHERE {condition})"""
IN_TRANSACTION = transactions.IN_TRANSACTIONS.format(records="records", chosen="true")
OUTCOME = """CASE WHEN outcome <> 'marker_missing' THEN outcome WHEN ended_as IN ('committed', 'aborted') THEN ended_as
ELSE 'unknown' END"""
TEXT_OF_VALUE = TEXT_OF.format(column='r."value"')


@dataclass(frozen=True)
class FittingRecords:
    """SQL of the narrow rows (columns of `marks`) that match a filter: what to put behind FROM and WHERE, and the values."""

    table: str
    condition: str
    values: dict[str, Any]

    @property
    def is_all(self) -> bool:
        """Whether there is no filter."""
        return self.condition == "true"

    def of(self, query: str) -> str:
        """The query with `{fitting}` and `{condition}` replaced."""
        return query.replace("{fitting}", self.table).replace("{condition}", self.condition)


def reads_records(tree: FilterTree | None) -> bool:
    """Whether it reads more than the narrow tables have."""
    return any(isinstance(test, WordTest) or _level(test) == "records" for test in tests_of(tree))


def reads_documents(tree: FilterTree | None) -> bool:
    """Whether it asks for members of keys or values."""
    return any(
        isinstance(test, FieldTest) and test.path and test.name in ("key", "value") for test in tests_of(tree)
    )


def _level(test: FieldTest) -> Level:
    of_records = test.path or test.name in ("value", "producer")
    return "records" if of_records else "narrow"


def compiled(
    partition: PartitionResults,
    tree: FilterTree | None,
    zone: ZoneInfo | None = None,
    within: tuple[int, int] | None = None,
    documents: DecodedDocuments | None = None,
) -> FittingRecords:
    """`within`: offsets beside which nothing is read. `documents`: of the values that only a schema tells."""
    if tree is None and within is None:
        return FittingRecords("lifelines", "true", {})
    compiler = FilterCompiler(partition, zone, within, documents)
    condition = compiler.narrow(tree) if tree else "true"
    if within:
        condition = f"{compiler.between} AND {condition}"
    table, of_kinds = "lifelines", dict[str, Any]()
    if any(isinstance(test, FieldTest) and _asks_kind(test) for test in tests_of(tree)):
        sql, of_kinds = all_kinds(partition)
        table = f"({sql})"
    return FittingRecords(table, condition, compiler.values.values | of_kinds)


def _asks_kind(test: FieldTest) -> bool:
    return test.name == "kind" and any(_word(match) not in OF_BYTES for match in test.matches)


def _word(match: Match) -> str:
    assert isinstance(match, TextMatch)
    return FORMER_KINDS.get(match.literal, match.literal)


class FilterCompiler:
    """One tree. Each test is false, never null, where there is nothing to compare: so its negation holds there."""

    def __init__(
        self,
        partition: PartitionResults,
        zone: ZoneInfo | None,
        within: tuple[int, int] | None,
        documents: DecodedDocuments | None,
    ) -> None:
        self.partition, self.zone = partition, zone
        self.values = BoundValues()
        self.between = '"offset" BETWEEN $within_low AND $within_high' if within else "true"
        if within:
            self.values.values |= {"within_low": within[0], "within_high": within[1]}
        self.joined = ""
        if documents and documents.offsets:
            self.joined = DOCUMENTS
            self.values.values |= {f"decoded_{name}": column for name, column in vars(documents).items()}
        self.has_entries = bool(
            partition.row(f"SELECT 1 AS found FROM entries WHERE {WHERE_REPLICA} LIMIT 1")
        )

    def narrow(self, tree: FilterTree) -> str:
        """A condition on the narrow rows."""
        level, condition = self._compiled(tree)
        return self._lifted(condition, tree) if level == "records" else condition

    def _lifted(self, condition: str, *trees: FilterTree) -> str:
        """A condition on records, as one on their offsets."""
        joined = ""
        if any(reads_documents(tree) for tree in trees):
            joined = self.joined + (ENTRIES if self.has_entries else "")
        within = f"{WHERE_REPLICA} AND {self.between}"
        return IN_RECORDS.format(within=within, joined=joined, condition=condition)

    def _compiled(self, tree: FilterTree) -> tuple[Level, str]:
        if isinstance(tree, FieldTest):
            return _level(tree), f"coalesce({self._test(tree)}, false)"
        if isinstance(tree, WordTest):
            return "narrow", self._anywhere(tree)
        if isinstance(tree, NegatedTest):
            level, condition = self._compiled(tree.branch)
            return level, f"(NOT {condition})"
        return self._grouped(tree.parts, " AND " if isinstance(tree, BothTest) else " OR ")

    def _grouped(self, parts: Sequence[FilterTree], word: str) -> tuple[Level, str]:
        """Parts that read records read them together."""
        by_level: dict[Level, list[tuple[FilterTree, str]]] = {"narrow": [], "records": []}
        for branch in parts:
            level, condition = self._compiled(branch)
            by_level[level].append((branch, condition))
        narrow = [condition for _, condition in by_level["narrow"]]
        together = f"({word.join(condition for _, condition in by_level['records'])})"
        if not narrow:
            return "records", together
        if by_level["records"]:
            narrow.append(self._lifted(together, *(branch for branch, _ in by_level["records"])))
        return "narrow", f"({word.join(narrow)})"

    def _test(self, test: FieldTest) -> str:
        values, matches = self.values, test.matches
        columns = {
            "offset": '"offset"',
            "size": "(key_size_bytes + value_size_bytes)",
            "producer": "r.producer_id",
        }
        if test.path:
            return header_test(test, self.values) if test.name == "header" else self._member(test)
        if test.name in columns:
            return number_matches(columns[test.name], matches, values)
        if test.name in OF_KEYS:
            return AMONG_KEYS.format(number_matches(OF_KEYS[test.name], matches, values))
        by_name: dict[str, Callable[[], str]] = {
            "time": lambda: time_matches(matches, values, self.zone),
            "kind": lambda: any_of([self._kind(_word(match)) for match in matches]),
            "outcome": lambda: any_of([self._outcome(_word(match)) for match in matches]),
            "key": lambda: any_of([self._key(match) for match in matches]),
            "value": lambda: any_of([self._value(match) for match in matches]),
            "type": lambda: text_matches(LANE, matches, values),
            "action": lambda: AMONG.format(
                "entries", WHERE_REPLICA, text_matches("entry_action", matches, values)
            ),
            "entity": lambda: entity_offsets(matches, values),
        }
        return by_name[test.name]()

    def _kind(self, kind: str) -> str:
        condition = f"kind = {self.values.bind(kind)}"
        return AMONG.format("lifelines", WHERE_REPLICA, condition) if kind in OF_BYTES else condition

    def _outcome(self, outcome: str) -> str:
        if outcome == "none":
            return f"""(kind <> 'control' AND "offset" NOT IN (SELECT "offset" FROM ({IN_TRANSACTION})))"""
        condition = f"{OUTCOME} = {self.values.bind(outcome)}"
        return f"""(kind <> 'control' AND {AMONG.format(f"({IN_TRANSACTION})", "true", condition)})"""

    def _key(self, match: Match) -> str:
        if isinstance(match, TextMatch) and match.is_null:
            return NO_KEY
        return AMONG_KEYS.format(text_match(KEY_TEXT, match, self.values))

    def _value(self, match: Match) -> str:
        if isinstance(match, TextMatch) and match.is_null:
            return "r.value_is_null"
        return f"(NOT r.value_is_null AND {text_match(TEXT_OF_VALUE, match, self.values)})"

    def _member(self, test: FieldTest) -> str:
        return member_test(test, self.values, self.has_entries, bool(self.joined))

    def _anywhere(self, test: WordTest) -> str:
        """Key, value or entity contains the text, in capitals or not."""
        text = test.text if test.text.has_star else TextMatch((None, *test.text.pieces, None))
        key = text_match(KEY_TEXT, text, self.values, ignores_case=True)
        value = text_match(TEXT_OF_VALUE, text, self.values, ignores_case=True)
        entity = text_match("entity_id", text, self.values, ignores_case=True)
        among_entities = AMONG.format("entries", WHERE_REPLICA, entity)
        return any_of(
            [AMONG_KEYS.format(key), among_entities, self._lifted(f"(NOT r.value_is_null AND {value})")]
        )
