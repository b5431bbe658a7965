"""What decoders and formatters of each age really print, read back: the entries that the broker's segments give.

Text forms print less than the records hold; what each leaves out is named here and by the note of the print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.dialects import dialects
from spark.sources._rows import RECORD_COLUMNS
from tests.live.prints import MIRROR_TOPICS, OF_FORMATTERS, Print, Prints
from tests.live.readings import Reading, Row, read, read_text
from tests.live.tools import AGES, GROUPS, OFFSETS, SHARE_GROUPS, SHARES, TRANSACTIONS

pytestmark = pytest.mark.live

PrintsOf = Callable[[str], Prints]
Entry = tuple[str, str, str, dict[str, Any]]
DIALECTS = {
    "__consumer_offsets": "consumer-offsets",
    "__transaction_state": "transaction-state",
    "__cluster_metadata": "cluster-metadata",
    "__remote_log_metadata": "remote-log-metadata",
    "__share_group_state": "share-group-state",
}
MEMBERS = {"clientId", "clientHost", "rebalanceTimeout", "sessionTimeout", "subscription", "groupInstanceId"}
# What a form does not print.
OF_COMMIT = {"commitTimestamp", "leaderEpoch", "expireTimestamp"}
OF_GROUP = {"leader", "currentStateTimestamp"}
TEXT_DECODER = (
    OF_COMMIT | OF_GROUP | MEMBERS | {"startTimestamp", "userData"}
)  # empty user data is not printed
TEXT_FORMATTER = OF_GROUP | {"subscription", "assignment"}
OLD_FORMATTER = TEXT_FORMATTER | {
    "protocolType",  # that of an empty group
    "generation",
    "rebalanceTimeout",
    "groupInstanceId",
    "protocol",
    "expireTimestamp",
}
JSON_DECODERS = {"3.9.1": {"__consumer_offsets", "__cluster_metadata"}, "4.1.1": set(DIALECTS)}
KINDS = {OFFSETS: "offset-commit$", GROUPS: "group$", TRANSACTIONS: "", SHARE_GROUPS: "share-group"}
PROMPT = "$ "


def entries(records: Iterable[Row], dialect: str, left_out: set[str]) -> list[Entry]:
    """Entries without the attributes that a form does not print."""
    table = pa.Table.from_pylist(list(records), schema=RECORD_COLUMNS)
    return [
        (
            str(row["entry_type"]),
            str(row["entry_action"]),
            str(row["entity_id"]),
            without(json.loads(row["attributes"] or "{}"), left_out),
        )
        for row in dialects()[dialect].interpret(table).to_pylist()
    ]


def without(told: Any, names: set[str]) -> Any:
    """A document without these members at any depth."""
    if isinstance(told, dict):
        return {name: without(member, names) for name, member in told.items() if name not in names}
    return [without(one, names) for one in told] if isinstance(told, list) else told


def log_of(one: Print, folder: Path) -> Reading:
    """The broker's own segments."""
    return read(sorted(one.folder.glob("*.log")), folder, one.folder.parent)


def left_out(version: str, topic: str) -> set[str]:
    """What a decoder of that age does not print."""
    if version == "0.10.2.2":
        return TEXT_DECODER | {"protocolType"}  # that of an empty group
    if topic == "__remote_log_metadata":
        return {"customMetadata"}
    return set() if topic in JSON_DECODERS.get(version, set()) else TEXT_DECODER


@pytest.mark.parametrize("version", AGES)
def test_decoded_records_are_the_segments_entries(prints_of: PrintsOf, version: str, tmp_path: Path) -> None:
    for topic, dialect in DIALECTS.items():
        for how in ("decoder", "decoder-skip"):
            one = prints_of(version).made.get(f"dump {how} {topic}")
            if one is None:
                continue
            found = read([one.run.output], tmp_path / one.asked.name, one.run.output.parent)
            assert (found.layouts, found.dialects, found.rows("damage")) == (["dump-log-text"], [dialect], [])
            log, names = log_of(one, tmp_path), left_out(version, topic)
            unprinted = {row["offset"] for row in found.data if row["key"] is None and not row["key_is_null"]}
            assert [row["offset"] for row in found.data] == [row["offset"] for row in log.data]
            told = [row for row in found.data if row["offset"] not in unprinted]
            held = [row for row in log.data if row["offset"] not in unprinted]
            assert entries(told, dialect, names) == entries(held, dialect, names), (version, how, topic)
            assert all(row["value_is_null"] for row in log.data if row["offset"] in unprinted)
            for batch in found.rows("batches"):
                assert batch["crc_computed"] in (None, batch["crc_stored"]), (version, how, topic)


@pytest.mark.parametrize("version", AGES)
def test_formatters_print_the_segments_entries(prints_of: PrintsOf, version: str, tmp_path: Path) -> None:
    checked = 0
    for one in prints_of(version).of("console formatter"):
        kind, form = one.asked.name.removeprefix("console formatter ").rsplit(" ", 1)
        if kind == SHARES:
            continue
        checked += 1
        dialect = DIALECTS[OF_FORMATTERS[kind]]
        names = set() if form == "json" else OLD_FORMATTER if version == "0.10.2.2" else TEXT_FORMATTER
        log = log_of(one, tmp_path)
        held = [entry for entry in entries(log.data[: one.asked.count], dialect, names) if is_of(entry, kind)]
        texts = {
            "alone": one.run.text,
            "pasted": f"```\n{PROMPT}{one.run.line}\n{one.run.text}\n{PROMPT}\n```\n",
        }
        for how, text in texts.items():
            found = read_text(text, tmp_path, f"{one.asked.name} {how}")
            assert (found.layouts, found.dialects) == (["coordinator-formatters"], [dialect]), found.failed
            assert entries(found.data, dialect, names) == held, (version, one.asked.name, how)
            assert not found.rows("damage")
    assert checked >= 2


def is_of(entry: Entry, kind: str) -> bool:
    """Whether a formatter prints it."""
    return re.match(KINDS[kind], entry[0]) is not None


def test_the_formatter_of_share_group_state_prints_all_records(prints_of: PrintsOf, tmp_path: Path) -> None:
    (one,) = prints_of("4.1.1").of(f"console formatter {SHARES}")
    found = read_text(one.run.text, tmp_path, "shares")
    assert (found.layouts, found.dialects) == (["coordinator-formatters"], ["share-group-state"])
    held = entries(log_of(one, tmp_path).data[: one.asked.count], "share-group-state", set())
    assert entries(found.data, "share-group-state", set()) == held != []
    assert not found.rows("damage")


@pytest.mark.parametrize("version", [version for version, age in AGES.items() if age.has_mirror])
def test_mirror_makers_formatters_print_its_records(
    prints_of: PrintsOf, version: str, tmp_path: Path
) -> None:
    for name in MIRROR_TOPICS:
        one = prints_of(version).made[f"console mirror {name}"]
        found = read_text(f"{PROMPT}{one.run.line}\n{one.run.text}", tmp_path, name)
        assert (found.layouts, found.dialects) == (["mirror-formatters"], ["mirror-maker"]), found.failed
        assert [(row["key"], row["value"]) for row in found.data] == [
            (row["key"], row["value"]) for row in log_of(one, tmp_path).data
        ], name
        assert not found.rows("damage")
