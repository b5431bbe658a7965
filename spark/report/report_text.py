"""The report as text for a terminal: verdict, coverage, incidents with proof and remedy, what more data would allow."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from spark.report.calm_verdict import numbered_partitions
from spark.sources import LACKS
from spark.terms import marked
from spark.terms.damage import damage, records_of, what_was_read
from spark.terms.typed_text import CODE, line_of, prefix
from spark.terms.verdict_word import verdict_word, without_word
from spark.terms.visible import one_line
from spark.terms.wording import at_records, grouped, offset_range, plural
from spark.terms.wording import sentence as as_sentence

Report = dict[str, Any]
WIDTH = 110
GLUE = "\0"  # stands for the spaces of a command while lines are wrapped
CONSEQUENCES_SHOWN = 10


def plain_text(report: Report, is_verbose: bool = False) -> str:
    """The whole report, paragraphs apart. A line feed in a name or a title begins no line here."""
    return "\n\n".join(text for text in paragraphs(one_lined(report), is_verbose) if text) + "\n"


def one_lined(value: Any) -> Any:
    """A value of the report with all its texts visible, each on one line."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, dict):
        return {one_line(name): one_lined(member) for name, member in value.items()}
    return [one_lined(item) for item in value] if isinstance(value, list) else value


def paragraphs(report: Report, is_verbose: bool = False) -> Iterator[str]:
    findings = report["findings"]
    roots = [finding for finding in findings if finding["consequence_of"] is None]
    level, sentence = report["verdict"]["level"], report["verdict"]["sentence"]
    first = filled(f"{verdict_word(level, sentence).upper()}: {without_word(level, sentence)}")
    yield "\n".join([first, *incident_lines(report)])
    yield coverage_text(report)
    numbered = numbered_partitions(report["coverage"])
    by_id = {finding["id"]: finding for finding in findings}
    following: dict[str | None, list[Report]] = defaultdict(list)
    for finding in findings:
        if finding["consequence_of"] is not None:
            following[finding["incident"]].append(finding)
    for incident in report["incidents"]:
        causes = [by_id[finding_id] for finding_id in incident["findings"]]
        yield incident_text(incident, causes, following[incident["id"]], numbered)
    for severity, heading in (("low", "Low severity"), ("info", "Notes")):
        titles = [finding["title"] for finding in roots if finding["severity"] == severity]
        if titles:
            yield "\n".join([heading, *(filled(title + ".", "  ", "  ") for title in titles)])
    yield unrun_text(report, is_verbose)


def incident_lines(report: Report) -> list[str]:
    """A line for each incident where the verdict only counts them: faults of several replicas of one partition."""
    incidents = report["incidents"]
    if not report["verdict"]["sentence"].startswith(f"{plural(len(incidents), 'incident')} in "):
        return []
    return [filled(f"[{incident['severity']}] {incident['title']}", "  ", "  ") for incident in incidents]


def filled(line: str, indent: str = "", hanging: str = "") -> str:
    """A line of a readable width; hashes stay whole, so that they can be copied."""
    wrapped = textwrap.fill(
        line,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(GLUE, " ")


def filled_text(finding: Report, name: str) -> str:
    return "\n".join(filled_block(block) for block in finding["typed"].get(name, []))


def filled_block(block: Report) -> str:
    """The text of a step is indented below its first word."""
    whole = [
        {**segment, "text": segment["text"].replace(" ", GLUE)} if segment.get("kind") == CODE else segment
        for segment in block["segments"]
    ]
    hanging = "   " if block["kind"] == "step" else ""
    return filled(prefix(block) + line_of(whole), "  ", hanging)


def filled_step(number: int, step: Report) -> str:
    """A step of an incident's plan."""
    return "\n".join(
        filled_block({**block, "kind": "step", "number": number}) for block in step["typed"]["step"]
    )


def coverage_text(report: Report) -> str:
    """The paragraph on the input: records and offsets by partition, journals, and what the file format lacks."""
    coverage = report["coverage"]
    read = (
        f"Read {what_was_read(report)}. Isolation level: {coverage['isolation']}. "
        f"{as_sentence(damage(coverage))}"
        if any(file["kind"] in ("segment", "export") for file in report["files"])
        else "The input contains no dump of records, only output that describes a cluster."
    )
    lines = [filled(read)]
    offsets = coverage["offsets_per_partition"]
    for name, count in coverage["records_per_partition"].items():
        if name in offsets:
            lines.append(
                f"  {printed_name(name, coverage)}: {offset_range(*offsets[name])}, {records_of(coverage, name)}"
            )
        elif count:
            lines.append(f"  {printed_name(name, coverage)}: {plural(count, 'record')} without offsets")
    for journal in report.get("journals", []):
        if journal["dialect"] != "plain" and not journal.get("is_replayed", True):
            text = (
                f"{shown_name(journal['topic'])}: {journal['dialect_title']}. Recognised, but not replayed."
            )
            lines.append(filled(text, "  "))
        if policy := journal.get("compaction"):
            lines.append(filled(f"{shown_name(journal['topic'])}: {policy['sentence']}", "  "))
    lines += [filled(sentence) for sentence in coverage.get("capture", [])]
    if coverage["cannot_tell"]:
        lines.append(filled(f"Not in this file format: {'; '.join(coverage['cannot_tell'])}."))
    return "\n".join(lines)


def incident_text(
    incident: Report, causes: list[Report], consequences: list[Report], numbered: Collection[str]
) -> str:
    """What happened, proof, what to do, what follows from it; of several findings the event and each of them. `numbered`: partitions
    without offsets."""
    if len(causes) == 1:
        lines = [head(causes[0]), *cause_body(causes[0], numbered)]
        plan = filled_text(causes[0], "remedy")
    else:
        lines = [head(incident)]
        for cause in causes:
            lines += [
                filled("- " + cause["title"], "  "),
                *("  " + line for line in proof_lines(cause, numbered)),
            ]
        lines += ["", f"  The most severe finding: {causes[0]['title']}", *cause_body(causes[0], numbered)]
        plan = "\n".join(filled_step(*step) for step in enumerate(incident["plan"], 1))
    lines += ["  What to do", plan]
    return "\n".join([*lines, *(consequence_lines(consequences) if consequences else [])])


def head(finding: Report) -> str:
    """Severity and title of a finding or an incident."""
    return filled(f"[{finding['severity']}] {finding['title']}")


def cause_body(finding: Report, numbered: Collection[str]) -> list[str]:
    """Which detector, where, how sure; what happened; proof."""
    name = finding["topic"] if finding["partition"] is None else f"{finding['topic']}-{finding['partition']}"
    certainty = f", {finding['confidence']}" if finding["confidence"] != "proven" else ""
    return [
        f"  {finding['detector']}, {shown_name(name)}{certainty}",
        filled_text(finding, "explanation"),
        *proof_lines(finding, numbered),
    ]


def proof_lines(finding: Report, numbered: Collection[str]) -> list[str]:
    """`Proof: offsets 4 and 7.`"""
    is_numbered = f"{finding['topic']}-{finding['partition']}" in numbered
    places = at_records(finding["evidence"], is_numbered)
    return [filled(f"Proof: {places}.", "  ")] if finding["evidence"] else []


def shown_name(name: str) -> str:
    """`orders-0`; a dump that names no topic is said to name none."""
    return "topic unknown" if name == marked.UNNAMED else marked.partition_of_key(name)


def printed_name(name: str, coverage: Report) -> str:
    """A partition's name, without its number where no file prints partitions."""
    topic = name.rpartition("-")[0]
    if LACKS["partition"] not in coverage["cannot_tell"]:
        return shown_name(name)
    return "partition not printed" if topic == marked.UNNAMED else f"{topic}, partition not printed"


def consequence_lines(consequences: list[Report]) -> list[str]:
    """Consequences of a cause, cut with the number left out."""
    lines = [filled("- " + finding["title"], "  ") for finding in consequences[:CONSEQUENCES_SHOWN]]
    left_out = len(consequences) - len(lines)
    return ["  Consequences", *lines, *([f"  - and {grouped(left_out)} more"] if left_out > 0 else [])]


def unrun_text(report: Report, is_verbose: bool) -> str:
    """What better data would allow; verbose: also what does not apply, and each check with its reason."""
    unrun = {"better_data": [], "failed": [], "does_not_apply": "", **report["unrun_checks"]}
    needed = [filled(line) for line in (" ".join(unrun["better_data"]), *unrun["failed"]) if line]
    if not is_verbose:
        return "\n".join(needed)
    rest = [filled(unrun["does_not_apply"])] if unrun["does_not_apply"] else []
    return "\n".join([*needed, *rest, *reason_lines(report["not_run"])])


def reason_lines(not_run: list[dict[str, str]]) -> list[str]:
    """The checks that did not run, gathered by reason."""
    reasons = Counter(entry["why"] for entry in not_run)
    lines = ["Checks that did not run"] if reasons else []
    for why, _ in reasons.most_common():
        names = ", ".join(entry["detector"] for entry in not_run if entry["why"] == why)
        lines.append(filled(f"{names}: {why}.", "  "))
    return lines
