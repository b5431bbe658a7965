"""JUnit's XML, as CI servers read it: a test case for each check; findings fail it, ignored and known ones are skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree as Xml

from workers.management.pipeline.counted import CountedFindings, Finding

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
COUNTED = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
OUR_REASONS = ("better-data", "failed")


def written(report: Mapping[str, Any], counted: CountedFindings) -> str:
    suite = Xml.Element("testsuite", name="journalscope")
    for case in cases(report, counted):
        suite.append(case)
    totals = {"tests": len(suite), **{name: len(suite.findall(f"*/{tag}")) for name, tag in COUNTED}}
    suite.attrib.update({name: str(number) for name, number in totals.items()})
    root = Xml.Element("testsuites", name=text(report["verdict"]["sentence"]))
    root.append(suite)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True)


def cases(report: Mapping[str, Any], counted: CountedFindings) -> Iterator[Xml.Element]:
    for finding in report["findings"]:
        test = case(finding["detector"], finding["title"])
        body = "\n\n".join(filter(None, (finding["explanation"], finding["remedy"])))
        if finding["id"] in counted.failing:
            Xml.SubElement(
                test, "failure", type=finding["severity"], message=text(finding["title"])
            ).text = text(body)
        elif not counted.counts(finding):
            Xml.SubElement(test, "skipped", message=text(why_not(finding, counted)))
        else:
            Xml.SubElement(test, "system-out").text = text(f"{finding['severity']}: {body}")
        yield test
    for name in report["clean"]:
        yield case(name, "found nothing")
    for check in report["not_run"]:
        if check["reason"] in OUR_REASONS:
            unrun = case(check["detector"], "did not run")
            tag = "error" if check["reason"] == "failed" else "skipped"
            Xml.SubElement(unrun, tag, message=text(check["why"]))
            yield unrun


def case(detector: str, name: str) -> Xml.Element:
    return Xml.Element("testcase", classname=text(detector), name=text(name))


def why_not(finding: Finding, counted: CountedFindings) -> str:
    ignored = counted.ignored.get(finding["id"])
    return f"ignored: {ignored.reason}" if ignored else "in the baseline"


def text(words: str) -> str:
    """Characters that XML cannot carry are replaced."""
    return NO_XML.sub("\ufffd", words)
