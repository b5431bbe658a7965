"""Django admin: users get an action that makes a one-time sign-in link, projects show their members."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import secure_admin_login
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet
from django.http import HttpRequest

from webapp.accounts.models import GroupSuperuser, Membership, OneTimeSignIn, Project
from webapp.accounts.one_time import create_link
from webapp.audit import log

admin.site.site_header = admin.site.site_title = "Journalscope administration"
# its own form knows neither the second factor nor the limits of sign-in
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister([User, Group])  # roles are members of projects


@admin.register(User)
class UserWithLinkAdmin(UserAdmin):  # type: ignore[type-arg]
    """Django's page of users with an action that creates sign-in links, and without the permissions that no page asks for."""

    actions = ("make_one_time_link",)
    list_filter = ("is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")
    filter_horizontal = ()

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Who is made a superuser here, or no longer is one, is so by hand and not by a group of the provider."""
        super().save_model(request, obj, form, change)
        if "is_superuser" in form.changed_data:
            GroupSuperuser.objects.filter(user=obj).delete()
            log.record("superuser.added" if obj.is_superuser else "superuser.removed", target=obj)

    @admin.action(description="Make a one-time sign-in link")
    def make_one_time_link(self, request: HttpRequest, users: QuerySet[User]) -> None:
        base = settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
        for user in users.filter(is_active=True):
            messages.info(request, f"{user}: {base}{create_link(user)} (works once, within an hour)")


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    model = Membership
    autocomplete_fields = ("user",)
    fields = ("user", "role")
    extra = 0


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("name", "slug", "retention_days", "is_on_hold", "quota_bytes", "quota_inspections")
    search_fields = ("name", "slug")
    exclude = ("ticket_template",)  # the project's own page and the API check it and record the change
    inlines = (MembershipInline,)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Record changes of members in the audit log, as the project's own page does."""
        super().save_formset(request, form, formset, change)
        for row, names in formset.changed_objects:
            row.give(by_hand=row.role, by_group="" if "user" in names else None)
            row.save()
        happened = [("member.added", row) for row in formset.new_objects]
        happened += [("member.changed", row) for row, _ in formset.changed_objects]
        happened += [("member.removed", row) for row in formset.deleted_objects]
        for action, row in happened:
            log.record(action, project_id=row.project_id, target=row.user, role=row.role)


@admin.register(OneTimeSignIn)
class OneTimeSignInAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ("user", "created_at", "expires_at", "used_at")
    readonly_fields = ("user", "created_at", "expires_at", "used_at")
    exclude = ("token_sha256",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Links are created by the action on users."""
        return False
