"""Attributes of an entry or entity (a JSON object) as people read them: pairs, a line of them, what changed.

Members with `_` in their names are our own; those that end in `_offset` say where a thing lies, not what it is. Pairs and changes
have the service's own names and values; a line says them in words: `created on 2024-08-06 09:15:19 UTC`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import Any

from spark.codecs import json_text

PAIRS_IN_A_LINE = 5
MEMBERS_SHOWN, MEMBER_LETTERS = 500, 100_000
LONG_VALUE = 80
PLACE_ENDING = "_offset"
SIZE_ENDING = "_size_bytes"
PRESENCE = "has_"  # of our own: whether a member that is not repeated is in the record
DIGEST = re.compile(r"[0-9a-f]{32,128}")
OPAQUE = re.compile(r"[0-9a-f]{32,128}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGEST_START = 12  # of a hash, enough to tell it from others
CAMEL_CASE = re.compile(r"[a-z]+([A-Z][a-z0-9]*)+")  # no key of a configuration, which has dots or dashes
CAPITAL = re.compile(r"(?=[A-Z])")
NAMED_BY = ("artifactId", "subject", "name", "id")  # what people call what a reference points at
OF_A_REFERENCE = {*NAMED_BY, "groupId", "version"}
HASH_NAME = re.compile(r"[hH]ash")
NAMES_IN_A_LINE = 2
# Of `_schemas`, ours for the rules of a registry: they say nothing about the entry.
OF_A_REGISTRY, FOR_RULES = "keytype", ("unknownFields", "writer")
TIMES_MS = range(10**12, 10**13)  # 2001 to 2286
NAME_OF_A_TIME = re.compile(r"(On|At|Ms|Ts|_ms|[tT]imestamp|[tT]ime)$")


@dataclass(frozen=True)
class MemberChange:
    """A member before and after; None where it is not there."""

    name: str
    before: str | None
    after: str | None


@lru_cache(maxsize=4)  # a page asks for those of one entity some ten times, and they may be megabytes
def members_of(text: str | None) -> Mapping[str, Any]:
    """The members in the order the dialect gives them; empty for what is no JSON object."""
    try:
        members = json_text.read(text or "{}")
    except ValueError:
        return {}
    return members if isinstance(members, dict) else {}


@dataclass(frozen=True)
class Pairs:
    """Names and values of the first members; how many are left out because no page holds more."""

    shown: list[tuple[str, str]]
    left_out: int = 0


def pairs(text: str | None) -> Pairs:
    """As many as a page holds. A value is cut at MEMBER_LETTERS: the record's bytes have all of it."""
    members = dict(_own_in_words(members_of(text)))
    first = islice(members.items(), MEMBERS_SHOWN)
    return Pairs(
        [(name, _cut(_lines_of(value) or with_time(name, value))) for name, value in first],
        max(0, len(members) - MEMBERS_SHOWN),
    )


def _own_in_words(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """`content: 141 bytes`, `content: none` for the two members of our own that stand for a member too long to repeat."""
    for name, value in members.items():
        subject = name.removeprefix(PRESENCE) if name.startswith(PRESENCE) else name.removesuffix(SIZE_ENDING)
        if subject == name:
            yield name, value
        elif members.get(f"{PRESENCE}{subject}") is False:
            if name.startswith(PRESENCE):
                yield subject, "none"
        elif name.endswith(SIZE_ENDING) and isinstance(value, int):
            yield subject, f"{value:,} {'byte' if value == 1 else 'bytes'}"
        elif subject + SIZE_ENDING not in members:
            yield name, value


def _lines_of(value: Any) -> str:
    """References, one a line; empty for what is none."""
    if not _are_references(value):
        return ""
    return "\n".join(_name_of(member) + _imported_as(member) for member in value)


def _imported_as(reference: Mapping[str, Any]) -> str:
    """The name that the text calls it by, where that is another."""
    name, *others = (reference.get(label) for label in ("name", "artifactId", "subject"))
    return f" as {name}" if name and any(others) and name not in others else ""


def references_line(value: Any) -> str:
    """References in a line; empty for what is none."""
    return _in_words(value) if _are_references(value) else ""


def _are_references(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(member, dict) and member.keys() <= OF_A_REFERENCE and any(map(member.get, NAMED_BY))
        for member in value
    )


def _cut(text: str) -> str:
    return text if len(text) <= MEMBER_LETTERS else f"{text[:MEMBER_LETTERS]}…"


def line(text: str | None, entity_id: str = "", left_out: Container[str] = ()) -> str:
    """The members that say most: what the id says already, and what says nothing, is not among them."""
    said_by_id = {entity_id, *entity_id.split("/")}
    members = members_of(text)
    unread = max(0, sum(1 for _ in flat(members)) - MEMBERS_SHOWN)
    texts = [
        (name, time_text(name, value) or _in_words(value))
        for name, value in telling(members, entity_id)
        if name not in left_out
    ]
    in_id = {entity_id} | {value for _, value in texts if not value.isdigit()} & said_by_id
    texts = [(name, value) for name, value in _times_once(texts) if value not in in_id]
    texts.sort(key=lambda pair: is_hash(*pair))
    further = len(texts) + unread - PAIRS_IN_A_LINE
    text_line = ", ".join(_said(name, value) for name, value in texts[:PAIRS_IN_A_LINE])
    return f"{text_line}, {further} more" if further > 0 else text_line


def is_hash(name: str, value: Any) -> bool:
    """Whether people know other members before it."""
    return bool(HASH_NAME.search(name)) or (isinstance(value, str) and bool(DIGEST.fullmatch(value)))


def line_without_hashes(text: str | None, entity_id: str = "") -> str:
    """The same for a reader who compares: how large it is first, and no hashes or UUIDs, which tell people nothing."""
    members = {
        name: value
        for name, value in flat(members_of(text))
        if not (isinstance(value, str) and OPAQUE.fullmatch(value))
    }
    sizes = {name: value for name, value in members.items() if name.endswith(SIZE_ENDING)}
    return line(json.dumps(sizes | members, ensure_ascii=False), entity_id) or line(text, entity_id)


def telling(members: Mapping[str, Any], entity_id: str = "") -> list[tuple[str, Any]]:
    """The first members without those that the id says already, and those that say nothing."""
    said_by_id = {entity_id, *entity_id.split("/")}
    return [
        (name, value)
        for name, value in _own_in_words(dict(islice(flat(_without_rules(members)), MEMBERS_SHOWN)))
        if value not in (None, "", {}, [])
        and not name.endswith(PLACE_ENDING)
        and name != "tenantId"
        and (shown(value) not in said_by_id or shown(value).isdigit())
    ]


def _without_rules(members: Mapping[str, Any]) -> Mapping[str, Any]:
    if OF_A_REGISTRY not in members:
        return members
    return {name: value for name, value in members.items() if name not in FOR_RULES}


def _times_once(telling: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Without the time of a change that is the time of the creation."""
    times: set[str] = set()
    for name, value in telling:
        is_time = value.endswith(" UTC")
        if not (is_time and value in times):
            yield name, value
        times |= {value} if is_time else set()


def changes(before: str | None, after: str | None) -> list[MemberChange]:
    """Members that differ, but for where they lie; of members that are objects, their own."""
    old, new = (dict(_own_in_words(_without_rules(members_of(text)))) for text in (before, after))
    return _changes(old, new)


def members_changed(
    before: Mapping[str, Any], after: Mapping[str, Any], *, has_text: bool
) -> list[MemberChange]:
    """Between two entries of a key. `has_text`: the difference of the texts is shown, so that hashes of them say nothing more."""
    both = before.get("attributes"), after.get("attributes")
    return [
        _in_actions(change, before, after)
        for change in (changes(*both) if all(both) else ())
        if not (has_text and is_hash(change.name, change.after))
    ]


def _in_actions(change: MemberChange, before: Mapping[str, Any], after: Mapping[str, Any]) -> MemberChange:
    """An action's number with its word, as the record's drawer has it: `1 create`."""
    if change.name != "action":
        return change
    numbers = ((change.before, before), (change.after, after))
    worded = [
        f"{number} {entry['entry_action']}"
        if number and number.isdigit() and entry["entry_action"]
        else number
        for number, entry in numbers
    ]
    return MemberChange(change.name, *worded)


def shown(value: Any) -> str:
    """A value as text."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def with_time(name: str, value: Any) -> str:
    """A value as text; a number of milliseconds with the moment it means."""
    moment = time_text(name, value)
    return f"{value} ({moment})" if moment else shown(value)


def time_text(name: str, value: Any) -> str | None:
    """The moment that a member's milliseconds mean; None for what is no time."""
    if not isinstance(value, int) or value not in TIMES_MS or not NAME_OF_A_TIME.search(name):
        return None
    return f"{datetime.fromtimestamp(value / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _changes(old: Mapping[str, Any], new: Mapping[str, Any], above: str = "") -> list[MemberChange]:
    changes: list[MemberChange] = []
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if before == after or name.endswith(PLACE_ENDING):
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            changes += _changes(before, after, f"{above}{name}.")
        else:
            changes.append(MemberChange(above + name, _part(old, name), _part(new, name)))
    return changes


def flat(members: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Members, those of an object in its place."""
    for name, value in members.items():
        if isinstance(value, dict):
            yield from value.items()
        else:
            yield name, value


def _part(members: Mapping[str, Any], name: str) -> str | None:
    return with_time(name, members[name]) if name in members else None


def _in_words(value: Any) -> str:
    """A value in a line; of a list what its members are called."""
    if not isinstance(value, list):
        return shown(value)
    names = [_name_of(member) for member in value[:NAMES_IN_A_LINE]]
    more = len(value) - NAMES_IN_A_LINE
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def _name_of(member: Any) -> str:
    """`pay/invoice version 2` of a reference."""
    if not isinstance(member, dict):
        return shown(member)
    name = next((member[label] for label in NAMED_BY if member.get(label)), None)
    if name is None:
        return json.dumps(member, ensure_ascii=False)
    group = f"{member['groupId']}/" if member.get("groupId") else ""
    version = f" version {member['version']}" if member.get("version") else ""
    return f"{group}{name}{version}"


def name_in_words(name: str) -> str:
    """`created on` of `createdOn`, `content ID` of `contentId`."""
    if CAMEL_CASE.fullmatch(name):
        words = [word.lower() for word in CAPITAL.split(name)]
        return " ".join("ID" if word == "id" else word for word in words)
    return name.replace("_", " ")


def _said(name: str, value: str) -> str:
    return f"{name_in_words(name)} {_short(value)}"


def _short(value: str) -> str:
    value = " ".join(value.split())
    if DIGEST.fullmatch(value):
        return value[:DIGEST_START] + "…"
    return value if len(value) <= LONG_VALUE else value[: LONG_VALUE - 1] + "…"
