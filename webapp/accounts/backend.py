"""Whom a typed name means, and whether the password is theirs: with the same work whoever it is, and for nobody.

A name may be the user name of one account and the e-mail address of another. Two passwords are checked for every try;
where fewer accounts are meant, the rest is the work of a check that nobody passes.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from allauth.account.internal.userkit import filter_users_by_email, get_user_by_username
from django.contrib.auth import get_user_model
from django.http import HttpRequest

CHECKS = 2


def accounts_of(credentials: dict[str, Any]) -> list[Any]:
    """Accounts matching a user name, an e-mail address or both: user names first, then verified addresses."""
    typed = dict.fromkeys(filter(None, (credentials.get("username"), credentials.get("email"))))
    named = [get_user_by_username(text) for text in typed]
    addressed = [
        sorted(filter_users_by_email(text, prefer_verified=True, for_login=True), key=lambda user: user.pk)
        for text in typed
    ]
    return list(dict.fromkeys(user for user in chain(named, *addressed) if user))


class EqualWork(AuthenticationBackend):
    """Django's and allauth's own, which both take less time for a name that nobody has, or more.

    Its path stands in every session: under another name everybody would be signed out.
    """

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **extra: Any,
    ) -> Any:
        """The account, or None. Inactive accounts are returned, so that allauth can show its page for them."""
        if not password:
            return None
        accounts = accounts_of({"username": username, "email": extra.get("email")})[:CHECKS]
        for _ in range(CHECKS - len(accounts)):
            get_user_model()().set_password(password)
        fitting = [account for account in accounts if account.check_password(password)]
        for account in fitting:
            if self.user_can_authenticate(account):
                return account
            self._stash_user(account)
        return None
