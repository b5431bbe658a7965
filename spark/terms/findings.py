"""Finding, severity, confidence: the words of the catalogue as types. The JSON contract is docs/report.md."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any, Literal

from spark.terms.marked import plain

Severity = Literal["critical", "high", "medium", "low", "info"]
Confidence = Literal["proven", "likely"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
WORSE_THAN_LOW: tuple[Severity, ...] = ("critical", "high", "medium")
OF_THE_LOG = ("topic", "partition", "record", "value")  # types of victims that are no entities of a service
TEXTS = ("title", "explanation", "remedy")


Kind = Literal[
    "lost", "revived", "changed", "unreadable", "misread", "missing", "rejected", "stuck", "at_risk"
]
When = Literal["already", "next_compaction", "after_tombstones", "after_next_start"]
WHEN_WORDS: dict[str, str] = {
    "next_compaction": "at the next compaction",
    "after_tombstones": "when compaction removes tombstones",
    "after_next_start": "after the next start and compaction",
}
Whom = Literal[
    "service",
    "consumers",
    "java_consumers",
    "read_committed",
    "brokers",
    "clients",
    "groups",
    "transactional",
    "registries",
    "workers",
]


@dataclass(frozen=True)
class Effect:
    """What happens to one entity, when, and for whom.

    kind  `missing`: its records are not there, and nothing proves that they are lost; `rejected`: by the service or its
          clients; `at_risk`: it can be lost, doubled or changed, and is not yet
    when  `after_tombstones`: a cleaning later, when tombstones go; `after_next_start`: the first compaction after the
          service's next start
    whom  `service`: the one that keeps its state in the journal, and its clients; `consumers`: all of the partition; `java_consumers`: not those of librdkafka, by default; `clients`: its producers,
          too; `groups`, `transactional`: groups and transactional producers whose coordinator is the partition's leader;
          `registries`, `workers`: instances of the service that read the partition at their next start
    """

    kind: Kind
    entity_type: str
    entity_id: str
    when: When = "already"
    whom: Whom = "service"


@dataclass
class Finding:
    """One anomaly, in the words a ticket could quote. Detectors write its texts with marks (`spark.terms.marked`); `marked`
    keeps them, the texts themselves are as they are read.

    `evidence` lists offsets in the order in which they prove it. `entities` (not part of the contract) names what
    the finding is about, such as `content:_/b5f2...`; `summarise` links consequences to causes by them.

    Not part of the contract either: `since_ms`, when its effect began, for the headline; `damage`, the lines that tell
    the effects, for a finding that explains the same damage better; `cause_offset`, the record that decides it;
    `stands_for`, the findings that it took over; `event`, what in the world caused it where it knows (`start:275`),
    alike for all findings of one incident; `loses_later`, that nothing is lost yet; `is_elsewhere`, that other copies show it
    as a part of another finding; `distinct`, what tells it apart from one of another copy at the same offsets;
    `reservation`, a sentence that a calm verdict does not go without; `facts`, what its detector's headline needs to know of it, and `whom` it befalls where that
    differs between its findings.
    """

    detector: str
    severity: Severity
    title: str
    explanation: str
    topic: str
    partition: int | None
    first_offset: int | None
    last_offset: int | None
    remedy: str
    confidence: Confidence = "proven"
    replica: str = ""
    # Those that show it, `replica` first; empty: the partition has no other.
    copies: list[str] = field(default_factory=list)
    key: str | None = None
    entity: str | None = None
    evidence: list[int] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    entities: set[str] = field(default_factory=set)
    consequence_of: str | None = None
    detector_version: str = ""
    effects: list[Effect] = field(default_factory=list)
    damage: list[str] = field(default_factory=list)
    cause_offset: int | None = None
    stands_for: list[Finding] = field(default_factory=list)
    event: str = ""
    incident: str | None = None
    since_ms: int | None = None
    loses_later: bool = False
    is_elsewhere: bool = False
    distinct: str = ""
    reservation: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    marked: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in TEXTS:
            self.write(name, getattr(self, name))
        self.key, self.entity = (name if name is None else plain(name) for name in (self.key, self.entity))
        self.entities = {plain(entity) for entity in self.entities}

    def write(self, name: str, text: str) -> None:
        """Replaces a text; the new one may have marks."""
        self.marked[name] = text
        setattr(self, name, plain(text))

    @property
    def rank(self) -> int:
        """Of the severity; 0 is the worst."""
        return SEVERITIES.index(self.severity)

    @property
    def id(self) -> str:
        """Fingerprint: detector, partition replica, and key or entity; without those, the first offset."""
        subject = [self.key or "", self.entity or ""] if self.key or self.entity else [str(self.first_offset)]
        parts = [self.detector, self.topic, str(self.partition), self.replica, *subject]
        return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:20]
