"""report.json of a share: the members that are allowed, their sentences and names as the tables tell them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from spark.redaction.hashing import digest
from spark.redaction.rewriting import Rewriting
from spark.redaction.selection import Selection
from spark.redaction.texts import HIDDEN

Document = dict[str, Any]
Held = tuple[str, int, int, int, int]  # topic, partition, records, first and last offset
FINDING_NUMBERS = ("partition", "first_offset", "last_offset")
FINDING_WORDS = ("detector", "severity", "confidence")
FINDING_SENTENCES = ("title", "explanation", "remedy")
COVERAGE_NUMBERS = (
    "records", "control_records", "tombstones", "restarts", "first_timestamp_ms", "last_timestamp_ms",
    "unreadable_bytes", "has_offsets", "isolation", "has_segments", "absent_offsets",
    "corrupt_batches",
)  # fmt: skip
OF_PARTITIONS = (
    "records_per_partition", "offsets_per_partition", "unexplained_offsets_per_partition",
    "absent_offsets_per_partition",
)  # fmt: skip
PIECES = re.compile(r"[^\W_]+(?:[-._][^\W_]+)*")
TYPES = re.compile(r"(?:^|@)[a-z-]+:")  # of entities: `version:a/b/1@content:_/hash`
CHECKSUM = re.compile(r"\b(?:0x)?[0-9a-f]{8}\b")  # as findings write one
MIN_HIDDEN = 3  # letters of a piece of a name that is hidden although the house uses the word, too


def told_id(salt: bytes, identity: str | None) -> str | None:
    """A finding's id in the share: the id itself is a hash that somebody could try candidates for."""
    return digest(salt, "finding:" + identity)[:20] if identity else None


class Reports:
    """Redacts the documents of one share."""

    def __init__(self, rewriting: Rewriting, selection: Selection) -> None:
        self._rewriting, self._selection = rewriting, selection
        self._options, self._texts = rewriting.options, rewriting.texts

    def document(
        self, whole: Document, partitions: Mapping[str, str], files: list[Document], held: list[Held]
    ) -> Document:
        """`partitions`: `<topic>-<partition>` as it is told; `files` and `held`: from the share's own tables."""
        findings = [one for one in whole.get("findings", []) if self._is_told(one)]
        coverage = whole.get("coverage", {})
        counts = set(_numbers(coverage)) | {len(findings)}
        in_headlines = {one.get(name) for one in findings for name in ("first_offset", "last_offset")} - {
            None
        }
        is_whole = not self._selection.is_narrowed
        tells_log = is_whole or self._selection.is_log_told
        return {
            "schema": whole.get("schema"),
            "files": files,
            "verdict": self._verdict(whole.get("verdict", {}), counts | in_headlines),
            "journals": [self._journal(one, counts) for one in whole.get("journals", []) if self._has(one)],
            "coverage": self._coverage(coverage, partitions) if is_whole else self._part(coverage, held),
            "incidents": self._incidents(whole.get("incidents", []), {one["id"]: one for one in findings}),
            "findings": [self._finding(one, {entry["id"] for entry in findings}) for one in findings],
            "clean": [self._word(name) for name in whole.get("clean", [])] if tells_log else [],
            "not_run": [
                {"detector": self._word(one.get("detector")), "why": self._sentence(one.get("why"), counts)}
                for one in (whole.get("not_run", []) if tells_log else [])
            ],
            "unrun_checks": self._unrun(whole.get("unrun_checks") or {}, counts) if tells_log else {},
            "format_advice": [self._advice(one) for one in whole.get("format_advice", [])]
            if tells_log
            else [],
            "tables": None,
        }

    def _unrun(self, unrun: Document, counts: set[int]) -> Document:
        return {
            name: [self._sentence(one, counts) for one in sentences]
            if isinstance(sentences, list)
            else self._sentence(sentences, counts)
            for name, sentences in unrun.items()
        }

    def _is_told(self, finding: Document) -> bool:
        told = self._selection.findings
        return told is None or finding.get("id") in told

    def _has(self, journal: Document) -> bool:
        places = self._selection.places
        return places is None or journal.get("topic") in {place[0] for place in places}

    def _verdict(self, verdict: Document, counts: set[int]) -> Document:
        if self._selection.is_narrowed:
            return {"level": self._selection.level, "sentence": self._selection.sentence}
        return {"level": verdict.get("level"), "sentence": self._sentence(verdict.get("sentence"), counts)}

    def _journal(self, journal: Document, counts: set[int]) -> Document:
        second = journal.get("runner_up")
        return {
            "topic": self._topic(journal.get("topic")),
            "partitions": journal.get("partitions", []),
            "dialect": self._word(journal.get("dialect")),
            "dialect_title": self._sentence(journal.get("dialect_title"), counts),
            "why": self._sentence(journal.get("why"), counts),
            "profile": self._sentence(journal.get("profile"), counts),
            "runner_up": second
            and {
                "dialect": self._word(second.get("dialect")),
                "title": self._sentence(second.get("title"), counts),
                "why": self._sentence(second.get("why"), counts),
            },
            "compaction": {
                "certainty": self._word(policy.get("certainty")),
                "sentence": self._sentence(policy.get("sentence"), counts),
            }
            if (policy := journal.get("compaction"))
            else None,
            "verdict": self._verdict(journal.get("verdict", {}), counts),
        }

    def _coverage(self, coverage: Document, partitions: Mapping[str, str]) -> Document:
        numbers = {name: coverage[name] for name in COVERAGE_NUMBERS if name in coverage}
        named = {
            name: {partitions.get(where, HIDDEN): of for where, of in coverage[name].items()}
            for name in OF_PARTITIONS
            if name in coverage
        }
        lost = [self._sentence(one, set()) for one in coverage.get("cannot_tell", [])]
        return numbers | named | {"cannot_tell": lost}

    def _part(self, coverage: Document, held: list[Held]) -> Document:
        """Of a part: counted anew from the records that it holds."""
        counts: dict[str, int] = {}
        bounds: dict[str, list[int]] = {}
        for topic, number, records, first, last in held:
            name = f"{topic}-{number}"
            counts[name], bounds[name] = records, [first, last]
        told = {name: coverage[name] for name in ("isolation", "has_offsets") if name in coverage}
        return told | {
            "records": sum(counts.values()),
            "records_per_partition": counts,
            "offsets_per_partition": bounds,
            "unreadable_bytes": 0,
            "cannot_tell": [self._sentence(one, set()) for one in coverage.get("cannot_tell", [])],
        }

    def _finding(self, finding: Document, told: set[str]) -> Document:
        evidence = finding.get("evidence") or []
        numbers = _told_numbers(finding)
        hidden = _hidden_words(finding) - {str(number) for number in numbers}
        cause = finding.get("consequence_of")
        return (
            {name: self._word(finding.get(name)) for name in FINDING_WORDS}
            | {name: finding.get(name) for name in FINDING_NUMBERS}
            | {name: self._told(finding, name, numbers, hidden) for name in FINDING_SENTENCES}
            | {
                "id": told_id(self._options.salt, finding.get("id")),
                "topic": self._topic(finding.get("topic")),
                "replica": self._copy(finding.get("replica")),
                "copies": [self._copy(copy) for copy in finding.get("copies") or []],
                "key": self._name(finding.get("key")),
                "evidence": evidence,
                "effects": [self._effect(one) for one in finding.get("effects") or []],
                "references": [one for one in finding.get("references") or [] if self._is_own_reference(one)],
                "consequence_of": told_id(self._options.salt, cause) if cause in told else None,
                "incident": told_id(self._options.salt, finding.get("incident")),
            }
        )

    def _incidents(self, incidents: list[Document], told: Mapping[str, Document]) -> list[Document]:
        """Those of which a finding is told; of one told in part, only what belongs to those findings."""
        every = [(one, [told[name] for name in one["findings"] if name in told]) for one in incidents]
        return [self._incident(one, findings, told) for one, findings in every if findings]

    def _incident(
        self, incident: Document, findings: list[Document], told: Mapping[str, Document]
    ) -> Document:
        is_whole = len(findings) == len(incident["findings"])
        numbers = {number for one in findings for number in _told_numbers(one)}
        hidden = frozenset().union(*map(_hidden_words, findings)) - {str(number) for number in numbers}
        victims = [one for one in incident["victims"] if one["finding"] in told]
        title = incident["title"] if is_whole else findings[0]["title"]
        return {
            "id": told_id(self._options.salt, incident["id"]),
            "severity": self._word(incident["severity"] if is_whole else findings[0]["severity"]),
            "title": self._sentence(title, numbers, hidden),
            "findings": [told_id(self._options.salt, one["id"]) for one in findings],
            "victims": [
                {"finding": told_id(self._options.salt, one["finding"]), **self._effect(one)}
                for one in victims
            ],
            "victim_count": incident["victim_count"] if is_whole else len(victims),
            "plan": [
                {
                    "finding": told_id(self._options.salt, one["finding"]),
                    "step": self._sentence(one["step"], numbers, hidden),
                }
                for one in incident["plan"]
                if is_whole
            ],
        }

    def _effect(self, effect: Document) -> Document:
        words = {name: self._word(effect.get(name)) for name in ("kind", "entity_type", "when")}
        return words | {"entity_id": self._name(effect.get("entity_id"))}

    def _is_own_reference(self, reference: str) -> bool:
        return self._options.tells_all_names or reference in self._texts.vocabulary.phrases

    def _advice(self, advice: Document) -> Document:
        return {
            "topic": self._topic(advice.get("topic")),
            "partition": advice.get("partition"),
            "replica": self._copy(advice.get("replica")),
            "sentence": self._log_sentence(advice.get("sentence")),
            "sections": [
                {
                    "id": self._word(section.get("id")),
                    "title": self._log_sentence(section.get("title")),
                    "sentences": [self._log_sentence(one) for one in section.get("sentences", [])],
                    "steps": [self._log_sentence(one) for one in section.get("steps", [])],
                }
                for section in advice.get("sections", [])
            ],
        }

    def _topic(self, name: str | None) -> str | None:
        return None if name is None else self._rewriting.names.topics.get(name, HIDDEN)

    def _copy(self, name: str | None) -> str | None:
        return None if name is None else self._rewriting.names.copies.get(name, HIDDEN)

    def _told(self, finding: Document, name: str, numbers: set[int], hidden: frozenset[str]) -> str | None:
        """A rule's sentences are its author's, with values of records among them: all told, or none."""
        is_rule = str(finding.get("detector") or "").startswith("rule:")
        if is_rule and not self._options.tells_all_names:
            return HIDDEN
        told = self._sentence(finding.get(name), numbers, hidden)
        tells_checksums = self._options.tells_all and not self._rewriting.masks.are_any
        has_one = "crc" in str(finding.get("detector"))
        return told if told is None or tells_checksums or not has_one else CHECKSUM.sub(HIDDEN, told)

    def _word(self, word: str | None) -> str | None:
        is_own = word is None or self._options.tells_all_names or word in self._texts.vocabulary.phrases
        return word if is_own else HIDDEN

    def _name(self, name: str | None) -> str | None:
        if name is None or self._options.tells_all_names:
            return name and self._texts.renamed(self._rewriting.masks.text(name))
        return self._texts.name(name)

    def _log_sentence(self, text: str | None) -> str | None:
        return self._sentence(text, None)

    def _sentence(
        self, text: str | None, numbers: set[int] | None, hidden: frozenset[str] = frozenset()
    ) -> str | None:
        if self._options.tells_all_names:
            return text and self._texts.renamed(self._rewriting.masks.text(text))
        return self._texts.hide(text, numbers, hidden)


def _told_numbers(finding: Document) -> set[int]:
    """Numbers of a finding that may be told: where it is, its proof."""
    evidence = finding.get("evidence") or []
    numbers = {finding[name] for name in FINDING_NUMBERS if finding.get(name) is not None}
    return numbers | {*evidence, len(evidence)}


def _hidden_words(finding: Document) -> frozenset[str]:
    """The finding's own key and entity, whole and in pieces: hidden even where the house uses the word."""
    entity = TYPES.sub("/", finding.get("entity") or "")
    names = [leaf for name in (finding.get("key"), entity) if name for leaf in _leaves(name)]
    pieces = {piece for name in names for piece in (name, *name.split("/"), *PIECES.findall(name))}
    return frozenset(piece for piece in pieces if len(piece) >= MIN_HIDDEN or piece.isdigit())


def _leaves(name: str) -> Iterator[str]:
    """A name; of one that is JSON, the values in it."""
    try:
        value = json.loads(name[name.index("{") :] if "{" in name else name)
    except ValueError:
        yield name
        return
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
        else:
            yield str(one)


def _numbers(value: Any) -> Iterator[int]:
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _numbers(each)
    elif isinstance(value, list):
        for each in value:
            yield from _numbers(each)
