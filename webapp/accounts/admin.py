"""Django admin: users get an action that makes a one-time sign-in link."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest

from webapp.accounts.models import OneTimeSignIn
from webapp.accounts.one_time import create_link

admin.site.site_header = admin.site.site_title = "Journalscope administration"
admin.site.unregister(User)


@admin.register(User)
class UserWithLinkAdmin(UserAdmin):
    """Django's own page of users, and the action."""

    actions = ("make_one_time_link",)

    @admin.action(description="Make a one-time sign-in link")
    def make_one_time_link(self, request: HttpRequest, users: QuerySet[User]) -> None:
        """Show the links once."""
        base = settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
        for user in users.filter(is_active=True):
            messages.info(request, f"{user}: {base}{create_link(user)} (works once, within an hour)")


@admin.register(OneTimeSignIn)
class OneTimeSignInAdmin(admin.ModelAdmin):
    """Who got a link and when it was used."""

    list_display = ("user", "created_at", "expires_at", "used_at")
    readonly_fields = ("user", "created_at", "expires_at", "used_at")
    exclude = ("token_sha256",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Links are made by the action on users."""
        return False
