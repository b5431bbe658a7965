"""Forms of a project's page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import get_user_model, password_validation

from spark.redaction.options import problems
from webapp.accounts.models import DUE_DAYS, ROLES, Invitation, Project
from webapp.ticket_address import MAX_TEMPLATE, InvalidTemplate, check

ROLE_CHOICES = [(role, role) for role in ROLES]
MAX_DAYS = 3650
MAX_MASKS = 200


class ProjectForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Project
        fields = ("name",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].error_messages["unique"] = "Another project has this name. Choose another one."


class MemberForm(forms.Form):
    """An existing user and their role."""

    who = forms.CharField(label="User name or e-mail", max_length=254)
    role = forms.ChoiceField(choices=ROLE_CHOICES, initial="viewer", label="Role")


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=ROLE_CHOICES, label="Role")


class InvitationForm(forms.Form):
    email = forms.EmailField(label="E-mail", required=False)
    role = forms.ChoiceField(choices=ROLE_CHOICES, initial="viewer", label="Role")


class DueDaysForm(forms.Form):
    """Days until a finding of a severity is due; an empty field means the site's default."""

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        due_days = project.due_days if isinstance(project.due_days, dict) else {}
        kwargs["initial"] = {name: due_days.get(name) for name in DUE_DAYS}
        super().__init__(*args, **kwargs)
        for name, days in DUE_DAYS.items():
            self.fields[name] = forms.IntegerField(
                label=name.capitalize(),
                required=False,
                min_value=1,
                max_value=MAX_DAYS,
                help_text=f"Empty: {days}",
            )

    def days(self) -> dict[str, int]:
        """The project's own values by severity."""
        return {name: days for name, days in self.cleaned_data.items() if days is not None}


class MasksForm(forms.Form):
    """Fields and patterns that shares hide in payloads, one per line."""

    fields_text = forms.CharField(
        label="Field paths, one per line", required=False, widget=forms.Textarea(attrs={"rows": 6})
    )
    patterns_text = forms.CharField(
        label="Patterns, one per line", required=False, widget=forms.Textarea(attrs={"rows": 6})
    )

    def clean(self) -> dict[str, Any]:
        """Reports invalid lines at their own field."""
        cleaned = super().clean() or {}
        self.masks = {name: lines_of(cleaned.get(f"{name}_text", "")) for name in ("fields", "patterns")}
        for name, lines in self.masks.items():
            if len(lines) > MAX_MASKS:
                self.add_error(f"{name}_text", f"At most {MAX_MASKS} lines; these are {len(lines)}.")
        for sentence in problems(self.masks["fields"], []):
            self.add_error("fields_text", sentence)
        for sentence in problems([], self.masks["patterns"]):
            self.add_error("patterns_text", sentence)
        return cleaned


class TicketForm(forms.Form):
    ticket_template = forms.CharField(label="Address", max_length=MAX_TEMPLATE, required=False)

    def clean_ticket_template(self) -> str:
        template: str = self.cleaned_data["ticket_template"]
        try:
            if template:
                check(template)
        except InvalidTemplate as why:
            raise forms.ValidationError(str(why)) from why
        return template


class SignUpForm(forms.Form):
    username = forms.CharField(label="User name", max_length=150)
    email = forms.EmailField(label="E-mail", required=False)
    password = forms.CharField(
        label="Password", widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def __init__(self, *args: Any, invitation: Invitation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].help_text = password_validation.password_validators_help_text_html()
        self.fields["email"].initial = invitation.email

    def clean_username(self) -> str:
        username: str = self.cleaned_data["username"]
        users = get_user_model()
        for validate in users._meta.get_field("username").validators:
            validate(username)
        if users.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(
                "This user name is taken. Choose another one, or sign in if it is yours."
            )
        return username

    def clean_email(self) -> str:
        """Addresses are unique: they can be used to sign in."""
        email: str = self.cleaned_data["email"]
        if email and get_user_model().objects.filter(email__iexact=email).exists():
            raise forms.ValidationError(
                "An account has this address already. Sign in to it, then open the link again."
            )
        return email

    def clean(self) -> dict[str, Any]:
        """Checks the password with Django's validators."""
        cleaned = super().clean() or {}
        draft = get_user_model()(username=cleaned.get("username", ""), email=cleaned.get("email", ""))
        try:
            password_validation.validate_password(cleaned.get("password", ""), draft)
        except forms.ValidationError as error:
            self.add_error("password", error)
        return cleaned


def lines_of(text: str) -> list[str]:
    """Non-empty lines of a text area."""
    return [line.strip() for line in text.splitlines() if line.strip()]
