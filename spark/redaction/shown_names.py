"""Names in a share: which of them it shows, and the pseudonyms of the others.

A name is shown if names are shown and its part of the record is not hidden. The tables give the ids of entities and the part
that their dialect reads them from, so a sentence may show them. Names in no table are hidden. A pseudonym depends on the role
of a name and on the name. Small numbers (ids, versions, partitions) have none.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

import pyarrow as pa

from spark.redaction.entity_ids import ANY_NAME, EntityIds
from spark.redaction.hashing import NAME_DIGITS, digest
from spark.redaction.house_words import house_words
from spark.redaction.journal_parts import JOURNAL_PARTS, JournalParts
from spark.redaction.options import Options
from spark.tables.store import ResultTables
from spark.terms.entity_words import is_fixed

WITH_NAMES = (
    "verdict",
    "journals",
    "findings",
    "incidents",
    "format_advice",
    "not_run",
    "unrun_checks",
    "coverage",
)
SMALL_NUMBER = re.compile(r"-?[0-9]{1,6}")
# Every id that the tables hold, with what its type is called there.
IDS = {
    "entries": "SELECT topic, entry_type AS kind, entity_id AS id FROM entries",
    "state": "SELECT topic, entity_type AS kind, entity_id AS id FROM state",
    "older_entities": "SELECT topic, entity_type AS kind, entity_id AS id FROM older_entities",
    "older_deletions": "SELECT topic, entity_type AS kind, entity_id AS id FROM older_deletions",
    "refusals": "SELECT topic, entity_type AS kind, entity_id AS id FROM refusals",
}
WHOLE = "SELECT DISTINCT topic, kind, id FROM ({ids}) WHERE id IN (SELECT name FROM asked_names)"
PARTS = """
SELECT topic, kind, name, min(id) AS id FROM (
    SELECT topic, kind, id, parts, unnest(range(len(parts))) AS position, parts[position + 1] AS name
    FROM (SELECT topic, kind, id, string_split(id, '/') AS parts FROM ({ids}))
) WHERE name IN (SELECT name FROM asked_names) GROUP BY topic, kind, len(parts), position, name
"""
# A rejected entry names the content that it lacks by its hash; a share by its id, where one content alone has the hash.
CONTENT_IDS = """
SELECT topic, hash, min(id) FROM (
    SELECT topic, json_extract_string(attributes, '$.contentHash') AS hash, json_extract_string(attributes, '$.contentId') AS id
    FROM entries WHERE contains(attributes, 'contentHash') AND json_valid(attributes)
) WHERE hash IN (SELECT string_split(needs, '/')[-1] FROM refusals WHERE starts_with(needs, 'content:'))
GROUP BY topic, hash HAVING count(DISTINCT id) = 1
"""


class ShownNames:
    """The names of one share. `dialects`: ids by topic."""

    def __init__(self, options: Options, dialects: Mapping[str, str]) -> None:
        self._options, self._dialects = options, dialects
        self._shown: set[str] = set()
        self._ids: dict[str, tuple[str, str]] = {}  # topic and kind of those that a table holds
        self._roles: dict[str, str] = {}  # of the names in them
        self._entity_ids = EntityIds()
        self.content_ids: dict[
            tuple[str, str], str
        ] = {}  # by topic and hash, of those that a rejected entry lacks

    def parts_of(self, topic: str | None) -> JournalParts | None:
        """The topic's dialect; None if it stores no names."""
        return JOURNAL_PARTS.get(self._dialects.get(topic or "", ""))

    def shows_ids_of(self, topic: str | None) -> bool:
        parts, options = self.parts_of(topic), self._options
        if options.shows_all_names:
            return True
        if parts is None:
            return options.names and options.shows_keys
        return options.names and (parts.names_from == "value" or options.keys is not False)

    def read(self, tables: ResultTables, present: Container[str], texts: Iterable[str]) -> None:
        """Looks up which of these names and ids the tables contain. `present`: tables with rows."""
        hidden = [topic for topic in self._dialects if self.parts_of(topic) and not self.shows_ids_of(topic)]
        if hidden and "entries" in present:
            for _, role, name in sorted(self._entity_ids.read(tables, hidden)):
                self._roles.setdefault(name, role)
        if "entries" in present and "refusals" in present:
            self.content_ids = {(topic, hash): id for topic, hash, id in tables.tuples(CONTENT_IDS)[1:]}
        names = {name for text in texts for name in (text, *without_percent(text).split("/")) if name}
        ids = " UNION ALL ".join(query for table, query in IDS.items() if table in present)
        if not names or not ids:
            return
        tables.register("asked_names", pa.table({"name": sorted(names)}))
        for topic, kind, name in sorted(tables.tuples(WHOLE.format(ids=ids))[1:], key=repr):
            self._ids.setdefault(name, (topic, kind or ""))
            self._note(topic, name)
        for topic, kind, name, identity in sorted(tables.tuples(PARTS.format(ids=ids))[1:], key=repr):
            roles = [role for role, each in self._names_of(topic, kind, identity) if each == name]
            for role in roles[:1]:
                self._roles.setdefault(name, role)
            self._note(topic, name)

    def shows(self, name: str) -> bool:
        return self._options.shows_all_names or name in self._shown

    def is_in_tables(self, identity: str) -> bool:
        """Whether a table has this id: it is replaced there and in sentences alike."""
        return identity in self._ids

    def id_of(self, topic: str | None, kind: str | None, identity: str) -> str:
        """The replacement of a hidden entity id: a pseudonym of each name, joined with `/`."""
        names = self._names_of(topic, kind, identity)
        return "/".join(self.pseudonym(role, name) for role, name in names)

    def text_of(self, text: str) -> str:
        """The replacement of a name or id in a sentence, equal to that in the tables."""
        if self.shows(text):
            return text
        if text in self._ids:
            return self.id_of(*self._ids[text], text)
        if text in self._roles:
            return self.pseudonym(self._roles[text], text)
        if (plain := without_percent(text)) != text:
            return quote(self.text_of(plain), safe="")
        return "/".join(
            name if self.shows(name) else self.pseudonym(self._roles.get(name, ANY_NAME), name)
            for name in text.split("/")
        )

    def pseudonym(self, role: str, name: str) -> str:
        """Equal for equal names in the same role; a word of the service itself is no name."""
        is_shown = not name or SMALL_NUMBER.fullmatch(name) or is_fixed(role, name)
        return name if is_shown else self.hashed(role, name)

    def hashed(self, role: str, text: str) -> str:
        """A replacement for any text, numbers included."""
        return f"{role}-{digest(self._options.salt, f'{role}:{text}')[:NAME_DIGITS]}"

    def _note(self, topic: str, name: str) -> None:
        if self.shows_ids_of(topic):
            self._shown.add(name)

    def _names_of(self, topic: str | None, kind: str | None, identity: str) -> list[tuple[str, str]]:
        """A kind that no dialect declares is data without names."""
        role = kind if kind and kind in house_words() else ANY_NAME
        return self._entity_ids.names_of(self.parts_of(topic) or JournalParts(), topic, role, identity)


def without_percent(text: str) -> str:
    """A name that a command's address percent-encodes (`sample%2Forder`) as the tables have it; any other text itself."""
    plain = unquote(text)
    return plain if quote(plain, safe="") == text else text


def dialects_of(whole: Mapping[str, Any]) -> dict[str, str]:
    return {
        journal["topic"]: journal["dialect"]
        for journal in whole.get("journals", [])
        if journal.get("topic") is not None and journal.get("dialect")
    }


def names_in(whole: Mapping[str, Any]) -> set[str]:
    """Every name, key and id in the report's texts and effects."""
    names: set[str] = set()
    waiting: list[Any] = [whole.get(name) for name in WITH_NAMES]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, Mapping):
            waiting += each.values()
            if each.get("kind") in ("entity", "key", "name", "topic"):
                value = each.get("value")
                names |= {str(each["text"]), *map(str, value if isinstance(value, list) else ())}
            names |= {str(each[member]) for member in ("entity_id", "key") if each.get(member)}
    return names
