"""One's sessions by API."""

from __future__ import annotations

from typing import Any

from webapp.audit.models import Event

SESSIONS = "/me/sessions/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_sessions_are_listed_and_ended_one_by_one(
    admin: Any, reviewer: Any, sign_in: Any, program: Any
) -> None:
    lost, other = sign_in(admin), sign_in(reviewer)
    assert lost.get("/", headers={"User-Agent": FIREFOX}).status_code == 200
    assert other.get("/").status_code == 200
    caller = program(admin, "admin")
    (told,) = caller.get(SESSIONS).json()["results"]
    assert (told["browser"], told["address"], told["is_current"]) == ("Firefox on Linux", "127.0.0.1", False)
    assert program(reviewer).delete(f"{SESSIONS}{told['id']}/").status_code == 404
    assert caller.delete(f"{SESSIONS}{told['id']}/").status_code == 204
    assert lost.get("/").headers["Location"].startswith("/accounts/login/")
    assert other.get("/").status_code == 200
    assert caller.get(SESSIONS).json()["results"] == []
    event = Event.objects.get(action="session.revoked")
    assert (event.actor_name, event.detail["sessions"]) == ("admin", 1)


def test_a_browser_ends_all_sessions_but_its_own(admin: Any, sign_in: Any) -> None:
    here, there = sign_in(admin), sign_in(admin)
    for browser in (here, there):
        assert browser.get("/").status_code == 200
    listed = here.get(f"/api/v1{SESSIONS}").json()["results"]
    assert sorted(one["is_current"] for one in listed) == [False, True]
    assert here.delete(f"/api/v1{SESSIONS}").status_code == 204
    assert there.get("/").status_code == 302
    assert here.get("/").status_code == 200


def test_a_token_of_one_project_or_without_the_scope_does_not_reach_them(
    admin: Any, program: Any, project: Any
) -> None:
    for caller in (program(admin, "admin", project=project), program(admin, "read", "review")):
        assert caller.get(SESSIONS).status_code == 403
        assert caller.delete(SESSIONS).status_code == 403
