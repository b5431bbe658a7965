"""Forms: what one wants to be told of, and where a project sends it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from webapp.notifications.kinds import KINDS, OF_PROJECTS
from webapp.notifications.models import DIGEST_HOUR, Channel
from webapp.notifications.services import JOURNALSCOPE, KEY_RULES, SERVICES, Service
from webapp.notifications.webhook_url import InvalidWebhookUrl, caution

MAX_ADDRESSES = 50
NO_ADDRESS = "Enter at least one mail address, such as team@example.org."
NO_WEBHOOK = "Enter the webhook's address. It begins with https://."
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
    service = forms.ChoiceField(
        label="Service",
        choices=[(name, service.title) for name, service in SERVICES.items()],
        required=False,
    )
    target = forms.CharField(
        label="To",
        max_length=1000,
        required=False,
    )
    user = forms.CharField(label="User", max_length=200, required=False)
    key = forms.CharField(
        label="Key, secret or password",
        max_length=500,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Kept encrypted and never shown again.",
    )
    field_order = ("what", "service", "target", "user", "key", "kinds", "is_digest", "digest_hour")

    def clean(self) -> dict[str, Any]:
        """The target must fit the type of channel."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        is_webhook = cleaned.get("what") == Channel.What.WEBHOOK
        name = cleaned.get("service", "") if is_webhook else ""
        cleaned["service"] = name or JOURNALSCOPE
        service = SERVICES[cleaned["service"]]
        target = cleaned["target"] = cleaned.get("target") or service.address
        if not target:
            self.add_error("target", NO_WEBHOOK if is_webhook else NO_ADDRESS)
        elif is_webhook:
            self._check_webhook(target, service)
        else:
            cleaned["target"] = self._addresses(target)
        self._check_key(service)
        return cleaned

    def _check_webhook(self, target: str, service: Service) -> None:
        try:
            self.caution = caution(target)
        except InvalidWebhookUrl as why:
            self.add_error("target", str(why))
        else:
            if not urlsplit(target).path.endswith(service.path):
                self.add_error("target", f"An address of {service.title} ends in {service.path}.")

    def _check_key(self, service: Service) -> None:
        """What the service does not take is left out."""
        user = self.cleaned_data["user"] = self.cleaned_data.get("user", "") if service.has_user else ""
        key = self.cleaned_data["key"] = self.cleaned_data.get("key", "") if service.key else ""
        if service.has_user and (not user or ":" in user):
            self.add_error("user", f"Enter the user of {service.title}, a name without a colon.")
        if (key or (service.key and service.needs_key)) and not service.key_form.fullmatch(key):
            self.add_error(
                "key",
                f"Enter the {service.key.lower()} of {service.title}. {KEY_RULES[service.key_form]}",
            )

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
