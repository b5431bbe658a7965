"""Projects' pages: who sees what, members and roles, due days and masks; the last admin stays."""

from __future__ import annotations

from typing import Any

import pytest

from webapp.accounts.models import Membership, Project
from webapp.audit.models import Event
from webapp.journals.models import Journal

PAGE = "/accounts/projects/default/"


def role_of(user: Any, project: Project) -> str | None:
    found = Membership.objects.filter(user=user, project=project).first()
    return found.role if found else None


def actions() -> list[str]:
    return list(Event.objects.order_by("pk").values_list("action", flat=True))


class TestLists:
    def test_everybody_sees_their_projects_their_role_and_whom_to_ask(
        self, viewer: Any, admin: Any, elsewhere: Project, sign_in: Any
    ) -> None:
        page = sign_in(viewer).get("/accounts/projects/").content.decode()
        assert "Default" in page
        assert "<td>viewer</td>" in page
        assert "<td>admin</td>" in page
        assert "Elsewhere" not in page
        assert "Members and settings" not in page

    def test_who_is_in_none_reads_what_to_do(self, stranger: Any, project: Project, sign_in: Any) -> None:
        page = sign_in(stranger).get("/accounts/projects/").content.decode()
        assert "No projects yet" in page
        assert "Default" not in page

    @pytest.mark.parametrize(
        ("who", "status"),
        [
            ("admin", 200),
            ("superuser", 200),
            ("reviewer", 403),
            ("owner", 403),
            ("viewer", 403),
            ("stranger", 404),
        ],
    )
    def test_a_project_s_page_is_for_its_admins(
        self, who: str, status: int, request: Any, sign_in: Any, project: Project
    ) -> None:
        assert sign_in(request.getfixturevalue(who)).get(PAGE).status_code == status

    def test_an_admin_of_another_project_finds_nothing(
        self, admin: Any, elsewhere: Project, sign_in: Any
    ) -> None:
        assert sign_in(admin).get("/accounts/projects/elsewhere/").status_code == 404


class TestMembers:
    @pytest.mark.parametrize("who", ["stranger", "stranger@example.org", "STRANGER@example.org"])
    def test_somebody_is_added_by_name_or_address(
        self, who: str, admin: Any, stranger: Any, project: Project, sign_in: Any
    ) -> None:
        client = sign_in(admin)
        assert client.post(f"{PAGE}members/", {"who": who, "role": "support"}).status_code == 302
        assert role_of(stranger, project) == "support"
        event = Event.objects.get(action="member.added")
        assert (event.actor_name, event.target_name, event.detail) == (
            "admin",
            "stranger",
            {"role": "support"},
        )

    @pytest.mark.parametrize(
        ("who", "role", "sentence"),
        [
            ("nobody", "viewer", "Invite the person instead"),
            ("viewer", "viewer", "in Default already"),
            ("viewer", "owner", "owner is not one of the available choices"),
            ("", "viewer", "This field is required"),
        ],
    )
    def test_what_cannot_be_added_is_said(
        self, who: str, role: str, sentence: str, admin: Any, viewer: Any, sign_in: Any
    ) -> None:
        answer = sign_in(admin).post(f"{PAGE}members/", {"who": who, "role": role})
        assert answer.status_code == 422
        assert sentence in answer.content.decode()
        assert Membership.objects.count() == 2

    def test_a_role_is_changed_and_taken(
        self, admin: Any, viewer: Any, project: Project, sign_in: Any
    ) -> None:
        client, member = sign_in(admin), viewer.memberships.get()
        client.post(f"{PAGE}members/{member.pk}/", {"role": "reviewer"})
        assert role_of(viewer, project) == "reviewer"
        client.post(f"{PAGE}members/{member.pk}/remove/")
        assert role_of(viewer, project) is None
        assert sign_in(viewer).get("/").status_code == 403
        assert Event.objects.get(action="member.changed").detail == {"before": "viewer", "role": "reviewer"}
        assert Event.objects.get(action="member.removed").target_name == "viewer"

    def test_the_last_admin_stays(self, admin: Any, viewer: Any, project: Project, sign_in: Any) -> None:
        client, member = sign_in(admin), admin.memberships.get()
        for path, form in ((f"{member.pk}/", {"role": "viewer"}), (f"{member.pk}/remove/", {})):
            page = client.post(f"{PAGE}members/{path}", form, follow=True).content.decode()
            assert "admin is the last admin of Default" in page
        assert role_of(admin, project) == "admin"

    def test_a_switched_off_admin_does_not_count(
        self, admin: Any, reviewer: Any, project: Project, sign_in: Any
    ) -> None:
        reviewer.memberships.update(role="admin")
        reviewer.is_active = False
        reviewer.save()
        sign_in(admin).post(f"{PAGE}members/{admin.memberships.get().pk}/remove/")
        assert role_of(admin, project) == "admin"

    def test_of_two_admins_one_can_go_and_a_superuser_can_remove_the_last(
        self, admin: Any, reviewer: Any, superuser: Any, project: Project, sign_in: Any
    ) -> None:
        reviewer.memberships.update(role="admin")
        answer = sign_in(admin).post(f"{PAGE}members/{admin.memberships.get().pk}/remove/")
        assert answer["Location"] == "/accounts/projects/"
        assert role_of(admin, project) is None
        sign_in(superuser).post(f"{PAGE}members/{reviewer.memberships.get().pk}/remove/")
        assert not project.memberships.exists()

    def test_a_member_of_another_project_is_not_touched_through_this_one(
        self, admin: Any, stranger: Any, elsewhere: Project, sign_in: Any
    ) -> None:
        theirs = elsewhere.memberships.create(user=stranger, role="viewer")
        for path in (f"{theirs.pk}/", f"{theirs.pk}/remove/"):
            assert sign_in(admin).post(f"{PAGE}members/{path}", {"role": "admin"}).status_code == 404
        assert role_of(stranger, elsewhere) == "viewer"


class TestSettings:
    def test_due_days_are_kept_where_they_differ(self, admin: Any, project: Project, sign_in: Any) -> None:
        form = {"critical": "2", "high": "", "medium": "20", "low": ""}
        assert sign_in(admin).post(f"{PAGE}due-days/", form).status_code == 302
        project.refresh_from_db()
        assert project.due_days == {"critical": 2, "medium": 20}
        assert "project.due-days-changed" in actions()

    @pytest.mark.parametrize("days", ["0", "-1", "soon", "4000"])
    def test_days_that_make_no_sense_are_refused(
        self, days: str, admin: Any, project: Project, sign_in: Any
    ) -> None:
        assert sign_in(admin).post(f"{PAGE}due-days/", {"critical": days}).status_code == 422
        project.refresh_from_db()
        assert project.due_days == {}

    def test_masks_are_kept_line_by_line_and_only_counted_in_the_log(
        self, admin: Any, project: Project, sign_in: Any
    ) -> None:
        form = {"fields_text": " config.password \n\n**.iban", "patterns_text": r"ACME-\d+"}
        assert sign_in(admin).post(f"{PAGE}masks/", form).status_code == 302
        project.refresh_from_db()
        assert project.masks == {"fields": ["config.password", "**.iban"], "patterns": [r"ACME-\d+"]}
        assert Event.objects.get(action="project.masks-changed").detail == {"fields": 2, "patterns": 1}
        assert "**.iban" in sign_in(admin).get(PAGE).content.decode()

    @pytest.mark.parametrize(
        ("form", "sentence"),
        [
            ({"fields_text": "a..b"}, "is no field path"),
            ({"patterns_text": "("}, "is no pattern"),
            ({"patterns_text": ".*"}, "would hide everything"),
        ],
    )
    def test_masks_that_cannot_be_read_are_refused(
        self, form: dict[str, str], sentence: str, admin: Any, project: Project, sign_in: Any
    ) -> None:
        answer = sign_in(admin).post(f"{PAGE}masks/", form)
        assert answer.status_code == 422
        assert sentence in answer.content.decode()
        project.refresh_from_db()
        assert project.masks == {}

    def test_a_new_name_keeps_the_address(self, admin: Any, project: Project, sign_in: Any) -> None:
        assert sign_in(admin).post(f"{PAGE}rename/", {"name": "Registry team"})["Location"] == PAGE
        project.refresh_from_db()
        assert (project.name, project.slug) == ("Registry team", "default")

    def test_a_taken_name_is_refused(
        self, admin: Any, project: Project, elsewhere: Project, sign_in: Any
    ) -> None:
        answer = sign_in(admin).post(f"{PAGE}rename/", {"name": "Elsewhere"})
        assert answer.status_code == 422
        assert "Another project has this name" in answer.content.decode()


class TestSuperusers:
    def test_make_projects_with_addresses_of_their_own(self, superuser: Any, sign_in: Any) -> None:
        client = sign_in(superuser)
        places = [
            client.post("/accounts/projects/new/", {"name": name})["Location"] for name in ("Über", "uber")
        ]
        assert places == ["/accounts/projects/uber/", "/accounts/projects/uber-2/"]
        assert actions().count("project.created") == 2

    def test_delete_empty_ones_only(self, superuser: Any, elsewhere: Project, sign_in: Any) -> None:
        client, journal = sign_in(superuser), Journal.objects.create(project=elsewhere, name="theirs")
        page = client.post("/accounts/projects/elsewhere/delete/", follow=True).content.decode()
        assert "1 journal is in Elsewhere" in page
        journal.delete()
        client.post("/accounts/projects/elsewhere/delete/")
        assert not Project.objects.filter(slug="elsewhere").exists()

    def test_admins_of_a_project_do_neither(self, admin: Any, project: Project, sign_in: Any) -> None:
        client = sign_in(admin)
        assert client.post("/accounts/projects/new/", {"name": "Mine"}).status_code == 404
        assert client.post(f"{PAGE}delete/").status_code == 404
        assert Project.objects.count() == 1
