"""What people and channels of projects are told of."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.rest.rows import RowShape
from webapp.notifications.kinds import KINDS
from webapp.notifications.models import DIGEST_HOUR, Channel, Delivery
from webapp.notifications.services import JOURNALSCOPE, SERVICES

SERVICE_NAMES = list(SERVICES)


class Kinds(serializers.ListField):
    """Of what happens; one that is named twice counts once."""

    def __init__(self, **members: Any) -> None:
        super().__init__(child=serializers.ChoiceField(list(KINDS)), max_length=len(KINDS), **members)

    def to_internal_value(self, data: Any) -> list[str]:
        """In the order in which they were named."""
        return list(dict.fromkeys(super().to_internal_value(data)))


def hour(**members: Any) -> serializers.IntegerField:
    """Of the day."""
    return serializers.IntegerField(min_value=0, max_value=23, help_text="UTC", **members)


class WishesShape(serializers.Serializer[Any]):
    """What somebody or something is told of; nothing, unless it is named."""

    kinds = Kinds()
    is_digest = serializers.BooleanField(help_text="one mail a day instead of one for each")
    digest_hour = hour()


class WishesChange(serializers.Serializer[Any]):
    """What is left out stays."""

    kinds = Kinds(required=False)
    is_digest = serializers.BooleanField(required=False)
    digest_hour = hour(required=False)


class ChannelShape(RowShape, WishesShape):
    """Where a project sends what happens in it."""

    service = serializers.ChoiceField(SERVICE_NAMES, help_text="of a webhook: in whose form it is sent")
    target = serializers.CharField(
        help_text="mail addresses set apart by commas, or the webhook's address; of one that is a secret its host"
    )

    class Meta:
        model = Channel
        fields = (
            "kinds", "is_digest", "digest_hour", "id", "what", "service", "target", "is_active", "created_by", "created_at",
        )  # fmt: skip


class CreatedChannel(ChannelShape):
    """With the secret that signs what a webhook gets."""

    secret = serializers.SerializerMethodField(help_text="shown once; empty: nothing is signed")
    caution = serializers.CharField(
        allow_blank=True, help_text="why a webhook is out of reach now: its name does not resolve"
    )

    def get_secret(self, channel: Channel) -> str:
        """The key of a service is not told."""
        return channel.secret if channel.is_signed else ""


class NewChannelAsked(serializers.Serializer[Any]):
    """A channel that is not there yet."""

    what = serializers.ChoiceField(Channel.What.choices)
    service = serializers.ChoiceField(
        SERVICE_NAMES, default=JOURNALSCOPE, help_text="of a webhook: in whose form it is sent"
    )
    target = serializers.CharField(
        max_length=1000,
        required=False,
        help_text="mail addresses set apart by commas, or the webhook's address with https; PagerDuty and Opsgenie have a "
        "usual one",
    )
    user = serializers.CharField(max_length=200, required=False, write_only=True, help_text="ServiceNow only")
    key = serializers.CharField(
        max_length=500,
        required=False,
        write_only=True,
        help_text="of the service; stored encrypted, never shown",
    )
    kinds = Kinds(default=list)
    is_digest = serializers.BooleanField(default=False, help_text="mail only")
    digest_hour = hour(default=DIGEST_HOUR)


class ChannelChange(WishesChange):
    """What is left out stays; the target never changes."""

    is_active = serializers.BooleanField(required=False)


class SecretShape(serializers.Serializer[Any]):
    """A webhook's new secret."""

    secret = serializers.CharField(help_text="shown once")


class DeliveryShape(RowShape):
    """A message on its way."""

    kind = serializers.CharField(source="message.kind")
    subject = serializers.CharField(source="message.subject")

    class Meta:
        model = Delivery
        fields = ("id", "kind", "subject", "state", "tries", "created_at", "sent_at", "last_error")

    def to_representation(self, delivery: Delivery) -> dict[str, Any]:
        """What answered is for superusers alone."""
        detail = {"detail": delivery.detail} if self.context["request"].user.is_superuser else {}
        return super().to_representation(delivery) | detail
