"""What a trial that nobody asked for takes: the fewest, nearest dumps of the journal that have what it lacks; of other
journals the texts alone, for their ids are not those of this registry.

Only what everybody sees who sees the broken journal is asked, so that its repair tells nobody anything new.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import orjson
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import OuterRef, Q, QuerySet, Subquery

from webapp.journals.access import journals_seen_with
from webapp.journals.models import Inspection, Journal, Repair
from webapp.journals.repairs import MAX_FILE_BYTES, MAX_FILES, added_files
from webapp.reports.repair.automatic import MAX_RECORDS

if TYPE_CHECKING:
    from spark.repair.inputs import Input
    from spark.repair.journal import PartitionJournal
    from spark.repair.sought import Sought

SCHEMA_REGISTRY = "schema-registry"
MAX_ASKED = 20  # dumps of the journal, and as many other journals; the newest
SHOWN_OF_HASH = 12
NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f/\\]")


@dataclass
class SourceSearch:
    """What the partitions of a broken journal still lack, and what was taken for them."""

    inspection: Inspection
    lacking: list[tuple[PartitionJournal, Sought]]
    known_files: frozenset[str] = frozenset()  # SHA-256 of files that are there
    older: list[Inspection] = field(default_factory=list)
    files: list[SimpleUploadedFile] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        """Whether nothing is missing."""
        return not any(sought for _, sought in self.lacking)

    @property
    def takes_every_dump(self) -> bool:
        """Whether what is lacking shows in older dumps only: no record of a schema registry names what is gone."""
        return any(journal.dialect == SCHEMA_REGISTRY for journal, _ in self.lacking)

    @property
    def is_empty(self) -> bool:
        """Whether no source was used."""
        return not (self.older or self.files)

    def is_older_dump(self, dump: Inspection, others: Sequence[PartitionJournal]) -> bool:
        """Whether a dump of the same journal is an older one: a user said so (a truncated log ends before it), or none of its
        partitions reaches further."""
        from spark.repair.inputs import is_same

        is_earlier = self.is_continued(dump) and dump.journal.created_at < self.inspection.journal.created_at
        ends = [
            is_earlier or other.end_offset() <= journal.end_offset()
            for journal, _ in self.lacking
            for other in others
            if is_same(other, journal)
        ]
        return bool(ends) and all(ends)

    def is_continued(self, dump: Inspection) -> bool:
        """Whether a user uploaded one of the two as a further dump of the other's journal."""
        return dump.journal.lineage == self.inspection.journal.lineage

    def shows_the_log(self, others: Sequence[PartitionJournal]) -> bool:
        """Whether a dump that was uploaded for itself is proven to be of the journal, by the records that both have."""
        from spark.repair.inputs import is_same_log

        return any(is_same_log(journal, other) for journal, _ in self.lacking for other in others)

    def subtract(self, others: Sequence[PartitionJournal]) -> bool:
        """What a dump has is not lacking any more. Whether it had any of it."""
        from spark.repair.inputs import is_same
        from spark.repair.sought import held_of

        before = self.lacking
        for other in others:
            self.lacking = [
                (journal, sought - held_of(sought, other) if sought and is_same(other, journal) else sought)
                for journal, sought in self.lacking
            ]
        return self.lacking != before

    def take_dumps(self, dumps: Iterable[tuple[Inspection, list[PartitionJournal]]]) -> None:
        """The nearest one, which tells what was deleted since, and each that has more of what is lacking, or may have."""
        usable = [(dump, others) for dump, others in dumps if self.is_older_dump(dump, others)]
        usable.sort(key=lambda pair: sum(journal.end_offset() for journal in pair[1]), reverse=True)
        for number, (dump, others) in enumerate(usable):
            if self.subtract(others) or number == 0 or self.takes_every_dump:
                self.older.append(dump)

    def take_texts(self, name: str, others: Iterable[PartitionJournal]) -> None:
        """Texts of another journal, each as a file that says where it is from."""
        from spark.repair.sought import Sought, contents_of, hash_of, text_for

        for other, (number, (journal, sought)) in product(others, list(enumerate(self.lacking))):
            taken = set()
            for content in sorted(contents_of(sought.contents, other)):
                text = text_for(content, journal, other)
                if text and self.has_room(text):
                    title = NOT_IN_NAMES.sub("_", f"{hash_of(content)[:SHOWN_OF_HASH]} of {name}")
                    self.files.append(SimpleUploadedFile(title, text))
                    taken.add(content)
            self.lacking[number] = (journal, sought - Sought(frozenset(taken), frozenset()))

    def has_room(self, text: bytes) -> bool:
        """Whether a text is not too much, and not among the files that are there."""
        is_new = hashlib.sha256(text).hexdigest() not in self.known_files
        return is_new and len(text) <= MAX_FILE_BYTES and len(self.known_files) + len(self.files) < MAX_FILES


def sources_of(inspection: Inspection) -> SourceSearch:
    """Of the journal's other dumps and of others in its project."""
    search = search_of(inspection)
    continued = Q(lineage=inspection.journal.lineage)
    journals = journals_seen_with(inspection.journal).exclude(pk=inspection.journal_id)
    dumps = [(dump, partitions_of(dump)) for dump in askable(journals.filter(continued))]
    others = ((dump, partitions_of(dump)) for dump in askable(journals.exclude(continued)))
    dumps += [(dump, partitions) for dump, partitions in others if search.shows_the_log(partitions)]
    search.take_dumps(dumps)
    if not search.is_over:
        for other in askable(journals.exclude(pk__in=[dump.journal_id for dump in search.older])):
            search.take_texts(other.journal.name, partitions_of(other))
    return search


def sources_from(arrived: Inspection, others: Sequence[PartitionJournal], repair: Repair) -> SourceSearch:
    """Of one dump, what a repair lacks beside what it had."""
    search = search_of(repair.inspection, frozenset(sha256 for _, sha256 in added_files(repair)))
    for dump in repair.older.select_related("journal"):
        search.subtract(partitions_of(dump))
    is_continued = search.is_continued(arrived)
    if (is_continued or search.shows_the_log(others)) and search.is_older_dump(arrived, others):
        if search.subtract(others) or search.takes_every_dump:
            search.older = [arrived]
    elif not is_continued:
        search.take_texts(arrived.journal.name, others)
    return search


def search_of(inspection: Inspection, known_files: frozenset[str] = frozenset()) -> SourceSearch:
    from spark.repair.sought import sought_by

    return SourceSearch(
        inspection, [(journal, sought_by(journal)) for journal in partitions_of(inspection)], known_files
    )


def askable(journals: QuerySet[Journal]) -> list[Inspection]:
    """The newest report of each of these journals, of the newest that are small and of a type that can be repaired."""
    newest = Inspection.objects.filter(journal=OuterRef("pk"), state=Inspection.State.DONE)
    ids = journals.annotate(newest=Subquery(newest.order_by("-finished_at").values("pk")[:1])).values(
        "newest"
    )
    usable = Inspection.objects.filter(repairable(), pk__in=ids, summary__records__lt=MAX_RECORDS)
    return list(usable.select_related("journal").order_by("-journal__created_at")[:MAX_ASKED])


def repairable() -> Q:
    """Inspections with a journal of a type that can be repaired."""
    from spark.dialects import dialects
    from spark.repair.result import PLANNERS

    condition = Q()
    for id in PLANNERS:
        condition |= Q(summary__dialects__icontains=dialects()[id].title)
    return condition


def partitions_of(inspection: Inspection) -> list[PartitionJournal]:
    """The partitions of an inspection that can be repaired; none where its results are gone."""
    from spark.repair.result import PLANNERS

    stored = existing_input(inspection, inspection.journal.name)
    return [journal for journal in stored.journals() if journal.dialect in PLANNERS] if stored else []


def existing_input(inspection: Inspection, name: str) -> Input | None:
    """An inspection as it is; None where its results are gone."""
    from spark.repair.inputs import Input

    results = inspection.results
    if not ((results / "report.json").is_file() and (results / "tables.json").is_file()):
        return None
    return Input(orjson.loads((results / "report.json").read_bytes()), results, name)
