"""The cause of an incident in a few sentences of its worst finding: the event itself, and what compaction does with it.

Of a chain of events it is the step about the finding's own offsets, otherwise what the explanation begins with. A sentence with
something hidden is left out where another one remains.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.redaction.typed_texts import HIDDEN
from webapp.reports.incidents.short_steps import fitting, joined, plain, sentences_of
from webapp.reports.report import ReportFinding
from webapp.reports.typed_text import Segments

SENTENCES = 2
WORDS = 60  # of these; the first one is there however long it is
COMPACTION = "Compaction "  # begins what it does


def cause_of(finding: ReportFinding) -> Segments:
    """Empty without an explanation."""
    blocks = [block for block in finding.blocks["explanation"] if block["kind"] in ("step", "paragraph")]
    if not blocks:
        return ()
    steps = [block for block in blocks if block["kind"] == "step"]
    event = next((step for step in steps if _is_about(step, finding)), blocks[0])
    whole = sentences_of(event["segments"])
    sentences = [sentence for sentence in whole if HIDDEN not in plain(sentence)] or whole
    chosen = list(sentences[: fitting(sentences[:SENTENCES], WORDS, 1)])
    if steps and not any(plain(sentence).startswith(COMPACTION) for sentence in chosen):
        every = (sentence for block in blocks for sentence in sentences_of(block["segments"]))
        chosen += [sentence for sentence in every if plain(sentence).startswith(COMPACTION)][:1]
    return joined(chosen)


def _is_about(step: Mapping[str, Any], finding: ReportFinding) -> bool:
    """Whether the step begins with an offset of the finding."""
    offset = next((each for each in step["segments"] if each.get("kind") == "offset"), None)
    if offset is None or finding.first_offset is None:
        return False
    return finding.first_offset <= int(offset["text"]) <= (finding.last_offset or finding.first_offset)
