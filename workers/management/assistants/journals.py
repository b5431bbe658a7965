"""Inspects what calls name, and keeps the results in a folder that is deleted when the server ends.

Of each input there are two folders: the results, which no answer is read from, and the redacted results, as a shared link has
them. They are kept until the input changes or others take their room.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Protocol

from spark.redaction import DocumentWords, Options, Selection, words_of
from spark.redaction.process import TooLong, redact_apart
from spark.runtime.in_process import has_spark, needs_spark, small_bytes
from spark.storage.stored_path import remove_tree
from spark.tables import Manifest
from workers.management.assistants.folders import AllowedFolders
from workers.management.assistants.refused import RefusedCall
from workers.management.inspecting import CommandContext

MAX_KEPT = 8  # inputs
RAW, REDACTED = "raw", "redacted"


@dataclass(frozen=True)
class NeededResults:
    """What a call asks of a journal: by `offset` a record, by `view` (log, next, full) a state, `at` an offset or the end."""

    offset: int | None = None
    view: str = "log"
    at: int | None = None


WHOLE_REPORT = NeededResults()


@dataclass(frozen=True)
class InspectedJournal:
    """An input with its results below `folder`. `notes`: what the results lack."""

    folder: Path
    options: Options
    notes: tuple[str, ...] = ()

    @property
    def raw(self) -> Path:
        """For a comparison and a plan of repair, whose documents are redacted afterwards."""
        return self.folder / RAW

    @property
    def raw_report(self) -> dict[str, Any]:
        return dict(json.loads((self.raw / "report.json").read_text()))

    @property
    def redacted(self) -> Path:
        return self.folder / REDACTED

    @cached_property
    def report(self) -> dict[str, Any]:
        """report.json of the redacted results."""
        return dict(json.loads((self.redacted / "report.json").read_text()))

    @property
    def manifest(self) -> Manifest:
        """The redacted tables."""
        return Manifest.load(self.redacted)

    @property
    def about_itself(self) -> dict[str, list[str]]:
        """The member `notes` of an answer."""
        return {"notes": list(self.notes)} if self.notes else {}

    def words(self, *further_names: str) -> DocumentWords:
        """For documents that are made of the results."""
        return words_of(self.raw, self.options, further_names)


class JournalSource(Protocol):
    """Where answers get redacted results from: enough of them for a call."""

    def of(self, name: str, needed: NeededResults = WHOLE_REPORT) -> InspectedJournal: ...


class PathJournals:
    """Journals on this machine, below the allowed folders."""

    def __init__(self, job: CommandContext, folders: AllowedFolders, options: Options) -> None:
        self.job, self.options = job, options
        self._folders = folders
        self._results = KeptResults(job.scratch)

    def of(self, name: str, needed: NeededResults = WHOLE_REPORT) -> InspectedJournal:
        """Inspected now, or by an earlier call if its files are the same. Raises RefusedCall, UnreadableInput."""
        path, files = self._folders.files(name)
        stats = [(file.name, file.path.stat()) for file in files]
        identity = (path, tuple((name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in stats))
        if journal := self._results.get(identity):
            return journal
        if sum(stat.st_size for _, stat in stats) >= small_bytes() and not has_spark():
            raise RefusedCall(str(needs_spark("An input of this size")))
        folder = self._results.room()
        self.job.inspect([path], folder / RAW)
        return self._results.keep(identity, redacted(folder, self.options))


class KeptResults:
    """Journals by identity of the input, below the scratch folder; the oldest are deleted."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._journals: OrderedDict[Hashable, InspectedJournal] = OrderedDict()

    def get(self, identity: Hashable) -> InspectedJournal | None:
        journal = self._journals.get(identity)
        if journal:
            self._journals.move_to_end(identity)
        return journal

    def room(self) -> Path:
        """A new folder."""
        return Path(mkdtemp(prefix="journal-", dir=self._scratch))

    def keep(self, identity: Hashable, journal: InspectedJournal) -> InspectedJournal:
        self._journals[identity] = journal
        while len(self._journals) > MAX_KEPT:
            remove_tree(self._journals.popitem(last=False)[1].folder)
        return journal


def redacted(folder: Path, options: Options, notes: tuple[str, ...] = ()) -> InspectedJournal:
    """The results in a folder, with the redacted ones next to them."""
    try:
        redact_apart(folder / RAW, folder / REDACTED, options, Selection())
    except TooLong as problem:
        raise RefusedCall(str(problem)) from problem
    return InspectedJournal(folder, options, notes)
