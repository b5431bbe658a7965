"""What people and channels of projects are told of."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from webapp.api.serializers.pages import Person
from webapp.notifications.kinds import KINDS
from webapp.notifications.models import DIGEST_HOUR, Channel, Delivery


def kinds(**more: Any) -> serializers.ListField:
    """Of what happens."""
    return serializers.ListField(child=serializers.ChoiceField(list(KINDS)), max_length=len(KINDS), **more)


def hour(**more: Any) -> serializers.IntegerField:
    """Of the day."""
    return serializers.IntegerField(min_value=0, max_value=23, help_text="UTC", **more)


class WishesShape(serializers.Serializer[Any]):
    """What somebody or something is told of; nothing, unless it is named."""

    kinds = kinds()
    is_digest = serializers.BooleanField(help_text="one mail a day instead of one for each")
    digest_hour = hour()


class WishesChange(serializers.Serializer[Any]):
    """What is left out stays."""

    kinds = kinds(required=False)
    is_digest = serializers.BooleanField(required=False)
    digest_hour = hour(required=False)


class ChannelShape(WishesShape):
    """Where a project sends what happens in it."""

    id = serializers.UUIDField()
    what = serializers.ChoiceField(Channel.What.choices)
    target = serializers.CharField(help_text="mail addresses set apart by commas, or the webhook's address")
    is_active = serializers.BooleanField()
    created_by = Person()
    created_at = serializers.DateTimeField()


class CreatedChannel(ChannelShape):
    """With the secret that signs what a webhook gets."""

    secret = serializers.CharField(allow_blank=True, help_text="shown once; empty: mail has none")


class NewChannelAsked(serializers.Serializer[Any]):
    """A channel that is not there yet."""

    what = serializers.ChoiceField(Channel.What.choices)
    target = serializers.CharField(
        max_length=1000, help_text="mail addresses set apart by commas, or the webhook's address with https"
    )
    kinds = kinds(default=list)
    is_digest = serializers.BooleanField(default=False, help_text="mail only")
    digest_hour = hour(default=DIGEST_HOUR)


class ChannelChange(WishesChange):
    """What is left out stays; the target never changes."""

    is_active = serializers.BooleanField(required=False)


class SecretShape(serializers.Serializer[Any]):
    """A webhook's new secret."""

    secret = serializers.CharField(help_text="shown once")


class DeliveryShape(serializers.Serializer[Any]):
    """A message on its way."""

    id = serializers.UUIDField()
    kind = serializers.CharField(source="message.kind")
    subject = serializers.CharField(source="message.subject")
    state = serializers.ChoiceField(Delivery.State.choices)
    tries = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)
    last_error = serializers.CharField(allow_blank=True)


class DetailedDelivery(DeliveryShape):
    """The same with what answered, which superusers alone may know."""

    detail = serializers.CharField(allow_blank=True)


def delivery_shape(user: Any) -> type[DeliveryShape]:
    """What this user sees of a delivery."""
    return DetailedDelivery if user.is_superuser else DeliveryShape
