"""Every operation with made-up input, fitting and not: no defect of ours, answers fit the schema, nothing of another project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import schemathesis
from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.wsgi import get_wsgi_application
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.builders import records_table
from tests.webapp.clusters.conftest import captured, connected, estimated, watched
from tests.webapp.reports.result_folder import finding, incident, report_document, write_results
from tests.webapp.review.conftest import make_findings  # noqa: F401
from tests.webapp.rules.conftest import rule_text
from webapp.accounts import invitations
from webapp.journals.models import Comparison, Inspection, Journal, Repair, Upload
from webapp.notifications import channels
from webapp.notifications.models import Delivery, Message
from webapp.review import saved
from webapp.review.filters import Filter
from webapp.review.findings import ingest_findings
from webapp.rules import changes as rules
from webapp.sharing.models import Share

MARK = "HIDDENMARK"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
DOCUMENT = SchemaGenerator().get_schema(request=None, public=True)
OPERATIONS = {
    f"{found.ok().method.upper()} {found.ok().path}": found.ok()
    for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()
}


def hidden(folder: Path) -> Path:
    """A report whose every text has the mark."""
    rows = [{"offset": n, "key": f"{MARK}{n}".encode(), "value": MARK.encode()} for n in range(3)]
    told = finding("hidden", title=MARK, explanation=MARK, key=MARK)
    report = report_document(verdict={"level": "critical", "sentence": MARK}, findings=[told])
    return write_results(folder, report, records=records_table(*rows))


def made(journal: Journal, write: Any) -> dict[str, Any]:
    """One of everything, by the name that addresses have for it."""
    inspection = Inspection.objects.create(journal=journal, state="done")
    write(inspection.results)
    ingest_findings(inspection)
    Upload.objects.create(journal=journal, name=f"{journal.name}.log", size_bytes=9)
    Comparison.objects.create(
        left=inspection, right=inspection, requested_at=journal.created_at, state="done", result={}
    )
    repair = Repair.objects.create(inspection=inspection, error=journal.name)
    share = Share.objects.create(
        project=journal.project, inspection=inspection, journal_name=journal.name, token_sha256=str(journal.pk),
        scope={"what": "report"}, options={}, salt=b"", expires_at=journal.created_at,
    )  # fmt: skip
    person = User.objects.create_user(f"member of {journal.name}")
    member = journal.project.memberships.create(user=person, role="support")
    invitation, _ = invitations.create(
        journal.project, "viewer", None, f"{journal.name.split()[0]}@example.org"
    )
    rule = rules.create(journal.project, rule_text(title=journal.name), None)
    channel = channels.create(
        journal.project, None, what="webhook", target=f"https://{journal.name}.example.org"
    )
    cluster = connected(journal.project, f"cluster of {journal.name}"[:60])
    kept = saved.keep(person, "a filter", Filter(q=journal.name).query, journal.project)
    session = UserSession.objects.create(
        user=person, ip="192.0.2.1", user_agent=journal.name, session_key=str(journal.pk)[:40]
    )
    message = Message.objects.create(
        kind="test", project=journal.project, subject=journal.name, dedupe_key=str(journal.pk)
    )
    return {
        "kind": "inspection",
        "run_id": str(inspection.pk),
        "filter_id": kept.pk,
        "session_id": session.pk,
        "delivery_id": str(Delivery.objects.create(message=message, channel=channel).pk),
        "cluster_id": str(cluster.pk),
        "trial_id": str(estimated(cluster).pk),
        "capture_id": str(captured(cluster).pk),
        "watch_id": str(watched(cluster).pk),
        "slug": journal.project.slug,
        "membership_id": member.pk,
        "invitation_id": invitation.pk,
        "rule_name": rule.name,
        "channel_id": str(channel.pk),
        "journal_id": str(journal.pk),
        "upload_id": str(journal.uploads.get().pk),
        "inspection_id": str(inspection.pk),
        "other_id": str(inspection.pk),
        "repair_id": str(repair.pk),
        "share_id": str(share.pk),
        "finding_id": journal.findings.order_by("pk")[0].pk,
        "offset": "7",
        "layout": "csv",
        "name": "0/append.ndjson",
    }


@pytest.fixture
def places(project: Any, admin: Any, theirs: Any) -> list[dict[str, Any]]:
    """Path parameters: mine and another project's."""
    mine = Journal.objects.create(project=project, name="mine", created_by=admin)
    return [made(mine, incident), made(theirs, hidden)]


@pytest.fixture
def headers(admin: Any, program: Any) -> dict[str, str]:
    """Of a program with every scope."""
    return {"Authorization": f"Bearer {program(admin).text}"}


def drive(label: str, places: list[dict[str, Any]], headers: dict[str, str], examples: int) -> list[int]:
    """Call it with so many examples of each kind; the codes it answered with."""
    operation, application, codes = OPERATIONS[label], get_wsgi_application(), []
    wanted = [one.name for one in operation.path_parameters]

    @seed(20)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.data())
    def call(data: Any) -> None:
        cache.clear()
        place = data.draw(st.sampled_from([places[0], places[0], places[0], places[1]]))
        mode = data.draw(st.sampled_from(list(GenerationMode)))
        try:
            strategy = operation.as_strategy(mode)
            case = data.draw(strategy)
        except schemathesis.errors.SchemathesisError:
            return  # there is nothing to get wrong
        case.path_parameters = {name: place[name] for name in wanted}
        with transaction.atomic():
            response = case.call(app=application, headers=headers)
            transaction.set_rollback(True)
        codes.append(response.status_code)
        assert MARK.encode() not in response.content
        case.validate_response(response, checks=CHECKS)

    call()
    return codes


@pytest.mark.wide
@pytest.mark.parametrize("label", OPERATIONS)
def test_an_operation_answers_as_its_schema_says(
    label: str, places: list[dict[str, Any]], headers: dict[str, str]
) -> None:
    assert drive(label, places, headers, 3)


@pytest.mark.long
@pytest.mark.parametrize("label", OPERATIONS)
def test_an_operation_answers_as_its_schema_says_however_often(
    label: str, places: list[dict[str, Any]], headers: dict[str, str]
) -> None:
    assert drive(label, places, headers, 25)


def test_every_address_of_the_api_is_in_the_schema() -> None:
    from webapp.api.urls import v1

    assert len(DOCUMENT["paths"]) == len(v1) - 1  # all but the one that is nothing


def test_the_kinds_and_states_that_the_api_promises_are_those_of_the_jobs() -> None:
    from webapp.api.rest.states import CAPTURE_STATES, JOB_KINDS
    from webapp.jobs.kinds import all_kinds
    from webapp.jobs.models import State

    assert set(JOB_KINDS) == {kind.name for kind in all_kinds() if kind.is_listed}
    assert State.choices == CAPTURE_STATES
