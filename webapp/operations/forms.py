"""Forms of a project's retention and quotas."""

from __future__ import annotations

from typing import Any

from django import forms

from webapp.accounts.models import Project

MAX_DAYS = 36_500
GB = 1000**3


class RetentionForm(forms.ModelForm):  # type: ignore[type-arg]
    """How long journals are kept, and whether a hold keeps all of them."""

    retention_days = forms.IntegerField(
        label="Delete journals after, days",
        min_value=1,
        max_value=MAX_DAYS,
        required=False,
        help_text="Counted from the upload and checked daily. Empty: kept until a user deletes them.",
    )
    is_on_hold = forms.BooleanField(
        label="Legal hold: nobody can delete anything of this project", required=False
    )

    class Meta:
        model = Project
        fields = ("retention_days", "is_on_hold")


class QuotaForm(forms.ModelForm):  # type: ignore[type-arg]
    quota_gb = forms.DecimalField(
        label="Raw files, GB",
        min_value=0,
        max_digits=12,
        decimal_places=3,
        required=False,
        help_text="Every file counts, copies too. Empty: no limit.",
    )
    quota_inspections = forms.IntegerField(
        label="Inspections within 24 hours",
        min_value=0,
        max_value=1_000_000,
        required=False,
        help_text="Empty: no limit.",
    )

    class Meta:
        model = Project
        fields = ("quota_inspections",)

    field_order = ("quota_gb", "quota_inspections")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        quota_bytes = self.instance.quota_bytes
        if quota_bytes is not None:
            self.fields["quota_gb"].initial = f"{quota_bytes / GB:.3f}".rstrip("0").rstrip(".")

    def save(self, commit: bool = True) -> Project:
        """Converts gigabytes to bytes."""
        gigabytes = self.cleaned_data["quota_gb"]
        self.instance.quota_bytes = None if gigabytes is None else int(gigabytes * GB)
        return super().save(commit)
