"""Where a project sends what happens in it: mail addresses and webhooks."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts.access import get_administered_project
from webapp.api.notifications.serializers import (
    ChannelChange,
    ChannelShape,
    CreatedChannel,
    DeliveryShape,
    NewChannelAsked,
    SecretShape,
)
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource, require_valid
from webapp.notifications import channels
from webapp.notifications.access import get_channel_for_admin
from webapp.notifications.forms import NewChannelForm
from webapp.notifications.models import Channel, Delivery


class ChannelViewSet(Resource):
    """Channels."""

    lookup_url_kwarg = "channel_id"

    @operation("Channels of a project", scope="admin", page=ChannelShape, order=("created_at", "pk"))
    def list(self, request: Request, slug: str) -> QuerySet[Channel]:
        """Mail addresses and webhooks."""
        return get_administered_project(request.user, slug).channels.select_related("created_by")

    @operation("Add a channel", scope="admin", body=NewChannelAsked, answer=CreatedChannel, status=201)
    def create(self, request: Request, slug: str) -> Channel:
        """A webhook's secret is shown this once."""
        project = get_administered_project(request.user, slug)
        form = NewChannelForm(self.payload)
        require_valid(form)
        channel = channels.create(project, request.user, **form.cleaned_data)
        channel.caution = form.caution
        return channel

    @operation("One channel", scope="admin", answer=ChannelShape)
    def retrieve(self, request: Request, slug: str, channel_id: UUID) -> Channel:
        """Without its secret."""
        return get_channel_for_admin(request.user, slug, channel_id)

    @operation("Change a channel", scope="admin", body=ChannelChange, answer=ChannelShape)
    def partial_update(self, request: Request, slug: str, channel_id: UUID) -> Channel:
        """What it is told of, and whether it is told anything."""
        channel = get_channel_for_admin(request.user, slug, channel_id)
        if self.payload:
            channels.change(channel, request.user, **self.payload)
        return channel

    @operation("Delete a channel", scope="admin", status=204)
    def destroy(self, request: Request, slug: str, channel_id: UUID) -> None:
        """With what still waits for it."""
        channels.delete(get_channel_for_admin(request.user, slug, channel_id), request.user)

    @action(detail=True, methods=["post"])
    @operation("Send a channel a test", scope="admin", answer=DeliveryShape, status=202)
    def test(self, request: Request, slug: str, channel_id: UUID) -> Delivery:
        """`deliveries/` says how far it came."""
        return channels.send_test(channel=get_channel_for_admin(request.user, slug, channel_id))

    @action(detail=True, methods=["post"])
    @operation("Replace the secret of a webhook", scope="admin", answer=SecretShape)
    def secret(self, request: Request, slug: str, channel_id: UUID) -> dict[str, str]:
        """It is shown this once; the old one is worth nothing from now on."""
        channel = get_channel_for_admin(request.user, slug, channel_id)
        if not channel.is_signed:
            raise ApiError(
                "Only webhooks in Journalscope's form are signed. For another key of a service, delete the webhook and add "
                "it again.",
                status=409,
            )
        return {"secret": channels.renew_secret(channel, request.user)}

    @action(detail=True)
    @operation("What was sent to a channel", scope="admin", page=DeliveryShape, order=NEWEST_FIRST)
    def deliveries(self, request: Request, slug: str, channel_id: UUID) -> QuerySet[Delivery]:
        """The newest first, each with how far it came."""
        return get_channel_for_admin(request.user, slug, channel_id).deliveries.select_related("message")
