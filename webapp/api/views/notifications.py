"""What one wants to be told of, and where a project sends what happens in it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import get_administered_project
from webapp.accounts.invitations import mail_is_configured
from webapp.api.base import ApiView, body, insist_on_valid, listed
from webapp.api.errors import Wrong
from webapp.api.serializers.notifications import (
    ChannelChange,
    ChannelShape,
    CreatedChannel,
    DeliveryShape,
    NewChannelAsked,
    SecretShape,
    WishesChange,
    WishesShape,
    delivery_shape,
)
from webapp.api.serializers.pages import Paging, page_shape
from webapp.api.views.journals import NEWEST_FIRST
from webapp.notifications import channels, deliveries
from webapp.notifications.access import get_channel_for_admin, get_delivery_for_user
from webapp.notifications.forms import NewChannel
from webapp.notifications.models import Channel, Delivery, Preferences

ADMINISTERS = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), "admin")


class OwnView(ApiView):
    """One's own."""

    scopes = {"PATCH": "review"}

    @extend_schema(responses=WishesShape, summary="What you are told of")
    def get(self, request: Request) -> Response:
        """By mail; nothing, unless you asked for it."""
        return Response(WishesShape(_wishes(request.user)).data)

    @extend_schema(request=WishesChange, responses=WishesShape, summary="Choose what you are told of")
    def patch(self, request: Request) -> Response:
        """What is left out stays."""
        kept = dict(WishesShape(_wishes(request.user)).data)
        channels.wish(request.user, **kept | _once(body(request, WishesChange)))
        return Response(WishesShape(_wishes(request.user)).data)


class OwnTestView(ApiView):
    """A test mail."""

    scopes = {"POST": "review"}

    @extend_schema(request=None, responses={202: DeliveryShape}, summary="Send yourself a test mail")
    def post(self, request: Request) -> Response:
        """409 where no mail can be sent."""
        if not (mail_is_configured() and request.user.email):
            raise Wrong("No mail can be sent: the page Notifications says what is missing.", status=409)
        return Response(delivery_shape(request.user)(channels.send_test(user=request.user)).data, status=202)


class OwnDeliveriesView(ApiView):
    """Deliveries to oneself."""

    @extend_schema(parameters=[Paging], responses=page_shape(DeliveryShape), summary="What was sent to you")
    def get(self, request: Request) -> Response:
        """The newest first, each with how far it came."""
        found = Delivery.objects.filter(user=request.user).select_related("message")
        return listed(request, found, delivery_shape(request.user), NEWEST_FIRST)


class DeliveryRetryView(ApiView):
    """Once more."""

    scopes = ADMINISTERS

    @extend_schema(request=None, responses={202: DeliveryShape}, summary="Send again what did not arrive")
    def post(self, request: Request, delivery_id: UUID) -> Response:
        """To you, or to a channel of a project that you are an admin of. 409 when it is on its way, or there."""
        delivery = get_delivery_for_user(request.user, delivery_id)
        if not deliveries.retry(delivery):
            raise Wrong(f"This delivery is {delivery.state}, so there is nothing to send again.", status=409)
        delivery.refresh_from_db()
        return Response(delivery_shape(request.user)(delivery).data, status=202)


class ChannelsView(ApiView):
    """Channels."""

    scopes = ADMINISTERS

    @extend_schema(parameters=[Paging], responses=page_shape(ChannelShape), summary="Channels of a project")
    def get(self, request: Request, slug: str) -> Response:
        """Mail addresses and webhooks."""
        found = get_administered_project(request.user, slug).channels.select_related("created_by")
        return listed(request, found, ChannelShape, ("created_at", "pk"))

    @extend_schema(request=NewChannelAsked, responses={201: CreatedChannel}, summary="Add a channel")
    def post(self, request: Request, slug: str) -> Response:
        """A webhook's secret is shown this once."""
        project = get_administered_project(request.user, slug)
        form = NewChannel(_once(body(request, NewChannelAsked)))
        insist_on_valid(form)
        made = channels.create(project, request.user, **form.cleaned_data)
        return Response(CreatedChannel(made).data, status=201)


class ChannelView(ApiView):
    """One channel."""

    scopes = ADMINISTERS

    @extend_schema(responses=ChannelShape, summary="One channel")
    def get(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """Without its secret."""
        return Response(ChannelShape(get_channel_for_admin(request.user, slug, channel_id)).data)

    @extend_schema(request=ChannelChange, responses=ChannelShape, summary="Change a channel")
    def patch(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """What it is told of, and whether it is told anything."""
        channel = get_channel_for_admin(request.user, slug, channel_id)
        if asked := _once(body(request, ChannelChange)):
            channels.change(channel, request.user, **asked)
        return Response(ChannelShape(channel).data)

    @extend_schema(responses={204: None}, summary="Delete a channel")
    def delete(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """With what still waits for it."""
        channels.delete(get_channel_for_admin(request.user, slug, channel_id), request.user)
        return Response(status=204)


class ChannelTestView(ApiView):
    """A test."""

    scopes = ADMINISTERS

    @extend_schema(request=None, responses={202: DeliveryShape}, summary="Send a channel a test")
    def post(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """`deliveries/` says how far it came."""
        channel = get_channel_for_admin(request.user, slug, channel_id)
        return Response(delivery_shape(request.user)(channels.send_test(channel=channel)).data, status=202)


class ChannelSecretView(ApiView):
    """A webhook's secret."""

    scopes = ADMINISTERS

    @extend_schema(request=None, responses={200: SecretShape}, summary="Give a webhook another secret")
    def post(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """It is shown this once; the old one is worth nothing from now on."""
        channel = get_channel_for_admin(request.user, slug, channel_id)
        if channel.what != Channel.What.WEBHOOK:
            raise Wrong("Mail has no secret; only webhooks are signed.", status=409)
        return Response({"secret": channels.renew_secret(channel, request.user)})


class DeliveriesView(ApiView):
    """Deliveries."""

    scopes = ADMINISTERS

    @extend_schema(
        parameters=[Paging], responses=page_shape(DeliveryShape), summary="What was sent to a channel"
    )
    def get(self, request: Request, slug: str, channel_id: UUID) -> Response:
        """The newest first, each with how far it came."""
        found = get_channel_for_admin(request.user, slug, channel_id).deliveries.select_related("message")
        return listed(request, found, delivery_shape(request.user), NEWEST_FIRST)


def _wishes(user: Any) -> Preferences:
    return Preferences.objects.filter(user=user).first() or Preferences(user=user)


def _once(asked: dict[str, Any]) -> dict[str, Any]:
    """A kind that is named twice counts once."""
    return asked | ({"kinds": list(dict.fromkeys(asked["kinds"]))} if "kinds" in asked else {})
