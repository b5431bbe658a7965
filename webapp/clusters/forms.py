"""The form of a cluster: its address, how one signs in, and secrets that are never shown again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms

from webapp.accounts.models import Project
from webapp.clusters import addresses
from webapp.clusters.models import SECRETS, Cluster, SealBroken

PEM = forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false", "autocomplete": "off"})
CHECKS: dict[str, Callable[[str], str]] = {
    "bootstrap": addresses.bootstrap,
    "ca_pem": addresses.certificates,
    "certificate_pem": addresses.certificates,
    "registry_ca_pem": addresses.certificates,
    "key_pem": addresses.private_key,
    "token_url": addresses.url,
    "registry_url": addresses.url,
}
# A secret goes where these say. Whoever changes one of them enters the secret again, so that nobody can send a
# colleague's password to a server of their own.
WAYS = {
    "password": ("bootstrap", "protocol", "ca_pem", "check_host_name", "mechanism"),
    "token": ("bootstrap", "protocol", "ca_pem", "check_host_name", "mechanism"),
    "client_secret": ("token_url", "bootstrap", "protocol", "ca_pem", "check_host_name"),
    "registry_password": ("registry_url", "registry_ca_pem"),
}


class WriteOnlyTextarea(forms.Textarea):
    """A text area that does not render its value, like a password field."""

    def format_value(self, value: Any) -> str:
        """Secrets are never sent back to the browser."""
        return ""


class Secret(forms.CharField):
    """Never filled in; an empty field keeps the stored secret."""

    def __init__(self, label: str, *, is_pem: bool = False, help_text: str = "") -> None:
        one_line = forms.PasswordInput(attrs={"autocomplete": "new-password"})
        super().__init__(
            label=label, required=False, max_length=20_000, strip=False, help_text=help_text,
            widget=WriteOnlyTextarea(attrs=PEM.attrs) if is_pem else one_line,
        )  # fmt: skip


class ClusterForm(forms.ModelForm):  # type: ignore[type-arg]
    """`members` and `secrets` are arguments of `webapp.clusters.changes`."""

    key_pem = Secret("Private key of the client certificate (PEM)", is_pem=True)
    key_password = Secret("Pass phrase of the private key")
    password = Secret("Password")
    token = Secret(
        "Token", help_text="A token that does not change. Leave it empty if tokens come from an address."
    )
    client_secret = Secret("Client secret")
    registry_password = Secret("Password")

    class Meta:
        model = Cluster
        fields = (
            "name", "bootstrap", "protocol", "ca_pem", "check_host_name", "certificate_pem", "mechanism", "username",
            "token_url", "client_id", "scope", "registry_url", "registry_username", "registry_ca_pem",
        )  # fmt: skip
        labels = {
            "bootstrap": "Bootstrap servers",
            "ca_pem": "Certificate authority (PEM)",
            "check_host_name": "The broker's certificate must contain the name in its address",
            "certificate_pem": "Client certificate (PEM)",
            "mechanism": "Sign-in (SASL mechanism)",
            "username": "User name",
            "token_url": "Address that gives tokens",
            "client_id": "Client id",
            "registry_url": "Schema registry",
            "registry_username": "User name",
            "registry_ca_pem": "Certificate authority of the registry (PEM)",
        }
        help_texts = {
            "bootstrap": "One or more, as <span class='mono'>host:port</span>, set apart by commas.",
            "ca_pem": "Only for certificates that the system does not trust.",
            "certificate_pem": "Only where the brokers ask clients for one; with its chain, if it has one.",
            "token_url": "Where tokens are got with a client id and its secret (OAuth client credentials).",
            "scope": "As your provider names it; often empty.",
            "registry_url": "Optional. Values are then decoded with the schemas they were written with.",
        }
        widgets = {
            "bootstrap": forms.TextInput(attrs={"spellcheck": "false"}),
            "ca_pem": PEM,
            "certificate_pem": PEM,
            "registry_ca_pem": PEM,
        }

    def __init__(self, project: Project, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        self.before = {name: getattr(self.instance, name) for name in self.Meta.fields}
        self.is_broken = False
        try:
            self.retained = self.instance.secrets
        except SealBroken:
            self.retained, self.is_broken = {}, True
        for name in SECRETS:
            removal = forms.BooleanField(label="Remove what is kept", required=False)
            if name in self.retained:
                self.fields[f"remove_{name}"] = removal
                self.fields[name].widget.attrs["placeholder"] = "kept; empty leaves it as it is"

    @property
    def members(self) -> dict[str, Any]:
        """Fields of the model; only after `is_valid()`."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}

    @property
    def secrets(self) -> dict[str, str]:
        """Secrets of the cluster after the change, kept ones included."""
        retained = {
            name: text for name, text in self.retained.items() if not self.cleaned_data.get(f"remove_{name}")
        }
        return retained | {name: self.cleaned_data[name] for name in SECRETS if self.cleaned_data.get(name)}

    def clean_name(self) -> str:
        """Names are unique within a project."""
        name: str = self.cleaned_data["name"]
        if self.project.clusters.exclude(pk=self.instance.pk).filter(name=name).exists():
            raise forms.ValidationError(f"{self.project} has a cluster {name} already. Choose another name.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for name, check in CHECKS.items():
            if cleaned.get(name):
                self._check(name, check, cleaned)
        if not self.errors:
            self._check_sign_in(cleaned)
            self._check_ways(cleaned)
        return cleaned

    def _check(self, name: str, check: Callable[[str], str], cleaned: dict[str, Any]) -> None:
        try:
            cleaned[name] = check(cleaned[name])
        except addresses.InvalidAddress as why:
            self.add_error(name, str(why))

    def _check_sign_in(self, cleaned: dict[str, Any]) -> None:
        secrets, mechanism = self.secrets, cleaned["mechanism"]
        if not cleaned["protocol"].startswith("SASL"):
            cleaned["mechanism"] = ""
        elif not mechanism:
            self.add_error("mechanism", "This protocol signs in with SASL. Choose the mechanism.")
        elif mechanism != Cluster.Mechanism.OAUTHBEARER:
            self._require("username", cleaned["username"], f"{mechanism} needs a user name.")
            self._require("password", secrets.get("password"), f"{mechanism} needs a password.")
        elif cleaned["token_url"]:
            self._require("client_id", cleaned["client_id"], "The address gives tokens to a client id.")
            self._require("client_secret", secrets.get("client_secret"), "The client id needs its secret.")
        else:
            self._require("token", secrets.get("token"), "Give a token, or the address that gives tokens.")
        if cleaned["certificate_pem"] and "SSL" in cleaned["protocol"]:
            self._require("key_pem", secrets.get("key_pem"), "A client certificate needs its private key.")

    def _require(self, name: str, value: str | None, why: str) -> None:
        if not value:
            self.add_error(name, why)

    def _check_ways(self, cleaned: dict[str, Any]) -> None:
        for name, ways in WAYS.items():
            is_kept = name in self.secrets and not cleaned.get(name)
            if is_kept and any(self._leads_elsewhere(way, cleaned) for way in ways):
                self.add_error(name, "Where this is sent has changed. Enter it again, or remove it.")

    def _leads_elsewhere(self, way: str, cleaned: dict[str, Any]) -> bool:
        before = self.before[way]
        now = cleaned.get(way, before)  # a way that was refused has its complaint already
        if way == "bootstrap":  # fewer servers are no new ones
            return not set(now.split(", ")) <= set(before.split(", "))
        return bool(before != now)
