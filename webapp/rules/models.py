"""Rules of a project. A change makes a new version; a version never changes; an inspection keeps those it used."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse

from webapp.accounts.models import Project
from webapp.journals.models import Inspection


class Rule(models.Model):
    """One rule under its name; what it says is its newest version."""

    project = models.ForeignKey(Project, related_name="rules", on_delete=models.CASCADE)
    name = models.SlugField(max_length=40)
    is_active = models.BooleanField(default=False, help_text="inspections of the project use it")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("project__name", "name")
        constraints = [models.UniqueConstraint(fields=("project", "name"), name="one_rule_of_a_name")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("rule", args=[self.project.slug, self.name])

    @property
    def detector(self) -> str:
        """Detector id of the rule's findings."""
        return f"rule:{self.project.slug}/{self.name}"

    @property
    def current(self) -> RuleVersion:
        """The newest version; versions are ordered newest first."""
        return self.versions.all()[0]


class RuleVersion(models.Model):
    rule = models.ForeignKey(Rule, related_name="versions", on_delete=models.CASCADE)
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=150)
    severity = models.CharField(max_length=10)
    over = models.CharField(max_length=10)
    text = models.TextField(help_text="the YAML as it was written")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-number",)
        constraints = [models.UniqueConstraint(fields=("rule", "number"), name="one_version_of_a_number")]

    def __str__(self) -> str:
        return f"{self.rule}, version {self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Once: reports name versions, and what they name stays what it was."""
        if not self._state.adding:
            raise TypeError("A version of a rule does not change; save a new one.")
        super().save(*args, **kwargs)


class RuleUse(models.Model):
    inspection = models.ForeignKey(Inspection, related_name="rule_uses", on_delete=models.CASCADE)
    version = models.ForeignKey(RuleVersion, related_name="uses", on_delete=models.CASCADE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("inspection", "version"), name="one_use_of_a_version")]

    def __str__(self) -> str:
        return f"{self.version_id} in {self.inspection_id}"
