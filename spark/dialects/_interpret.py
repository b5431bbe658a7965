"""Records -> entries, one record at a time, for dialects that do not read by column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from spark.codecs.json_text import why_not_json
from spark.dialects import Match
from spark.tables import ENTRIES
from spark.terms.errors import Effect, Unreadable
from spark.terms.wording import grouped

PLACE = ("topic", "partition", "replica", "file", "offset")
READ = ("entry_type", "entry_action", "entity_id", "attributes", "decode_error", "reading")
Read = tuple[str | None, str | None, str | None, str | None, str | None, str | None]
KEYLESS: Read = (None, None, None, "{}", None, "raw")
Headers = Sequence[tuple[bytes, bytes | None]]
SURE, DOUBTFUL = 95, 40  # scores
MAX_SAMPLED = 500
UNSAYABLE = "The members are nested deeper than 254 levels or contain a number of more than 64 bits."


def interpreter(read: Callable[..., Read], *columns: str) -> Callable[[pa.Table], pa.Table]:
    """A dialect's `interpret`. `read` takes key, value and the record's values of `columns`, and returns the columns READ."""

    def interpret(records: pa.Table) -> pa.Table:
        """ENTRIES rows, one per data record, in their order."""
        data = data_records(records)
        further = (data.column(name).to_pylist() for name in columns)
        rows = zip(keys_unknown(data), *keys_and_values(data), *further, strict=True)
        return entry_rows(
            data, [KEYLESS if is_unknown else sayable(read(*parts)) for is_unknown, *parts in rows]
        )

    return interpret


def keys_unknown(data: pa.Table) -> list[bool]:
    """Which records have a key that the dump does not show, as old outputs of tombstones: no service can be asked about them."""
    is_hidden = pc.and_(pc.is_null(data.column("key")), pc.invert(data.column("key_is_null")))
    flags: list[bool] = is_hidden.to_pylist()
    return flags


def sayable(read: Read) -> Read:
    """An entry whose members do not fit in JSON (`dumped`) is unreadable."""
    entry_type, _, entity_id, attributes, error, reading = read
    if attributes is not None or error is not None:
        return read
    return entry_type, None, entity_id, None, UNSAYABLE, reading


def are_read(
    records: pa.Table, read: Callable[[bytes | None, bytes | None], Read], share: float = 1.0
) -> bool:
    """Whether at least this share of the data records is readable as entries. Stops at the record that decides: a sniff asks
    this of every topic, and most are not journals."""
    data = data_records(records)
    readable = data.num_rows
    for key, value, is_unknown in zip(*keys_and_values(data), keys_unknown(data), strict=True):
        readable -= not is_unknown and sayable(read(key, value))[4] is not None
        if readable < share * data.num_rows:
            return False
    return True


def data_records(records: pa.Table) -> pa.Table:
    control_types = records.column("control_type")
    return (
        records
        if control_types.null_count == len(control_types)
        else records.filter(pc.is_null(control_types))
    )


def keys_and_values(data: pa.Table) -> tuple[list[bytes | None], list[bytes | None]]:
    """Keys and values, null and empty told apart."""
    return whole(data, "key"), whole(data, "value")


def whole(data: pa.Table, name: str) -> list[bytes | None]:
    """Keys or values; None if the record's is null."""
    pairs = zip(data.column(name).to_pylist(), data.column(f"{name}_is_null").to_pylist(), strict=True)
    return [None if is_null else content or b"" for content, is_null in pairs]


def entry_rows(data: pa.Table, read: Sequence[Read]) -> pa.Table:
    """ENTRIES rows of data records and what was read from them."""
    columns = list(zip(*read, strict=True)) if read else [()] * len(READ)
    arrays = [data.column(name) for name in PLACE] + [pa.array(column, pa.string()) for column in columns]
    return pa.table(arrays, names=[*PLACE, *READ]).select(ENTRIES.schema.names).cast(ENTRIES.schema)


def match_by_share(
    records: pa.Table, read: Callable[[bytes | None, bytes | None], Read], description: str, why_not: str
) -> Match:
    """For a sniff: the share of the first data records that a service reads and applies; `description` completes "12 of 12 ..."."""
    data = data_records(records).slice(0, MAX_SAMPLED)
    rows = [read(key, value) for key, value in zip(*keys_and_values(data), strict=True)]
    fitting = sum(error is None and action != "ignored" for _, action, _, _, error, _ in rows)
    if not fitting:
        return Match(0, why_not)
    why = f"{grouped(fitting)} of {grouped(len(rows))} {description}."
    return Match(SURE if fitting * 2 > len(rows) else round(DOUBTFUL * fitting / len(rows)), why)


def dumped(members: dict[str, Any]) -> str | None:
    """Attributes as JSON text; None if they cannot be stored (254 levels or more, integers beyond 64 bits)."""
    try:
        return orjson.dumps(members).decode()
    except (TypeError, ValueError):
        return None


def json_members(text: bytes) -> dict[str, Any] | None:
    """The members of a JSON object; None for anything else."""
    try:
        members = orjson.loads(text)
    except ValueError:
        return None
    return members if isinstance(members, dict) else None


def json_object(text: bytes, side: str, effect: Effect = "skipped") -> dict[str, Any]:
    """A JSON object. Raises Unreadable with the reason. `side` is "key" or "value"."""
    try:
        members = orjson.loads(text)
    except ValueError as error:
        raise Unreadable(f"The {side} is not JSON: {why_not_json(text, error)}.", effect) from error
    if not isinstance(members, dict):
        raise Unreadable(f"The {side} contains JSON that is not an object.", effect)
    return members
