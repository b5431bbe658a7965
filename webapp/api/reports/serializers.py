"""The report's document, as docs/report.md describes it. It is sent as it was written; this is for the schema."""

from __future__ import annotations

from typing import Any, get_args

from rest_framework import serializers

from spark.terms.findings import SEVERITIES, Kind, When, Whom


class VerdictShape(serializers.Serializer[Any]):
    """The verdict."""

    level = serializers.ChoiceField(["critical", "high", "medium", "healthy"])
    sentence = serializers.CharField(allow_blank=True)


class EffectShape(serializers.Serializer[Any]):
    """What happens to one entity."""

    kind = serializers.ChoiceField(get_args(Kind))
    entity_type = serializers.CharField()
    entity_id = serializers.CharField(allow_blank=True)
    when = serializers.ChoiceField(get_args(When))
    whom = serializers.ChoiceField(get_args(Whom), required=False)


class VictimShape(EffectShape):
    """What an incident does to one entity."""

    finding = serializers.CharField(help_text="id of the finding that proves it")


class ProofShape(serializers.Serializer[Any]):
    """One record of a finding's evidence."""

    offset = serializers.IntegerField()
    in_input = serializers.BooleanField(help_text="whether the input has a record at this offset")
    shows = serializers.CharField(allow_blank=True, help_text="what the record does, or why it is not there")


class PlanStepShape(serializers.Serializer[Any]):
    """A step of an incident's plan."""

    finding = serializers.CharField(allow_null=True, help_text="id of the only finding that it is for")
    step = serializers.CharField()


class IncidentInReport(serializers.Serializer[Any]):
    """Findings with one cause."""

    id = serializers.CharField(help_text="the same in later inspections of the journal")
    severity = serializers.ChoiceField(SEVERITIES)
    title = serializers.CharField()
    findings = serializers.ListField(child=serializers.CharField(), help_text="ids, the most severe first")
    victims = VictimShape(many=True)
    victim_count = serializers.IntegerField()
    plan = PlanStepShape(many=True)


class FindingInReport(serializers.Serializer[Any]):
    """One thing that is wrong."""

    id = serializers.CharField(help_text="fingerprint: the same in all inspections of the journal")
    detector = serializers.CharField()
    severity = serializers.ChoiceField(SEVERITIES)
    confidence = serializers.CharField(help_text="proven | likely")
    title = serializers.CharField()
    explanation = serializers.CharField(allow_blank=True)
    topic = serializers.CharField(allow_blank=True)
    partition = serializers.IntegerField(allow_null=True)
    first_offset = serializers.IntegerField(allow_null=True)
    last_offset = serializers.IntegerField(allow_null=True)
    key = serializers.CharField(allow_null=True, allow_blank=True)
    evidence = serializers.ListField(child=serializers.IntegerField())
    remedy = serializers.CharField(allow_blank=True)
    references = serializers.ListField(child=serializers.CharField())
    consequence_of = serializers.CharField(allow_null=True)
    incident = serializers.CharField(allow_null=True, required=False, help_text="id of the incident")
    effects = EffectShape(
        many=True,
        required=False,
        help_text="consequence for each entity; empty if no entity is concerned",
    )
    proof = ProofShape(
        many=True, required=False, help_text="the first records of evidence, each with what it shows"
    )


class ReportShape(serializers.Serializer[Any]):
    """docs/report.md; members are added within a schema version, never renamed or removed."""

    schema = serializers.IntegerField()
    files = serializers.ListField(child=serializers.DictField())
    verdict = VerdictShape()
    journals = serializers.ListField(child=serializers.DictField())
    coverage = serializers.DictField()
    incidents = IncidentInReport(many=True, required=False)
    findings = FindingInReport(many=True)
    clean = serializers.ListField(child=serializers.CharField(), help_text="ran and found nothing")
    not_run = serializers.ListField(child=serializers.DictField())
    tables = serializers.CharField(allow_null=True, help_text="null here; the tables have addresses")
