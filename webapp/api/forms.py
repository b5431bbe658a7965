"""The form that makes a token."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone

from webapp.accounts.models import Project
from webapp.accounts.roles import has_role, projects_for_user
from webapp.api.models import SCOPES
from webapp.api.tokens import MAX_DAYS, ROLE_OF_SCOPE

DEFAULT_DAYS = 90
MIN_ROLE = ROLE_OF_SCOPE | {"review": "support"}  # support comments


class TokenForm(forms.Form):
    """What it is for, what it may do, where, and until when."""

    name = forms.CharField(max_length=100, help_text="What uses it, such as nightly upload.")
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=list(SCOPES.items()),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        initial=["read"],
    )
    project: forms.ModelChoiceField[Project] = forms.ModelChoiceField(
        queryset=None, required=False, empty_label="All my projects", to_field_name="slug"
    )
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MAX_DAYS, initial=DEFAULT_DAYS)

    def __init__(self, *args: Any, user: Any, **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.fields["project"].queryset = projects_for_user(user)  # type: ignore[attr-defined]
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (scope, words) for scope, words in SCOPES.items() if has_role(user, MIN_ROLE[scope])
        ]

    @property
    def expires_at(self) -> Any:
        """From now on."""
        return timezone.now() + timedelta(days=self.cleaned_data["days"])
