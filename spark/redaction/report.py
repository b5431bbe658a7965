"""report.json of a share: allowed members, with texts and names as in the share's tables.

Texts come from their member `typed`. In a report without one, sentences are hidden if names are, and a finding's title is
the name of its check.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from spark.redaction.hashing import digest
from spark.redaction.rewriting import Rewriting
from spark.redaction.selection import Selection
from spark.redaction.typed_texts import HIDDEN, TypedTexts
from spark.terms.damage import output_title
from spark.terms.typed_text import actions, plain_of

Document = dict[str, Any]
PartitionCounts = tuple[str, int, int, int, int]  # topic, partition, records, first and last offset
FINDING_NUMBERS = ("partition", "first_offset", "last_offset")
FINDING_WORDS = ("detector", "severity", "confidence")
FINDING_SENTENCES = ("title", "explanation", "remedy")
UNRUN, UNRUN_WORDS = ("does_not_apply", "better_data", "failed"), ("detector", "reason", "better_data")
CHECKSUMS = frozenset({"hash"})
COVERAGE_NUMBERS = (
    "records", "control_records", "tombstones", "restarts", "first_timestamp_ms", "last_timestamp_ms", "batches", "known_checksums",
    "unreadable_bytes", "has_offsets", "isolation", "has_segments", "has_checksums", "absent_offsets", "corrupt_batches", "printed",
)  # fmt: skip
OF_PARTITIONS = (
    "records_per_partition", "offsets_per_partition", "unexplained_offsets_per_partition",
    "absent_offsets_per_partition", "copies_per_partition", "checked_batches_per_partition",
)  # fmt: skip
WORD = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")  # ids of our own
CHECKSUM = re.compile(r"\b(?:0x)?[0-9a-f]{8}\b")  # as findings of older reports write one
NOTHING_HIDDEN: frozenset[str] = frozenset()


def shared_id(salt: bytes, identity: str | None) -> str | None:
    """A finding's id in the share: the original id is a hash against which candidates could be tried."""
    return digest(salt, "finding:" + identity)[:20] if identity else None


class Reports:
    def __init__(self, rewriting: Rewriting, selection: Selection) -> None:
        self._rewriting, self._selection = rewriting, selection
        self._options, self._texts = rewriting.options, rewriting.texts
        self._typed = TypedTexts(rewriting.texts, rewriting.masks, rewriting.options.shows_all_names)

    def document(
        self,
        whole: Document,
        partitions: Mapping[str, str],
        files: list[Document],
        counts: list[PartitionCounts],
    ) -> Document:
        """`partitions`: `<topic>-<partition>` as the share shows it; `files` and `counts`: from the share's own tables."""
        findings = [finding for finding in whole.get("findings", []) if self._is_shown(finding)]
        findings_by_id = {finding["id"]: finding for finding in findings}
        coverage = whole.get("coverage", {})
        is_whole = not self._selection.is_narrowed
        log = whole if is_whole or self._selection.is_log_told else {}
        return {
            "schema": whole.get("schema"),
            "files": files,
            "verdict": self._verdict(whole.get("verdict", {})),
            "journals": [self._journal(entry) for entry in whole.get("journals", []) if self._has(entry)],
            "coverage": self._coverage(coverage, partitions) if is_whole else self._part(coverage, counts),
            "incidents": self._incidents(whole.get("incidents", []), findings_by_id),
            "findings": [self._finding(finding, findings_by_id.keys()) for finding in findings],
            "clean": [self._word(name) for name in log.get("clean", [])],
            "not_run": [
                {name: self._word(check[name]) for name in UNRUN_WORDS if name in check}
                | self._shown(check, "why")
                for check in log.get("not_run", [])
            ],
            "unrun_checks": self._shown(log.get("unrun_checks") or {}, *UNRUN),
            "format_advice": [self._advice(advice) for advice in log.get("format_advice", [])],
            "tables": None,
        }

    def _is_shown(self, finding: Document) -> bool:
        selected = self._selection.findings
        return selected is None or finding.get("id") in selected

    def _has(self, journal: Document) -> bool:
        topics = {topic for topic, *_ in self._selection.replicas or ()}
        return not self._selection.is_narrowed or journal.get("topic") in topics

    def _verdict(self, verdict: Document) -> Document:
        if self._selection.is_narrowed:
            return {"level": self._selection.level, "sentence": self._selection.sentence}
        return {"level": verdict.get("level")} | self._shown(verdict, "sentence")

    def _journal(self, journal: Document) -> Document:
        second, policy = journal.get("runner_up"), journal.get("compaction")
        return {
            "topic": self._topic(journal.get("topic")),
            "partitions": journal.get("partitions", []),
            "dialect": self._word(journal.get("dialect")),
            "is_replayed": bool(journal.get("is_replayed", True)),
            **self._shown(journal, "dialect_title", "why", "profile"),
            "runner_up": second
            and {"dialect": self._word(second.get("dialect"))} | self._shown(second, "title", "why"),
            "compaction": policy
            and {"certainty": self._word(policy.get("certainty"))} | self._shown(policy, "sentence"),
            "verdict": self._verdict(journal.get("verdict", {})),
        }

    def _coverage(self, coverage: Document, partitions: Mapping[str, str]) -> Document:
        numbers = {name: coverage[name] for name in COVERAGE_NUMBERS if name in coverage}
        named = {
            name: {partitions.get(partition, HIDDEN): number for partition, number in coverage[name].items()}
            for name in OF_PARTITIONS
            if name in coverage
        }
        for partition, copies in named.get("copies_per_partition", {}).items():
            named["copies_per_partition"][partition] = {self._copy(name): copies[name] for name in copies}
        return numbers | named | self._shown({"cannot_tell": [], **coverage}, "cannot_tell")

    def _part(self, coverage: Document, partition_counts: list[PartitionCounts]) -> Document:
        counts = {f"{topic}-{number}": records for topic, number, records, *_ in partition_counts}
        bounds = {f"{topic}-{number}": bounds for topic, number, _, *bounds in partition_counts}
        printed = ["printed"] if output_title(coverage) else []
        names = ("isolation", "has_offsets", "has_segments", "has_checksums", *printed)
        return {name: coverage[name] for name in names if name in coverage} | {
            "records": sum(counts.values()),
            "records_per_partition": counts,
            "offsets_per_partition": bounds,
            **dict.fromkeys(("unreadable_bytes", "known_checksums"), 0),
            **self._shown({"cannot_tell": [], **coverage}, "cannot_tell"),
        }

    def _finding(self, finding: Document, ids: Collection[str]) -> Document:
        cause = finding.get("consequence_of")
        texts = self._texts_of(finding)
        return (
            {name: self._word(finding.get(name)) for name in FINDING_WORDS}
            | {name: finding.get(name) for name in FINDING_NUMBERS}
            | texts
            | {
                "id": shared_id(self._options.salt, finding.get("id")),
                "topic": self._topic(finding.get("topic")),
                "replica": self._copy(finding.get("replica")),
                "copies": [self._copy(copy) for copy in finding.get("copies") or []],
                "key": self._key(finding.get("key")),
                "evidence": finding.get("evidence") or [],
                "effects": [self._effect(entry) for entry in finding.get("effects") or []],
                "proof": [self._proof(entry) for entry in finding.get("proof") or []],
                "actions": actions(texts.get("typed", {}).get("remedy", [])),
                "references": self._references(finding),
                "consequence_of": shared_id(self._options.salt, cause) if cause in ids else None,
                "incident": shared_id(self._options.salt, finding.get("incident")),
            }
        )

    def _texts_of(self, finding: Document) -> Document:
        """A rule's texts belong to its author: all shown, or none."""
        if is_rule(finding) and not self._options.shows_all_names:
            return dict.fromkeys(FINDING_SENTENCES, HIDDEN)
        hidden = self._hidden_kinds([finding])
        texts = self._shown(finding, *FINDING_SENTENCES, hidden=hidden)
        return texts if "typed" in finding else self._untyped(texts, finding, bool(hidden))

    def _untyped(self, texts: Document, finding: Document, hides_checksums: bool) -> Document:
        """For reports written before texts were typed."""
        if not self._options.shows_all_names:
            words = (self._word(finding.get("detector")) or HIDDEN).replace("-", " ")
            return texts | {"title": words[:1].upper() + words[1:]}
        sentences = {name: CHECKSUM.sub(HIDDEN, texts[name] or "") for name in FINDING_SENTENCES}
        return texts | sentences if hides_checksums else texts

    def _references(self, finding: Document) -> list[str]:
        """A check's own references; those of a report without typed texts may have others."""
        is_shown = "typed" in finding or self._options.shows_all_names
        return list(finding.get("references") or []) if is_shown else []

    def _incidents(self, incidents: list[Document], by_id: Mapping[str, Document]) -> list[Document]:
        """Incidents with at least one shown finding, reduced to the shown findings."""
        with_findings = [
            (entry, [by_id[id] for id in entry["findings"] if id in by_id]) for entry in incidents
        ]
        return [self._incident(entry, findings, by_id) for entry, findings in with_findings if findings]

    def _incident(
        self, incident: Document, findings: list[Document], by_id: Mapping[str, Document]
    ) -> Document:
        is_whole = len(findings) == len(incident["findings"])
        victims = [entry for entry in incident["victims"] if entry["finding"] in by_id]
        source = incident if is_whole else findings[0]
        return {
            "id": shared_id(self._options.salt, incident["id"]),
            "severity": self._word(source["severity"]),
            **self._of_incident(source, findings, "title"),
            "findings": [shared_id(self._options.salt, entry["id"]) for entry in findings],
            "victims": [
                {"finding": shared_id(self._options.salt, entry["finding"]), **self._effect(entry)}
                for entry in victims
            ],
            "victim_count": incident["victim_count"] if is_whole else len(victims),
            "plan": [
                {"finding": shared_id(self._options.salt, entry["finding"])}
                | self._of_incident(entry, findings, "step")
                for entry in incident["plan"]
                if is_whole
            ],
        }

    def _of_incident(self, document: Document, findings: list[Document], name: str) -> Document:
        """A text of an incident; hidden for a rule like the rule's own texts."""
        if any(map(is_rule, findings)) and not self._options.shows_all_names:
            return {name: HIDDEN}
        return self._shown(document, name, hidden=self._hidden_kinds(findings))

    def _hidden_kinds(self, findings: list[Document]) -> frozenset[str]:
        """Checksums are shown if everything that they cover is."""
        has_checksum = any("crc" in str(finding.get("detector")) for finding in findings)
        hides = has_checksum and not (self._options.shows_all and not self._rewriting.masks.are_any)
        return CHECKSUMS if hides else NOTHING_HIDDEN

    def _proof(self, record: Document) -> Document:
        return {name: record.get(name) for name in ("offset", "in_input")} | self._shown(record, "shows")

    def _effect(self, effect: Document) -> Document:
        words = {name: self._word(effect.get(name)) for name in ("kind", "entity_type", "when", "whom")}
        return words | {"entity_id": self._entity(effect.get("entity_type"), effect.get("entity_id"))}

    def _entity(self, entity_type: str | None, name: str | None) -> str | None:
        """Topics, and entities named after them, as elsewhere in the share; other names by a pseudonym."""
        if entity_type == "topic" or name is None:
            return name and self._topic(name)
        if owner := {"record": "partition", "registration": "version", "value": "key"}.get(entity_type or ""):
            owner_name, _, offset = name.rpartition("/")
            return f"{self._entity(owner, owner_name)}/{offset}"
        if entity_type == "offset-commit" and not self._rewriting.shown_names.is_in_tables(name):
            group, topic, number = name.rsplit("/", 2)  # of the output of a tool
            return f"{self._name(group)}/{self._topic(topic)}/{number}"
        if entity_type == "partition":
            dash = "/" if "/" in name else "-"  # the controllers' journal names `orders/0`
            topic, _, number = name.rpartition(dash)
            return f"{self._topic(topic)}{dash}{number}"
        return self._key(name) if entity_type == "key" else self._name(name)

    def _advice(self, advice: Document) -> Document:
        return {
            "topic": self._topic(advice.get("topic")),
            "partition": advice.get("partition"),
            "replica": self._copy(advice.get("replica")),
            **self._shown(advice, "sentence"),
            "sections": [
                {"id": self._word(section.get("id"))} | self._shown(section, "title", "sentences", "steps")
                for section in advice.get("sections", [])
            ],
        }

    def _topic(self, name: str | None) -> str | None:
        return None if name is None else self._rewriting.names.topics.get(name, HIDDEN)

    def _copy(self, name: str | None) -> str | None:
        return None if name is None else self._rewriting.names.copies.get(name, HIDDEN)

    def _word(self, word: str | None) -> str | None:
        is_own = not word or self._options.shows_all_names or WORD.fullmatch(word)
        return word if is_own else HIDDEN

    def _name(self, name: str | None) -> str | None:
        return None if name is None else self._typed.name(name)

    def _key(self, key: str | None) -> str | None:
        return None if key is None else self._typed.key(key)

    def _shown(self, document: Document, *names: str, hidden: frozenset[str] = NOTHING_HIDDEN) -> Document:
        """These texts of a document, and its member `typed`."""
        typed = document.get("typed") or {}
        blocks = {
            name: [self._typed.blocks(text, hidden) for text in typed[name]]
            if isinstance(document.get(name), list)
            else self._typed.blocks(typed[name], hidden)
            for name in names
            if name in typed
        }
        texts = {
            name: self._plain(document.get(name), blocks.get(name)) for name in names if name in document
        }
        return texts | ({"typed": blocks} if blocks else {})

    def _plain(self, text: Any, blocks: Any) -> Any:
        if isinstance(text, list):
            return [self._plain(line, blocks and blocks[number]) for number, line in enumerate(text)]
        if text is None or blocks is not None:
            return text if text is None else plain_of(blocks)
        if self._options.shows_all_names:
            return self._texts.renamed(self._rewriting.masks.text(text))
        return HIDDEN


def is_rule(finding: Document) -> bool:
    """Whether a project's rule found it."""
    return str(finding.get("detector") or "").startswith("rule:")
