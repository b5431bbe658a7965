"""Contents that artifacts need, and where their bytes still are: this journal, an older dump, a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from spark.dialects.apicurio_v2.content import (
    NotAContentValue,
    content_bytes,
    content_hashes,
    content_v2,
    content_value,
    read_content,
)
from spark.dialects.apicurio_v2.message_types import CONTENT, CREATE, message
from spark.dialects.apicurio_v2.starts import number as in_id_order
from spark.repair import Added, AddedSchemaFile, RequestedSchema
from spark.repair.apicurio_v2.content_ids import drawn_content_ids, named_content_ids
from spark.repair.journal import JournalEntry, PartitionJournal, StoredRecord

MAX_FILE_BYTES = 64 << 20


@dataclass
class Needed:
    """A content that an artifact needs. `entity`: content:<tenant>/<hash>, as refusals name it."""

    entity: str
    content_id: object = None
    canonical_hash: str = ""
    references: bytes = b""
    full_records: list[int] = field(default_factory=list)  # offsets of its Content records with content
    other_records: list[int] = field(default_factory=list)  # of its ContentV2 records
    empty_updates: list[int] = field(default_factory=list)
    source: Added | None = None
    unidentified: str = ""  # the file that has its text, where nothing tells its id

    @property
    def tenant(self) -> str:
        return self.entity.removeprefix("content:").rpartition("/")[0]

    @property
    def name(self) -> str:
        """How a user knows it."""
        if self.content_id is None:
            return f"the content with SHA-256 {self.content_hash}"
        return f"content {self.content_id}"

    @property
    def content_hash(self) -> str:
        """SHA-256 of content and references."""
        return self.entity.rpartition("/")[2]

    @property
    def ends_empty(self) -> bool:
        """Whether the last record of its key is an UPDATE without content."""
        return max(self.empty_updates, default=-1) > max(self.full_records, default=-1)

    def stands_before(self, position: tuple[int, int]) -> bool:
        """Whether compaction leaves it before this position, once the empty UPDATEs are left out."""
        last = [*self.full_records[-1:], *self.other_records[-1:]]
        return any((offset, 0) < position for offset in last)

    def added(self) -> Added:
        assert self.source is not None
        return self.source

    def appended(self, is_shared: bool) -> Added:
        """The record that brings it at the end of the topic. A content that other artifacts use as well must not be the
        last of its key there: compaction would take the copy that stands before their records. It comes as ContentV2,
        whose key nobody has."""
        record = self.added()
        if not is_shared or self.ends_empty or record.key[:1] != bytes([CONTENT]):
            return record
        parts = read_content(record.value or b"", self.content_hash)
        key, value = content_v2(
            self.tenant, self.content_id, self.content_hash, parts.canonical_hash, parts.content, parts.references or b""
        )  # fmt: skip
        source = f"{record.source}, as ContentV2: other artifacts use the first copy"
        return replace(record, key=key, value=value, source=source)


class Supply:
    """Looks for contents: in the journal itself, then in older dumps, then in files. `requested`: files with the id of their
    content."""

    def __init__(
        self,
        journal: PartitionJournal,
        older: Sequence[PartitionJournal],
        files: Sequence[AddedSchemaFile],
        requested: Sequence[RequestedSchema] = (),
    ) -> None:
        self.journals = [journal, *older]
        self.files = files
        self.requested = requested
        self._read: list[tuple[AddedSchemaFile, bytes]] | None = None

    def needed(self, entities: Iterable[str]) -> list[Needed]:
        """The contents in the order of their ids, in which they were made."""
        needed = [self.find(Needed(entity)) for entity in dict.fromkeys(entities)]
        return sorted(needed, key=lambda need: in_id_order(need.content_id))

    def find(self, need: Needed) -> Needed:
        """Fill in where it stands and where its bytes are."""
        for number, journal in enumerate(self.journals):
            for entry in self.entries(journal, need.content_hash):
                if number == 0:
                    self.note(need, entry)
                if entry.members.get("has_content") and need.source is None:
                    need.source = self.copy(need, journal, entry)
                if need.content_id is None:
                    self.describe(need, journal, entry)
        if need.source is None:
            need.source = self.from_file(need)
        return need

    @cached_property
    def ids(self) -> dict[str, object]:
        """By hash the ids that records tell."""
        named = {hash: id for journal in self.journals for hash, id in named_content_ids(journal).items()}
        return {**drawn_content_ids(self.journals[0]), **named}

    def identified(self, need: Needed, file: AddedSchemaFile) -> object:
        """The id of a content whose text is in a file: records tell it, or the user does and no other content has it."""
        requested = [wish.schema_id for wish in self.requested if wish.file == file and not wish.subject]
        free = [schema_id for schema_id in requested if schema_id not in self.ids.values()]
        return self.ids.get(need.content_hash, next(iter(free), None))

    def entries(self, journal: PartitionJournal, content_hash: str) -> list[JournalEntry]:
        return list(
            journal.entries(
                "entry_type IN ('Content', 'ContentV2') AND entry_action <> 'tombstone' AND "
                "(attributes->>'contentHash') = $hash",
                hash=content_hash,
            )
        )

    def note(self, need: Needed, entry: JournalEntry) -> None:
        """Where the journal holds it, and where it is taken away."""
        if entry.type == "ContentV2":
            need.other_records.append(entry.offset)
        elif entry.members.get("has_content"):
            need.full_records.append(entry.offset)
        elif entry.action == "update":
            need.empty_updates.append(entry.offset)
        self.describe(need, self.journals[0], entry)

    def describe(self, need: Needed, journal: PartitionJournal, entry: JournalEntry) -> None:
        """What its records say of it; the empty UPDATE of 2.4.3 and later keeps the references."""
        need.content_id = entry.members.get("contentId")
        need.canonical_hash = entry.members.get("canonicalHash") or need.canonical_hash
        if entry.type == "Content" and entry.members.get("references"):
            record = journal.records([entry.offset])[entry.offset]
            need.references = content_bytes(record.value or b"", need.content_hash)[1] or need.references

    def copy(self, need: Needed, journal: PartitionJournal, entry: JournalEntry) -> Added | None:
        """The record with the content, as it is; of a ContentV2 the Content record with the same bytes."""
        record = journal.records([entry.offset])[entry.offset]
        self.describe(need, journal, entry)
        content, references = content_bytes(record.value or b"", need.content_hash)
        if not content or need.content_hash not in content_hashes(content, references):
            return None  # damaged or not what the key says: no proof that this is it
        if entry.type == "Content" and is_raw(record):
            return record.added(need.name)
        need.references = references
        return self.made(need, content, record.source, record)

    def from_file(self, need: Needed) -> Added | None:
        """A file whose bytes, with the references, have the hash; line ends are tried in both forms."""
        if self._read is None:
            self._read = [(file, read_file(file.path)) for file in self.files]
        for file, text in self._read:
            for content in line_ends(text):
                if content and need.content_hash in content_hashes(content, need.references):
                    need.content_id = need.content_id or self.identified(need, file)
                    if need.content_id is not None:
                        return self.made(need, content, f"file {file.name}", None)
                    need.unidentified = file.name
        return None

    def made(self, need: Needed, content: bytes, source: str, like: StoredRecord | None) -> Added:
        """A Content CREATE record made anew."""
        members = {"tenantId": need.tenant, "contentHash": need.content_hash, "contentId": need.content_id}
        key = self.key_of(need) or message(CONTENT, members)
        value = content_value(CREATE, need.canonical_hash, content, need.references)
        stamp = like.timestamp_ms if like else self.timestamp_ms(need)
        headers = like.headers if like else ()
        return Added(key, value, headers, stamp, need.name, source)

    def timestamp_ms(self, need: Needed) -> int | None:
        """When the journal wrote of it last; None where its dump has no timestamps."""
        last = [*need.empty_updates, *need.full_records][-1:]
        return self.journals[0].records(last)[last[0]].timestamp_ms if last else None

    def key_of(self, need: Needed) -> bytes | None:
        """The key bytes under which the journal knows it: compaction goes by bytes."""
        last = [*need.full_records, *need.empty_updates][-1:]
        return self.journals[0].records(last)[last[0]].key if last else None


def is_raw(record: StoredRecord) -> bool:
    """The value is as the registry wrote it, not bent by the tool that made the dump."""
    try:
        return read_content(record.value or b"").reading == "raw"
    except NotAContentValue:
        return False


def line_ends(text: bytes) -> list[bytes]:
    """A text as it is, and as an editor or git may have had it: line ends of either kind, the last one or none."""
    forms = []
    for form in (text, text.replace(b"\r\n", b"\n"), text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")):
        end = b"\r\n" if b"\r\n" in form else b"\n"
        forms += [form, form.removesuffix(end), form.rstrip(b"\r\n"), form.rstrip(b"\r\n") + end]
    return list(dict.fromkeys(forms))


def read_file(path: Path) -> bytes:
    """A file's bytes, as far as a schema may reach."""
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES)
