"""Forms: what one wants to be told of, and where a project sends it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from webapp.notifications.kinds import KINDS, OF_PROJECTS
from webapp.notifications.models import DIGEST_HOUR, Channel
from webapp.notifications.webhook_url import InvalidWebhookUrl, caution

MAX_ADDRESSES = 50
HOURS = [(hour, f"{hour:02d}:00 UTC") for hour in range(24)]


class SubscriptionForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label="Notify me when",
        choices=list(KINDS.items()),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    is_digest = forms.BooleanField(label="One mail a day for all messages", required=False)
    digest_hour = forms.TypedChoiceField(
        label="Time of the daily mail", choices=HOURS, coerce=int, initial=DIGEST_HOUR, required=False,
        empty_value=DIGEST_HOUR,  # type: ignore[arg-type]
    )  # fmt: skip


class ChannelSubscriptionForm(SubscriptionForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kinds = self.fields["kinds"]
        assert isinstance(kinds, forms.MultipleChoiceField)
        kinds.choices = list(OF_PROJECTS.items())
        kinds.label = "Send when"


class NewChannelForm(ChannelSubscriptionForm):
    """`caution`: a warning about a target that may not be reachable."""

    caution = ""
    what = forms.ChoiceField(label="Send by", choices=Channel.What.choices)
    target = forms.CharField(
        label="To",
        max_length=1000,
        help_text="Mail addresses set apart by commas, or the webhook's address with https.",
    )
    field_order = ("what", "target", "kinds", "is_digest", "digest_hour")

    def clean(self) -> dict[str, Any]:
        """The target must fit the type of channel."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        target = cleaned.get("target", "")
        if target and cleaned.get("what") == Channel.What.WEBHOOK:
            self._check_webhook(target)
        elif target:
            cleaned["target"] = self._addresses(target)
        return cleaned

    def _check_webhook(self, target: str) -> None:
        try:
            self.caution = caution(target)
        except InvalidWebhookUrl as why:
            self.add_error("target", str(why))

    def _addresses(self, target: str) -> str:
        addresses = [address.strip() for address in target.replace(";", ",").split(",") if address.strip()]
        for address in addresses:
            try:
                validate_email(address)
            except ValidationError:
                self.add_error("target", f"{address} is not a mail address.")
        if len(addresses) > MAX_ADDRESSES:
            self.add_error("target", f"A channel has {MAX_ADDRESSES} addresses at most.")
        return ", ".join(addresses)
