"""Why a journal gets no repair, in a sentence: what was tried on it, or that its dialect has no planner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from spark.dialects import dialects
from spark.repair.journal import PartitionJournal
from spark.repair.trial import releases_of
from spark.terms.wording import listed, plural, some


@dataclass(frozen=True)
class Untouched:
    """A partition that gets no repair, and why: nothing to repair, or a dialect without a planner."""

    topic: str
    partition: int
    dialect: str
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """As docs/repair.md describes it."""
        return {
            "topic": self.topic, "partition": self.partition, "dialect": self.dialect, "sentence": self.sentence,
        }  # fmt: skip


def untouched(journal: PartitionJournal, sentence: str) -> Untouched:
    return Untouched(journal.replica.topic, journal.replica.partition, journal.dialect, sentence)


def unsupported(title: str, supported: Iterable[str]) -> str:
    """That nobody can say whether such a journal needs a repair. `supported`: ids of dialects with a planner."""
    others = listed([dialects()[name].title for name in supported])
    return (
        f"Not supported: Journalscope does not repair journals of this type ({title}). It does not know whether this journal "
        f"needs a repair. It repairs: {others}. The steps of each finding say what to do."
    )


def intact(journal: PartitionJournal, older: Sequence[str], alarms: Sequence[str]) -> str:
    """That nothing is to be repaired, how that is known, and what it does not say. `alarms`: titles of grave findings."""
    return " ".join([tried_sentence(journal), older_sentence(older), *alarm_sentences(alarms)])


def tried_sentence(journal: PartitionJournal) -> str:
    """Which services were started, and what came of it."""
    language = journal.language
    services = [language.service(release) for release in releases_of(language, journal.log())]
    return (
        f"Nothing to repair: {listed(services)} {'was' if len(services) == 1 else 'were'} started on this journal in memory, "
        "before and after two compactions, and no start and no compaction changes what it contains."
    )


def older_sentence(older: Sequence[str]) -> str:
    if not older:
        return "Only an older dump shows records that are missing without a trace."
    names = listed([name[:1].upper() + name[1:] for name in older])
    return f"{names} {'contains' if len(older) == 1 else 'contain'} nothing that is missing here without a trace."


def alarm_sentences(alarms: Sequence[str]) -> Iterable[str]:
    """What an inspection finds nevertheless."""
    if alarms:
        them = "it" if len(alarms) == 1 else "them"
        yield (
            f"The inspection reports {plural(len(alarms), 'critical or high finding')} that a repair does not address "
            f"({some(alarms)}). Its steps say what to do about {them}."
        )
