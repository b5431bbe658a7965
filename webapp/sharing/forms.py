"""Forms: what a share hides, for whom and for how long it is open; what a bundle of evidence hides."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.utils import timezone

from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS, NAMES, problems
from webapp.accounts.models import Project
from webapp.accounts.project_forms import lines_of
from webapp.sharing.models import Share
from webapp.sharing.scopes import Scope
from webapp.sharing.shares import Terms

DEFAULT_DAYS = 30
MAX_DAYS = 365
MIN_PASSWORD = 8
SHOWN, HIDDEN = "on", "hidden"
KEY_CHOICES = (
    (NAMES, "Hidden, except names"),
    (SHOWN, "Shown"),
    (HIDDEN, "Hidden, names too"),
)


class ShareForm(forms.Form):
    """The defaults hide most."""

    payloads = forms.BooleanField(
        label="Show payloads",
        required=False,
        help_text="Values and what was decoded from them.",
    )
    keys = forms.ChoiceField(
        label="Keys", required=False, choices=KEY_CHOICES, initial=NAMES,
        help_text="Hidden keys are replaced by hashes: equal keys have equal hashes.",
    )  # fmt: skip
    headers = forms.BooleanField(
        label="Show headers", required=False, help_text="Header values are shown only if payloads are shown."
    )
    names = forms.BooleanField(
        label="Show names",
        required=False,
        initial=True,
        help_text="Topics, artifacts, subjects, groups, connectors and other entities. If Keys is “Hidden, names too”, names in keys are hashes.",
    )
    fields_masked = forms.CharField(
        label="Fields to mask", required=False, widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One path a line, such as config.password; ** stands for any depth.",
    )  # fmt: skip
    patterns = forms.CharField(
        label="Patterns to mask", required=False, widget=forms.Textarea(attrs={"rows": 5}),
        help_text="One regular expression a line, without lookaround and references to groups. Masks work where payloads or keys are shown; data that is not text "
        "cannot be searched and is hidden.",
    )  # fmt: skip
    days = forms.IntegerField(label="Open for (days)", min_value=1, max_value=MAX_DAYS, initial=DEFAULT_DAYS)
    audience = forms.ChoiceField(label="Who may open it", choices=Share.Audience.choices)
    password = forms.CharField(
        label="Password (optional)", required=False, min_length=MIN_PASSWORD, max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}), help_text="Send the password separately from the link.",
    )  # fmt: skip
    max_views = forms.IntegerField(
        label="Maximum number of visits (optional)", required=False, min_value=1, max_value=1_000_000
    )

    @staticmethod
    def first_values(project: Project) -> dict[str, str]:
        """The project's own masks with the built-in ones."""
        own = project.own_masks
        return {
            "fields_masked": "\n".join(dict.fromkeys([*own["fields"], *DEFAULT_FIELDS])),
            "patterns": "\n".join(dict.fromkeys([*own["patterns"], *DEFAULT_PATTERNS])),
        }

    @classmethod
    def with_defaults(cls, project: Project) -> ShareForm:
        """As the dialogue offers it, filled in."""
        initial = {
            name: field.initial for name, field in cls.base_fields.items() if field.initial is not None
        }
        return cls(initial | {"audience": Share.Audience.LINK} | cls.first_values(project))

    def clean(self) -> dict[str, Any]:
        """Masks that cannot be read are refused: a mask that does not work hides nothing."""
        cleaned: dict[str, Any] = super().clean() or {}
        for problem in problems(lines_of(cleaned.get("fields_masked", "")), []):
            self.add_error("fields_masked", problem)
        for problem in problems([], lines_of(cleaned.get("patterns", ""))):
            self.add_error("patterns", problem)
        return cleaned

    def options(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        flags: dict[str, Any] = {name: bool(cleaned.get(name)) for name in ("payloads", "headers", "names")}
        flags["keys"] = {NAMES: NAMES, SHOWN: True}.get(cleaned.get("keys", ""), False)
        masks = {
            "fields": lines_of(cleaned.get("fields_masked", "")),
            "patterns": lines_of(cleaned.get("patterns", "")),
        }
        return flags | masks

    def terms(self, scope: Scope) -> Terms:
        cleaned = self.cleaned_data
        return Terms(
            timezone.now() + timedelta(days=cleaned["days"]),
            self.options(),
            cleaned["password"],
            cleaned["max_views"],
            cleaned["audience"],
            scope.document(),
        )


class EvidenceForm(ShareForm):
    """A share's choices without its terms. Evidence shows what it proves unless told otherwise."""

    days: ClassVar[None] = None  # type: ignore[assignment,misc]
    audience: ClassVar[None] = None  # type: ignore[assignment,misc]
    password: ClassVar[None] = None  # type: ignore[assignment,misc]
    max_views: ClassVar[None] = None  # type: ignore[assignment,misc]

    @staticmethod
    def first_values(project: Project) -> dict[str, Any]:
        """Everything shown, masks as the project has them."""
        shown_parts = dict.fromkeys(("payloads", "headers", "names"), True)
        return ShareForm.first_values(project) | shown_parts | {"keys": SHOWN}
