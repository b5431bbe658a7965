"""Open findings and watches as metrics; the alert rules and the dashboard ask for nothing that there is not."""

from __future__ import annotations

import json
import re
from typing import Any

import promql_parser
import pytest
import yaml
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from spark.terms.installation import ROOT
from webapp.clusters.models import Capture, Cluster, Watch
from webapp.operations import metrics
from webapp.review.models import Finding

pytestmark = pytest.mark.django_db
MONITORING = ROOT / "docs" / "monitoring"
RULES = [
    rule
    for group in yaml.safe_load((MONITORING / "alerts.yml").read_text())["groups"]
    for rule in group["rules"]
]
PANELS = json.loads((MONITORING / "dashboard.json").read_text())["panels"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in PANELS for target in panel["targets"]
]


@pytest.fixture
def watched(make: Any, project: Any) -> Watch:
    """A journal of a watch with two critical causes and a consequence, and one of severity high in another journal."""
    journal, other = make("orders"), make("payments")
    cluster = Cluster.objects.create(project=project, name="production")
    watch = Watch.objects.create(
        cluster=cluster, topic="orders", asked={}, lineage=journal.lineage, failures=2
    )
    watch.last_capture = Capture.objects.create(
        project=project, cluster=cluster, cluster_name="production", topic="orders", asked={}, watch=watch,
        finished_at=timezone.now(),
    )  # fmt: skip
    watch.save()
    for number, (of, severity, is_root) in enumerate(
        [
            (journal, "critical", True),
            (journal, "critical", True),
            (journal, "high", False),
            (other, "high", True),
        ]
    ):
        Finding.objects.create(
            lineage=of.lineage, journal=of, project=project, fingerprint=str(number), detector="gap", is_root=is_root,
            severity=severity, rank=("critical", "high").index(severity), title="t", topic=of.name,
            first_seen_at=timezone.now(), last_seen_at=timezone.now(),
        )  # fmt: skip
    return watch


def exposed(settings: Any) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    settings.METRICS_TOKEN = "secret"
    answer = Client().get("/metrics", headers={"Authorization": "Bearer secret"})
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def labelled(**labels: str) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


def test_open_causes_are_counted_by_journal_and_severity(settings: Any, watched: Watch, house: Any) -> None:
    counts = {
        labels: n for (name, labels), n in exposed(settings).items() if name == "journalscope_open_findings"
    }
    assert counts == {
        labelled(project="default", journal="orders", topic="orders", severity="critical"): 2,
        labelled(project="default", journal="payments", topic="payments", severity="high"): 1,
    }


def test_journals_beyond_the_limit_are_counted_together(
    settings: Any, watched: Watch, house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "MAX_JOURNALS", 1)
    counts = exposed(settings)
    others = labelled(project="default", journal="(others)", topic="", severity="high")
    assert counts["journalscope_open_findings", others] == 1
    assert sum(n for (name, _), n in counts.items() if name == "journalscope_open_findings") == 3


def test_a_watch_tells_its_findings_failures_and_last_capture(
    settings: Any, watched: Watch, house: Any
) -> None:
    counts = exposed(settings)
    of = {"cluster": "production", "topic": "orders"}
    assert counts["journalscope_watch_open_findings", labelled(**of, severity="critical")] == 2
    assert counts["journalscope_watch_open_findings", labelled(**of, severity="high")] == 0
    assert counts["journalscope_watch_failures", labelled(**of)] == 2
    assert counts["journalscope_watch_on", labelled(**of)] == 1
    assert watched.last_capture
    ended = watched.last_capture.finished_at
    assert ended
    assert counts["journalscope_watch_last_capture_seconds", labelled(**of)] == pytest.approx(
        ended.timestamp()
    )


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_asks_for_metrics_that_there_are(expression: str) -> None:
    promql_parser.parse(expression)
    documented = (ROOT / "docs" / "operations.md").read_text()
    named = set(re.findall(r"journalscope_\w+", expression))
    assert named or "up{" in expression
    for name in named:
        assert f"`{re.sub('_(sum|count|bucket)$', '', name)}`" in documented, name


def test_documented_metrics_are_exposed(settings: Any, watched: Watch, house: Any) -> None:
    table = (ROOT / "docs" / "operations.md").read_text().split("| metric | what |")[1].split("\n\n")[0]
    named = set(re.findall(r"`(journalscope_\w+)`", table))
    assert len(named) > 10
    Client().get("/healthz")
    settings.METRICS_TOKEN = "secret"
    answer = Client().get("/metrics", headers={"Authorization": "Bearer secret"}).content.decode()
    typed = set(re.findall(r"^# TYPE (\w+) ", answer, re.MULTILINE))
    assert named - typed == set()


def test_alert_rules_name_their_severity_and_say_a_sentence() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["annotations"]["summary"]


def test_panels_lie_within_the_grid_and_on_nothing_else() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in PANELS:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
