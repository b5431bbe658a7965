"""Takes the second factor off an account whose owner has lost the phone, the security keys and the recovery codes."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from webapp.audit import log


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    @transaction.atomic
    def handle(self, *args: Any, username: str, **options: Any) -> None:
        """Delete the app, the security keys and the recovery codes of a user; the password stays."""
        user = get_user_model().objects.filter(username=username).first()
        if user is None:
            raise CommandError(f"There is no user {username}.")
        count, _ = Authenticator.objects.filter(user=user).delete()
        if not count:
            raise CommandError(f"{username} has no second factor.")
        log.record("factor.removed", target=user, kind="all", by="command line")
        self.stdout.write(
            f"{username} signs in with the password alone until they add a second factor again."
        )
