"""What one wants to be told of, what was sent, and sending it again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.decorators import action
from rest_framework.request import Request

from webapp.accounts.invitations import mail_is_configured
from webapp.api.notifications.serializers import DeliveryShape, WishesChange, WishesShape
from webapp.api.rest.errors import ApiError
from webapp.api.rest.operation import NEWEST_FIRST, operation
from webapp.api.rest.resource import Resource
from webapp.notifications import channels, deliveries
from webapp.notifications.access import get_delivery_for_user
from webapp.notifications.models import Delivery, Preferences


class OwnNotificationsViewSet(Resource):
    """One's own."""

    @operation("Your notifications", answer=WishesShape)
    def retrieve(self, request: Request) -> Preferences:
        """By mail; nothing, unless you asked for it."""
        return _preferences(request.user)

    @operation("Select your notifications", scope="review", body=WishesChange, answer=WishesShape)
    def partial_update(self, request: Request) -> Preferences:
        """What is left out stays."""
        present = dict(WishesShape(_preferences(request.user)).data)
        channels.save_preferences(request.user, **present | self.payload)
        return _preferences(request.user)

    @operation("Send yourself a test mail", scope="review", answer=DeliveryShape, status=202)
    def test(self, request: Request) -> Delivery:
        """409 where no mail can be sent."""
        has_address = bool(getattr(request.user, "email", ""))
        if not (mail_is_configured() and has_address):
            raise ApiError("No mail can be sent: the page Notifications says what is missing.", status=409)
        return channels.send_test(user=request.user)

    @operation("What was sent to you", page=DeliveryShape, order=NEWEST_FIRST)
    def deliveries(self, request: Request) -> QuerySet[Delivery]:
        """The newest first, each with how far it came."""
        return Delivery.objects.filter(user=request.user.pk).select_related("message")


class DeliveryViewSet(Resource):
    """Deliveries."""

    lookup_url_kwarg = "delivery_id"

    @action(detail=True, methods=["post"])
    @operation("Send failed notifications again", scope="admin", answer=DeliveryShape, status=202)
    def retry(self, request: Request, delivery_id: UUID) -> Delivery:
        """To you, or to a channel of a project that you are an admin of. 409 when it is on its way, or there."""
        delivery = get_delivery_for_user(request.user, delivery_id)
        if not deliveries.retry(delivery):
            raise ApiError(
                f"This delivery is {delivery.state}, so there is nothing to send again.", status=409
            )
        delivery.refresh_from_db()
        return delivery


def _preferences(user: Any) -> Preferences:
    return Preferences.objects.filter(user=user).first() or Preferences(user=user)
