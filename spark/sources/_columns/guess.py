"""The columns of a record's parts by their names and contents.

Names are those of tools that hold Kafka records as rows: Spark, Trino (`_partition_offset`, `_message`), ClickHouse (`_key`,
`_timestamp_ms`), Hive (`__key`), RisingWave (`_rw_kafka_offset`), ksqlDB (`ROWKEY`), Lenses (`_meta.offset`), Snowflake
(`RECORD_CONTENT`), Vector (`message_key`), and exports of user interfaces; without case, signs and the words that tools put before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from spark.sources._columns.cells import ISO_TIME, unit_of
from spark.terms.column_mapping import ROLES, ColumnName

NAMES = {
    "offset": ("offset", "messageoffset", "recordoffset", "partitionoffset", "rowoffset"),
    "partition": ("partition", "partitionid", "rowpartition", "partitionnumber"),
    "timestamp": (
        "timestamp", "timestampms", "ts", "time", "timestamputc", "messagetimestamp", "recordtimestamp", "rowtime", "createtime",
        "datetime", "date", "tsms", "messagetime", "recordtime",
    ),
    "topic": ("topic", "topicname"),
    "key": ("key", "messagekey", "recordkey", "rowkey", "msgkey"),
    "value": (
        "value", "payload", "content", "message", "body", "data", "messagevalue", "messagebody", "recordvalue", "recordcontent",
        "messagecontent", "messagepayload", "msgvalue", "msg", "rowvalue",
    ),
    "headers": ("headers", "header", "messageheaders", "recordheaders"),
}  # fmt: skip
# Words within longer or shorter names: they suggest a part and are not certain.
HINTS = {
    "offset": {"offset", "off", "o", "seq"},
    "partition": {"partition", "part", "p", "shard"},
    "timestamp": {"timestamp", "time", "ts", "date", "created", "at"},
    "topic": {"topic", "stream"},
    "key": {"key", "k"},
    "value": {"value", "val", "v", "payload", "body", "message", "msg", "content", "data", "event", "json"},
    "headers": {"headers", "header"},
}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
ROLE_OF = {name: role for role, names in NAMES.items() for name in names}
RANK = {name: number for names in NAMES.values() for number, name in enumerate(names)}
BEFORE = re.compile(r"^(?:rw)?kafka")  # what tools put before a name: `_rw_kafka_offset`, `kafka.key`
NOT_IN_NAMES = re.compile(r"[^a-z0-9]")
WHOLE = re.compile(r"\d{1,19}")
MIN_LETTERS = 8  # of a column that may be the values'


def plain(name: str) -> str:
    """A column's name in lower case, without spaces, punctuation and the name of Kafka before it."""
    text = NOT_IN_NAMES.sub("", name.lower())
    return BEFORE.sub("", text) or text


def role_of(name: str) -> str | None:
    """The part that a column's name, or the last member of its path, stands for."""
    return ROLE_OF.get(plain(name)) or ROLE_OF.get(plain(name.rpartition(".")[2]))


@dataclass(frozen=True)
class Guess:
    """Columns by part; `why` says of each what tells. Certain: a named offset with whole numbers, and a named key or value."""

    columns: dict[str, ColumnName] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    is_certain: bool = False

    @property
    def certain(self) -> dict[str, ColumnName]:
        """What may be read without asking: the columns that names tell, if that is enough; contents only suggest."""
        suggestion = {role: column for role, column in self.columns.items() if self.why[role] == "name"}
        return suggestion if self.is_certain else {}

    @property
    def of_values(self) -> Guess:
        """What is left for objects that are values: no offset, and nothing that only contents suggest."""
        columns = {
            role: column
            for role, column in self.columns.items()
            if self.why[role] == "name" and role != "offset"
        }
        return Guess(columns, dict.fromkeys(columns, "name"))


def guess(labels: Sequence[str], rows: Sequence[Sequence[str | None]], has_names: bool = True) -> Guess:
    """`rows`: the first ones; a cell that a row lacks is None."""
    columns = [[row[number] for row in rows] for number in range(len(labels))]
    by_name = named_roles(labels, columns) if has_names else {}
    by_hint = by_name | (hinted_roles(labels, columns, by_name) if has_names else {})
    suggestion = dict(told_by_contents(labels, columns, by_hint)) | by_hint
    chosen = {role: suggestion[role] for role in ROLES if role in suggestion}
    return Guess(
        {
            role: ColumnName(labels[number]) if has_names else ColumnName("", number + 1)
            for role, number in chosen.items()
        },
        {role: "name" if role in by_name else "contents" for role in chosen},
        "offset" in by_name and bool({"key", "value"} & set(by_name)),
    )


def named_roles(labels: Sequence[str], columns: Sequence[Sequence[str | None]]) -> dict[str, int]:
    """Part -> column by names; the most usual name counts, an offset or partition only with whole numbers below it."""
    roles: dict[str, int] = {}
    ranked = sorted(range(len(labels)), key=lambda number: rank(labels[number]))
    for number in ranked:
        role = role_of(labels[number])
        if role is None or role in roles:
            continue
        if role in ("offset", "partition") and not are_mostly_whole(columns[number]):
            continue
        roles[role] = number
    return roles


def hinted_roles(
    labels: Sequence[str], columns: Sequence[Sequence[str | None]], named: Mapping[str, int]
) -> dict[str, int]:
    """Part -> column by words within names that contents do not contradict."""
    suits = {"offset": are_mostly_whole, "partition": are_mostly_whole, "timestamp": are_times}
    roles: dict[str, int] = {}
    for number, label in enumerate(labels):
        words = {word.lower() for word in WORD.findall(label)}
        for role, hints in HINTS.items():
            is_free = (
                role not in named and role not in roles and number not in {*named.values(), *roles.values()}
            )
            if is_free and hints & words and suits.get(role, bool)(columns[number]):
                roles[role] = number
    return roles


def rank(name: str) -> tuple[int, int]:
    """Whole names before last members of paths, usual ones before others."""
    if plain(name) in RANK:
        return 0, RANK[plain(name)]
    return name.count(".") + 1, RANK.get(plain(name.rpartition(".")[2]), 99)


def told_by_contents(
    labels: Sequence[str], columns: Sequence[Sequence[str | None]], named: Mapping[str, int]
) -> Iterator[tuple[str, int]]:
    """Parts that no name tells: rising numbers, times, and of the texts the longest as value and the one before it as key."""
    free = [number for number in range(len(labels)) if number not in named.values()]
    if "timestamp" not in named:
        times = [number for number in free if are_times(columns[number])]
        yield from [("timestamp", times[0])] if times else []
        free = [number for number in free if number not in times[:1]]
    if "offset" not in named:
        partition = columns[named["partition"]] if "partition" in named else None
        rising = [number for number in free if is_rising(columns[number], partition)]
        yield from [("offset", rising[0])] if rising else []
        free = [number for number in free if number not in rising[:1]]
    texts = [
        number
        for number in free
        if not are_whole(columns[number])
        and not are_times(columns[number])
        and not any(labels[other].startswith(f"{labels[number]}.") for other in named.values())
    ]
    if "value" not in named and texts:
        value = max(texts, key=lambda number: (documents(columns[number]), letters(columns[number]), number))
        if "key" in named or len(texts) > 1 or letters(columns[value]) >= MIN_LETTERS * len(columns[value]):
            yield "value", value
            texts.remove(value)
    if "key" not in named and texts:
        yield "key", texts[0]


def filled(cells: Sequence[str | None]) -> list[str]:
    return [cell.strip() for cell in cells if cell and cell.strip()]


def are_whole(cells: Sequence[str | None]) -> bool:
    """Whether all cells that have text have a whole number."""
    texts = filled(cells)
    return bool(texts) and all(WHOLE.fullmatch(text) for text in texts)


def are_mostly_whole(cells: Sequence[str | None]) -> bool:
    """Whether at least half of the cells that have text have a whole number: single rows may be damaged."""
    texts = filled(cells)
    return bool(texts) and sum(WHOLE.fullmatch(text) is not None for text in texts) * 2 >= len(texts)


def are_times(cells: Sequence[str | None]) -> bool:
    texts = filled(cells)
    if texts and are_whole(cells):
        return unit_of([int(text) for text in texts]) is not None
    return bool(texts) and all(ISO_TIME.match(text) for text in texts)


def is_rising(cells: Sequence[str | None], partitions: Sequence[str | None] | None) -> bool:
    """Whether numbers grow from row to row within each partition, up or down (user interfaces show the newest first)."""
    if not are_whole(cells) or len(filled(cells)) < max(2, len(cells)):
        return False
    runs: dict[str | None, list[int]] = {}
    for number, cell in enumerate(cells):
        runs.setdefault(partitions[number] if partitions else None, []).append(int(cell or 0))
    return any(
        all(b > a if sign > 0 else b < a for run in runs.values() for a, b in pairwise(run))
        for sign in (1, -1)
    )


def documents(cells: Sequence[str | None]) -> int:
    """How many cells are JSON objects or lists."""
    return sum(is_document(text) for text in filled(cells))


def is_document(text: str) -> bool:
    if text[:1] not in "{[":
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def letters(cells: Sequence[str | None]) -> int:
    return sum(map(len, filled(cells)))
