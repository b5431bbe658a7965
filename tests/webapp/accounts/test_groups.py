"""Roles by groups of the provider: decided at each sign-in, and what was given by hand stays."""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from tests.webapp.accounts.provider import Provider, sign_in_through
from webapp.accounts import invitations
from webapp.accounts.models import ROLES, Membership, Project
from webapp.accounts.provider import grants, mapping
from webapp.audit.models import Event

MAPPING = """
staff = default:viewer
leads = default:admin
leads = elsewhere:support
/ops/night shift = superuser
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Any:
    def read(text: str) -> tuple[mapping.GroupRole, ...]:
        monkeypatch.setitem(os.environ, "GROUP_ROLES", text)
        return mapping.read("GROUP_ROLES", ROLES)

    return read


@pytest.fixture
def come(provider: Provider, elsewhere: Project, settings: Any, read: Any) -> Any:
    """Sign in through the provider as somebody who is in these groups; the answer."""
    settings.GROUP_ROLES = read(MAPPING)

    def come(*groups: str, **claims: Any) -> Any:
        provider.person = {"sub": "1", "email": "new@example.org", "groups": list(groups)} | claims
        return sign_in_through(Client())

    return come


def roles(user: User | None = None) -> dict[str, str]:
    user = user or User.objects.get(email="new@example.org")
    return dict(user.memberships.values_list("project__slug", "role"))


def happened() -> list[tuple[str, dict[str, Any]]]:
    changes = Event.objects.filter(action__regex="^(member|superuser)").order_by("pk")
    return [(event.action, event.detail) for event in changes]


class TestAtEachSignIn:
    def test_the_highest_role_of_each_project_is_given(self, come: Any) -> None:
        assert come("staff", "leads", "of no concern").status_code == 302
        assert roles() == {"default": "admin", "elsewhere": "support"}
        assert happened() == [
            ("member.added", {"by": "provider", "group": "leads", "role": "admin"}),
            ("member.added", {"by": "provider", "group": "leads", "role": "support"}),
        ]

    def test_what_a_group_gave_goes_with_it(self, come: Any) -> None:
        come("leads")
        come("staff")
        assert roles() == {"default": "viewer"}
        come()
        assert roles() == {}
        assert happened()[2:] == [
            ("member.removed", {"by": "provider", "role": "support"}),
            ("member.changed", {"by": "provider", "group": "staff", "before": "admin", "role": "viewer"}),
            ("member.removed", {"by": "provider", "role": "viewer"}),
        ]

    def test_the_same_groups_change_and_record_nothing(self, come: Any) -> None:
        come("staff")
        come("staff")
        assert len(happened()) == 1

    def test_sessions_that_are_open_lose_the_role_at_once(self, come: Any, sign_in: Any) -> None:
        come("staff")
        open_session = sign_in(User.objects.get())
        assert open_session.get("/").status_code == 200
        come()
        assert open_session.get("/").status_code == 403

    def test_a_project_that_is_not_there_gives_nothing(self, come: Any, elsewhere: Project) -> None:
        elsewhere.delete()
        come("leads")
        assert roles() == {"default": "admin"}
        assert [(entry.number, entry.project) for entry in grants.missing_projects()] == [
            ("line 4", "elsewhere")
        ]

    def test_without_a_mapping_groups_give_nothing_and_what_they_gave_goes(
        self, come: Any, settings: Any
    ) -> None:
        come("leads")
        settings.GROUP_ROLES = ()
        come("leads")
        assert roles() == {}


class TestByHand:
    def test_a_role_by_hand_stays_and_comes_back(self, come: Any, project: Project) -> None:
        come()
        membership = Membership.objects.create(project=project, user=User.objects.get(), role="support")
        come("leads")
        assert roles()["default"] == "admin"
        come("staff")
        assert roles()["default"] == "support"
        come()
        assert roles() == {"default": "support"}
        membership.refresh_from_db()
        assert (membership.group_role, membership.hand_role) == ("", "")

    def test_an_admin_gives_more_than_the_group_and_not_less(
        self, come: Any, project: Project, superuser: User, sign_in: Any
    ) -> None:
        come("staff")
        page = f"/accounts/projects/default/members/{Membership.objects.get().pk}/"
        browser = sign_in(superuser)
        browser.post(page, {"role": "reviewer"})
        assert roles() == {"default": "reviewer"}
        come("leads")
        told = browser.post(page, {"role": "viewer"}, follow=True).content.decode()
        assert "gives new the role admin" in told
        assert "admin by a group of Acme login" in told
        browser.post(page, {"role": "admin"})  # unchanged, and so not by hand
        come()
        assert roles() == {"default": "reviewer"}

    def test_an_admin_removes_a_member_and_the_group_brings_them_back(
        self, come: Any, superuser: User, sign_in: Any
    ) -> None:
        come("staff")
        page = f"/accounts/projects/default/members/{Membership.objects.get().pk}/remove/"
        sign_in(superuser).post(page)
        assert roles() == {}
        come("staff")
        assert roles() == {"default": "viewer"}

    @pytest.mark.parametrize(("role", "after"), [("support", "support"), ("viewer", "viewer")])
    def test_an_invitation_is_by_hand(
        self, role: str, after: str, come: Any, project: Project, superuser: User
    ) -> None:
        come("leads")
        invitation, _ = invitations.create(project, role, superuser)
        assert invitations.accept(invitation, User.objects.get(email="new@example.org"))
        assert roles()["default"] == "admin"
        come()
        assert roles() == {"default": after}

    @pytest.fixture
    def administer(self, project: Project, superuser: User, sign_in: Any) -> Any:
        """Save the project in the administration with this as its only membership."""

        def administer(row: Membership, user: User, role: str) -> None:
            form = {"name": "Default", "slug": "default", "due_days": "{}", "masks": "{}"}
            form |= {"memberships-TOTAL_FORMS": "1", "memberships-INITIAL_FORMS": "1"}
            form |= {"memberships-0-id": str(row.pk), "memberships-0-project": str(project.pk)}
            form |= {"memberships-0-user": str(user.pk), "memberships-0-role": role}
            page = f"/admin/accounts/project/{project.pk}/change/"
            assert sign_in(superuser).post(page, form).status_code == 302

        return administer

    def test_the_administration_s_form_is_by_hand(self, come: Any, administer: Any) -> None:
        come("staff")
        row = Membership.objects.get()
        administer(row, row.user, "reviewer")
        come()
        assert roles() == {"default": "reviewer"}

    def test_a_membership_that_becomes_another_user_s_leaves_the_group_behind(
        self, come: Any, administer: Any, stranger: User
    ) -> None:
        come("leads")
        administer(Membership.objects.get(project__slug="default"), stranger, "viewer")
        assert roles(stranger) == {"default": "viewer"}

    def test_the_administration_leaves_the_address_of_tickets_to_the_page_that_checks_it(
        self, come: Any, administer: Any, project: Project, superuser: User, sign_in: Any
    ) -> None:
        Project.objects.filter(pk=project.pk).update(ticket_template="https://tickets.example.org/")
        come("staff")
        administer(Membership.objects.get(), superuser, "viewer")
        project.refresh_from_db()
        assert project.ticket_template == "https://tickets.example.org/"
        page = sign_in(superuser).get(f"/admin/accounts/project/{project.pk}/change/").content.decode()
        assert "ticket_template" not in page


class TestSuperusers:
    NIGHT = "/ops/night shift"

    def test_a_group_makes_them_and_unmakes_them(self, come: Any) -> None:
        come(self.NIGHT)
        user = User.objects.get()
        assert (user.is_superuser, user.is_staff) == (True, True)
        come("staff")
        user.refresh_from_db()
        assert (user.is_superuser, user.is_staff) == (False, False)
        assert [action for action, _ in happened()] == [
            "superuser.added",
            "member.added",
            "superuser.removed",
        ]

    def test_one_by_hand_stays_one(self, come: Any, superuser: User) -> None:
        verified = {"email": superuser.email, "email_verified": True}
        come(self.NIGHT, **verified)
        come(**verified)
        superuser.refresh_from_db()
        assert (superuser.is_superuser, superuser.is_staff) == (True, True)
        assert happened() == []

    def test_one_who_is_confirmed_by_hand_stays_one(self, come: Any, superuser: User, sign_in: Any) -> None:
        come(self.NIGHT)
        user = User.objects.get(email="new@example.org")
        form = {"username": user.username, "email": user.email, "is_active": "on", "is_staff": "on"}
        browser = sign_in(superuser)
        browser.post(f"/admin/auth/user/{user.pk}/change/", form)
        browser.post(f"/admin/auth/user/{user.pk}/change/", form | {"is_superuser": "on"})
        come()
        user.refresh_from_db()
        assert user.is_superuser
        told = Event.objects.filter(action__startswith="superuser", actor_id=superuser.pk).order_by("pk")
        assert [(event.action, event.target_name) for event in told] == [
            ("superuser.removed", user.username),
            ("superuser.added", user.username),
        ]


class TestRefused:
    @pytest.fixture(autouse=True)
    def required(self, come: Any, settings: Any) -> None:
        settings.REQUIRE_GROUP = True

    def test_who_is_in_no_mapped_group_gets_no_account(self, come: Any) -> None:
        answer = come("of no concern")
        assert answer.status_code == 403
        assert "You are in no group with a role here" in answer.content.decode()
        assert not User.objects.exists()
        assert Event.objects.get(action="session.refused").detail == {
            "by": "provider",
            "subject": "1",
            "groups": 1,
        }

    def test_who_left_the_group_loses_the_roles_and_stays_out(self, come: Any) -> None:
        assert come("staff").status_code == 302
        assert come().status_code == 403
        assert roles() == {}

    def test_a_low_role_by_hand_does_not_let_in(self, come: Any, project: Project) -> None:
        come("staff")
        Membership.objects.update(hand_role="support")
        assert come().status_code == 403
        assert roles() == {"default": "support"}

    @pytest.mark.parametrize("who", ["admin", "superuser"])
    def test_admins_and_superusers_by_hand_come_in(self, who: str, come: Any, request: Any) -> None:
        user = request.getfixturevalue(who)
        assert come(email=user.email, email_verified=True).status_code == 302

    def test_a_superuser_by_group_does_not_without_it(self, come: Any) -> None:
        come("/ops/night shift")
        assert come().status_code == 403
        assert not User.objects.get().is_superuser


class TestClaims:
    @pytest.mark.parametrize(
        ("claim", "person", "groups"),
        [
            ("groups", {}, set()),
            ("groups", {"groups": None}, set()),
            ("groups", {"groups": []}, set()),
            ("groups", {"groups": ""}, set()),
            ("groups", {"groups": "a, b"}, {"a, b"}),
            ("groups", {"groups": ["a", "", "ä/ß=<b>;'\n", "a"]}, {"a", "ä/ß=<b>;'\n"}),
            ("groups", {"groups": [f"group {number}" for number in range(1000)]}, None),
            ("groups", {"groups": ["a", 7, None, {"name": "b"}]}, {"a"}),
            ("groups", {"groups": {"a": "b"}}, set()),
            ("groups", {"groups": 7}, set()),
            ("groups", {"_claim_names": 7}, set()),
            ("groups", {"_claim_names": "groups"}, set()),
            ("groups", {"_claim_names": ["groups"]}, set()),
            ("realm_access.roles", {"realm_access": {"roles": ["a"]}}, {"a"}),
            ("realm_access.roles", {"realm_access": ["roles"]}, set()),
            ("access.my.app.roles", {"access": {"my": {}, "my.app": {"roles": ["a"]}}}, {"a"}),
            ("https://example.org/groups", {"https://example.org/groups": ["a"]}, {"a"}),
        ],
    )
    def test_of_many_forms(self, claim: str, person: dict[str, Any], groups: set[str] | None) -> None:
        found = mapping.groups_of(person, claim)
        assert found == groups if groups is not None else len(found) == 1000

    @pytest.mark.parametrize(
        ("person", "sentence"),
        [
            ({"groups": {"a": "b"}}, "not a list of names but of the type dict"),
            ({"groups": ["a", 7]}, "members that are not text"),
            ({"_claim_names": {"groups": "src1"}}, "because it is too long"),
        ],
    )
    def test_what_cannot_be_read_is_in_the_log(
        self, person: dict[str, Any], sentence: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert mapping.groups_of(person, "groups") <= {"a"}
        assert sentence in caplog.text

    def test_a_path_through_userinfo_and_a_thousand_groups(
        self, come: Any, provider: Provider, settings: Any
    ) -> None:
        settings.OIDC_GROUPS_CLAIM = "realm_access.roles"
        provider.userinfo = {"realm_access": {"roles": [*(f"group {n}" for n in range(1000)), "staff"]}}
        come()
        assert roles() == {"default": "viewer"}


class TestMapping:
    def test_the_last_equals_sign_separates_and_lines_count_from_the_first(self, read: Any) -> None:
        assert read("\nCN=staff,OU=a;b = default : viewer\r\n\n x = superuser\n") == (
            mapping.GroupRole("line 2", "CN=staff,OU=a;b", "default", "viewer"),
            mapping.GroupRole("line 4", "x", "", "superuser"),
        )

    def test_in_one_line_semicolons_separate(self, read: Any) -> None:
        assert [entry.group for entry in read("a=default:viewer; b = superuser;")] == ["a", "b"]
        assert read("") == ()

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("a=p:viewer;b", r'GROUP_ROLES, entry 2 \("b"\): Write GROUP = PROJECT:ROLE'),
            ("= p:viewer", r"entry 1 .*Write GROUP"),
            ("a = ", r"Write GROUP"),
            ("a = p", r"Write GROUP"),
            ("a = my project:viewer", r"my project is not a project's slug"),
            ("a = :viewer", r"Nothing is not a project's slug"),
            ("a = p:boss", r"boss is not a role. Allowed: viewer, support, reviewer, admin\."),
            ("\na = p:viewer\na = p:admin\n", r"line 3 .*in line 2 already"),
        ],
    )
    def test_a_bad_one_says_where_and_what_to_do(self, text: str, sentence: str, read: Any) -> None:
        with pytest.raises(ImproperlyConfigured, match=sentence):
            read(text)
