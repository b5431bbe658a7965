"""Forms of a journal."""

from __future__ import annotations

from typing import Any

from django import forms

from webapp.journals.models import Journal


class JournalForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Journal
        fields = ("name", "ticket")
        error_messages = {"name": {"required": "A journal needs a name."}}

    def errors_in_words(self) -> list[str]:
        """One sentence per error."""
        labels: dict[str, Any] = {"ticket": "The ticket: "}
        return [
            f"{labels.get(field, '')}{error}" for field, errors in self.errors.items() for error in errors
        ]
