"""The rights matrix: every route x method x part, as rights_table.py says, asked of the real site.

Each request runs in a transaction that is taken back, so that one who deletes leaves everything for the next.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from tests.webapp.clusters.conftest import captured, connected, estimated, topics_told, watched
from tests.webapp.reports.conftest import inspected
from tests.webapp.reports.pages.test_repair import done as repaired
from tests.webapp.rights_table import ADMINISTRATION, ROUTES, SHARED, Route
from tests.webapp.sharing.conftest import share
from webapp.accounts import invitations, one_time
from webapp.accounts.models import ROLES, Project
from webapp.api.tokens import create_token
from webapp.journals.models import Comparison, Upload
from webapp.notifications.models import Channel, Delivery, Message
from webapp.reports.queries.keys import key_id
from webapp.review.findings import ingest_findings
from webapp.review.models import Finding, SavedFilter
from webapp.rules import changes
from webapp.rules.views import EXAMPLE

__all__ = ["inspected", "share"]

METHODS = ("GET", "POST", "PATCH", "DELETE")
PARTS = ("anonymous", "stranger", "viewer", "support", "reviewer", "admin", "other_admin", "superuser")
OWNER = "support"  # whoever has this part made the journal, the token, the filter, the session
REFUSED = (403, 404)


def walk(patterns: list[Any], prefix: str = "", space: str = "") -> Iterator[tuple[str, str, URLPattern]]:
    """Name, address and pattern of every route of the site."""
    for one in patterns:
        address = prefix + str(one.pattern)
        if isinstance(one, URLPattern):
            yield f"{space}{one.name}", address, one
        else:
            deeper = f"{space}{one.namespace}:" if one.namespace else space
            yield from walk(one.url_patterns, address, deeper)


def ours() -> list[tuple[str, str, URLPattern]]:
    """Those with a line of their own."""
    return [
        one for one in walk(get_resolver().url_patterns) if not one[0].startswith((SHARED, ADMINISTRATION))
    ]


def test_every_route_has_a_line_and_every_line_a_route() -> None:
    found = {name for name, _, _ in ours()}
    assert "None" not in found, "a route needs a name"
    assert found - set(ROUTES) == set(), "write a line into tests/webapp/rights_table.py"
    assert set(ROUTES) - found == set(), "take the line out of tests/webapp/rights_table.py"


@pytest.fixture
def people(project: Any, owner: Any, viewer: Any, reviewer: Any, admin: Any, stranger: Any) -> dict[str, Any]:
    """Part -> user."""
    elsewhere = Project.objects.create(slug="elsewhere", name="Elsewhere")
    other_admin = User.objects.create_user("other_admin", password="a long pass phrase")
    elsewhere.memberships.create(user=other_admin, role="admin")
    return {
        "stranger": stranger,
        "viewer": viewer,
        "support": owner,
        "reviewer": reviewer,
        "admin": admin,
        "other_admin": other_admin,
        "superuser": User.objects.create_superuser("superuser", password="a long pass phrase"),
    }


@pytest.fixture
def browsers(people: dict[str, Any]) -> Callable[[str], Client]:
    """A fresh browser of this part, signed in once for the whole test."""
    cookies = {}
    for part, user in people.items():
        client = Client()
        client.force_login(user)
        cookies[part] = client.session.session_key

    def fresh(part: str) -> Client:
        client = Client(raise_request_exception=False)
        if part in cookies:
            client.cookies["sessionid"] = cookies[part]
        return client

    return fresh


@pytest.fixture
def world(people: dict[str, Any], request: Any, project: Any, browsers: Any) -> dict[str, Any]:
    """Argument -> value: a journal with a file, two inspections, and one of everything that hangs on them."""
    inspect, link_to = request.getfixturevalue("inspected"), request.getfixturevalue("share")
    here, other = inspect(), inspect()
    journal, creator = here.journal, people[OWNER]
    Comparison.objects.create(left=here, right=other, requested_by=creator, requested_at=timezone.now())
    upload = Upload.objects.create(journal=journal, name="a.log", size_bytes=5)
    invitation, path = invitations.create(project, "viewer", people["admin"])
    link, token = link_to(here)
    ingest_findings(here)
    rule = changes.create(project, EXAMPLE, people["reviewer"])
    browsers(OWNER).get("/")
    session = creator.usersession_set.get()
    api_token, _ = create_token(creator, "a program", ("read",), timezone.now() + timedelta(days=1), project)
    channel = Channel.objects.create(project=project, what="mail", target="team@example.org")
    message = Message.objects.create(kind="test", project=project, subject="s", dedupe_key="d")
    kept = SavedFilter.objects.create(owner=creator, name="mine", query="")
    cluster = connected(project)
    topics_told(cluster)
    return {
        "cluster_id": cluster.pk,
        "trial_id": estimated(cluster).pk,
        "watch_id": watched(cluster).pk,
        "capture_id": captured(cluster, state="paused", size_bytes=1).pk,
        "journal_id": journal.pk,
        "inspection_id": here.pk,
        "other_id": other.pk,
        "run_id": here.pk,
        "kind": "inspection",
        "upload_id": upload.pk,
        "repair_id": repaired(here, other).pk,
        "finding_id": Finding.objects.filter(journal=journal)[0].pk,
        "filter_id": kept.pk,
        "share_id": link.pk,
        "token": token,
        "token_id": api_token.pk,
        "session_id": session.pk,
        "channel_id": channel.pk,
        "delivery_id": Delivery.objects.create(message=message, channel=channel).pk,
        "slug": project.slug,
        "membership_id": people["viewer"].memberships.get().pk,
        "invitation_id": invitation.pk,
        "invitation_token": path.strip("/").split("/")[-1],
        "one_time_token": one_time.create_link(people["viewer"]).strip("/").split("/")[-1],
        "provider_id": "sso",
        "offset": 3,
        "part": "value",
        "layout": "csv",
        "comparison_layout": "comparison.json",
        "form": "csv",
        "shelf": "detectors",
        "rest": "nothing",
        "number": 1,
        "key_id": key_of(here),
        "name": rule.name,
        "sample_kind": "corrupt",
        "file_name": "journal-0/append.ndjson",
        "page_name": "content-null-update",
        "docs_path": "spark.html",
    }


def key_of(inspection: Any) -> str:
    """The address of some key of the report."""
    table = pq.read_table(inspection.results / "keys")
    return key_id(table["key_hash_1"][0].as_py(), table["key_hash_2"][0].as_py())


def least(line: Route, method: str, part: str) -> bool:
    """Whether the line lets this part do it."""
    needed = line.methods[method]
    if needed in ("anyone", "account"):
        return needed == "anyone" or part != "anonymous"
    if part in ("anonymous", "stranger"):
        return False
    if needed == "owner":
        return part == OWNER
    if part == "superuser":
        return True
    if needed == "superuser":
        return False
    if needed == "creator":
        return part in (OWNER, "admin")
    if part == "other_admin":
        return not line.names
    return ROLES.index(part) >= ROLES.index(str(needed))


def expected(line: Route, method: str, part: str) -> str:
    """In words: `may`, or the status."""
    if least(line, method, part):
        return "may"
    if part == "anonymous":
        return str(line.guest)
    if part == "stranger" or (part == "other_admin" and line.names):
        return "403" if line.name == "journals" else "404"
    return "403" if sees(line, part.removeprefix("other_")) else "404"


def sees(line: Route, part: str) -> bool:
    """Whether a member is told that it is there."""
    return line.sees in ROLES and part != "superuser" and ROLES.index(part) >= ROLES.index(line.sees)


def seen(answer: Any, answers: tuple[int, ...]) -> str:
    """The same of an answer; `answers` are refusals that are none."""
    status = answer.status_code
    if status == 302 and "/accounts/login/?next=" in answer["Location"]:
        return "302"
    is_refusal = status in (401, 403, 404, 405, 410) or status >= 500
    if is_refusal and status not in answers:
        return str(status)
    return "may"


@pytest.mark.parametrize("of_those_who_may", ["the least", pytest.param("all", marks=pytest.mark.long)])
def test_everybody_may_what_the_table_says_and_nothing_else(
    of_those_who_may: str, world: dict[str, Any], browsers: Any, house: Any, settings: Any
) -> None:
    """Whoever may not is asked always; whoever may gets the page that the least of them gets."""
    kept = shutil.copytree(settings.RESULTS_DIR, settings.DATA_DIR / "kept")
    wrong = []
    for name, address, pattern in ours():
        line = ROUTES.get(name)
        if line is None:
            continue  # the test above says so
        path = path_of(address, pattern, line, world)
        names_something = line.names and "<" in address
        judged = line if names_something else Route(**{**vars(line), "names": False})
        for method in (method for method in METHODS if judged.methods[method]):
            may = [part for part in PARTS if least(judged, method, part)]
            left_out = may[1:] if of_those_who_may == "the least" else []
            for part in (part for part in PARTS if part not in left_out):
                with transaction.atomic():
                    answer = ask(browsers(part), method, path, judged)
                    transaction.set_rollback(True)
                put_back(settings, kept)
                right = expected(judged, method, part)
                is_so = seen(answer, judged.answers if right == "may" else ())
                if right != is_so:
                    wrong.append(f"{name} {method} as {part}: should be {right}, is {answer.status_code}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_what_is_not_offered_is_refused_to_everybody(
    world: dict[str, Any], browsers: Any, house: Any
) -> None:
    """Also to a superuser: no page changes anything on GET, and none takes a method that nobody thought of."""
    wrong = []
    for name, address, pattern in ours():
        line = ROUTES.get(name)
        for method in ("GET", "POST"):
            if line is None or line.methods[method]:
                continue
            with transaction.atomic():
                answer = ask(browsers("superuser"), method, path_of(address, pattern, line, world), line)
                transaction.set_rollback(True)
            if answer.status_code not in (403, 404, 405):
                wrong.append(f"{name} {method}: {answer.status_code}")
    assert not wrong, "\n" + "\n".join(wrong)


def test_the_administration_opens_for_superusers_only(
    people: dict[str, Any], browsers: Any, house: Any
) -> None:
    """Pages of Django's own; signing in and out of it leads to ours."""
    doors = {"admin:login", "admin:logout", "admin:jsi18n", "admin:autocomplete"}
    administered = [one for one in walk(get_resolver().url_patterns) if one[0].startswith(ADMINISTRATION)]
    pages = ["/" + address for name, address, _ in administered if "<" not in address and name not in doors]
    pages = [page for page in pages if "(?P" not in page]
    assert len(pages) > 10
    for page in pages:
        for part in PARTS:
            status = browsers(part).get(page).status_code
            # some rows are not added by hand, not even by them
            fine = {200, 302, 403} if part == "superuser" and page.endswith("/add/") else {200}
            assert status in (fine if part == "superuser" else {302, 403, 404}), (page, part, status)


def put_back(settings: Any, kept: Path) -> None:
    """Folders of results that the request deleted."""
    for folder in kept.iterdir():
        if not (settings.RESULTS_DIR / folder.name).exists():
            shutil.copytree(folder, settings.RESULTS_DIR / folder.name)


def ask(client: Client, method: str, path: str, line: Route) -> Any:
    """One request, with what it needs to get as far as the question of rights."""
    kind = "application/json" if line.body else "application/x-www-form-urlencoded"
    content = json.dumps(line.body).encode() if line.body else b""
    return client.generic(method, path + line.query, content, kind, headers=line.headers)


def path_of(address: str, pattern: URLPattern, line: Route, world: dict[str, Any]) -> str:
    """The address with arguments of the world."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        return str(world[line.args.get(name, name)])

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, address)
