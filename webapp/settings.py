"""Settings, all of them from the environment; every default is right for one machine and one command.

The table of variables is in docs/deployment.md.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from webapp import environment
from webapp.accounts.provider.configuration import *  # noqa: F403 (Django reads them here)
from webapp.api.rest.configuration import REST_FRAMEWORK, SPECTACULAR_SETTINGS  # noqa: F401 (Django reads them here)
from webapp.database import CONNECTION
from webapp.limits import *  # noqa: F403 (Django reads them here)
from webapp.limits import BASE_DIR, DATA_DIR

RUN_DIR, UPLOADS_DIR = DATA_DIR / "run", DATA_DIR / "uploads"
SCRATCH_DIR, CAPTURES_DIR = DATA_DIR / "scratch", DATA_DIR / "captures"
RESULTS_DIR = Path(os.environ.get("RESULTS_DIR") or DATA_DIR / "results").resolve()
RESULTS_URL = environment.store("RESULTS_URL")
RAW_STORAGE_URL = environment.folder_or_store("RAW_STORAGE_URL", DATA_DIR / "raw")

# Limits
EXPORT_MAX_RECORDS = environment.number("EXPORT_MAX_RECORDS", 1_000_000)
UPLOAD_EXPIRY_HOURS = environment.number("UPLOAD_EXPIRY_HOURS", 72)
CAPTURE_MAX_BYTES = environment.number("CAPTURE_MAX_BYTES", 16 * 1024**3)

# Where people reach us
DEBUG = environment.flag("DEBUG")
SECRET_KEY = environment.secret_key(DATA_DIR / "secret-key")
PUBLIC_URL = os.environ.get("PUBLIC_URL", "").rstrip("/")
TRUSTED_PROXIES = environment.words("TRUSTED_PROXIES")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
_public = urlsplit(PUBLIC_URL)
if PUBLIC_URL and not (_public.scheme in {"http", "https"} and _public.hostname):
    raise ImproperlyConfigured(
        f"PUBLIC_URL={PUBLIC_URL} is not an address such as https://journals.example.org."
    )
if _public.hostname:
    ALLOWED_HOSTS.append(_public.hostname)
    CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # webapp.proxies drops it from anybody else
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _public.scheme == "https"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if _public.scheme == "https" else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_HTTPONLY = True  # pages carry the token in <body>
CSRF_FAILURE_VIEW = "webapp.errors.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
    }
}

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    *PROVIDER_APPS,  # noqa: F405
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "webapp.accounts",
    "webapp.journals",
    "webapp.clusters",
    "webapp.reports",
    "webapp.catalogue",
    "webapp.review",
    "webapp.search",
    "webapp.rules",
    "webapp.sharing",
    "webapp.notifications",
    "webapp.audit",
    "webapp.operations",
    "webapp.api",
    "rest_framework",
    "drf_spectacular",
    "workers.apps.WorkersConfig",
]

MIDDLEWARE = [
    "webapp.tracing.RequestId",
    "webapp.operations.measures.RequestMetrics",
    "webapp.proxies.TrustedProxies",
    "django.middleware.security.SecurityMiddleware",
    "webapp.sharing.middleware.PrivateLinks",
    "csp.middleware.CSPMiddleware",
    "webapp.middleware.UsualMethods",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "webapp.middleware.NoStoreAnswers",
    "webapp.middleware.InertJson",
    "webapp.health.AnonymousProbes",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "webapp.api.middleware.TokenSignIn",
    "webapp.accounts.middleware.SignInRequired",
    "webapp.accounts.sessions.SessionTracker",
    "webapp.accounts.middleware.RoleRequired",
    "webapp.accounts.second_factor.SecondFactorRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "webapp.audit.read_events.ReadEvents",
]

ROOT_URLCONF = "webapp.urls"
WSGI_APPLICATION = "webapp.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "webapp.context.page",
            ],
            "builtins": ["webapp.journals.templatetags.journalscope"],
        },
    }
]

# Database and broker
DATABASES = {"default": dj_database_url.config(default=f"sqlite:///{DATA_DIR / 'journalscope.sqlite3'}")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        # web and worker write at once: readers never wait, and a writer waits its turn from the start;
        # FULL: what was committed, such as an event of the audit log, survives a power cut
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
    }
else:
    DATABASES["default"] |= {
        "CONN_MAX_AGE": 300,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": CONNECTION | DATABASES["default"].get("OPTIONS", {}),
    }
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL") or f"unix://{RUN_DIR / 'redis.sock'}"
# Celery spells a unix socket, and the database in it, in its own way
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")
CACHES = {"default": {"BACKEND": "webapp.cache.SharedCache", "LOCATION": REDIS_URL, "KEY_PREFIX": "site"}}

# Signing in
AUTHENTICATION_BACKENDS = ["webapp.accounts.backend.EqualWork"]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "journals"
ACCOUNT_ADAPTER = "webapp.accounts.adapter.InvitationOnlyAdapter"
ACCOUNT_FORMS = {"login": "webapp.accounts.forms.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
# failures: by address and by account; all attempts: a team behind one address signs in in the same minute
ACCOUNT_RATE_LIMITS = {"login": "60/m/ip", "login_failed": "20/5m/ip,5/5m/key"}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ONE_TIME_SIGN_IN_SECONDS = 3600
MFA_ADAPTER = "webapp.accounts.second_factor.EncryptedSecrets"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "add_webauthn": "webapp.accounts.security_keys.AddKeyForm",
    "edit_webauthn": "webapp.accounts.security_keys.RenameKeyForm",
    "authenticate_webauthn": "webapp.accounts.security_keys.SignInKeyForm",
    "reauthenticate_webauthn": "webapp.accounts.security_keys.ConfirmKeyForm",
}
MFA_TOTP_ISSUER = "Journalscope"
MFA_TOTP_TOLERANCE = 1  # clocks differ by some seconds
MFA_ALLOW_UNVERIFIED_EMAIL = True  # nobody makes an account in somebody else's name: accounts are given
REQUIRE_SECOND_FACTOR = environment.choice(
    "REQUIRE_SECOND_FACTOR", "none", {"none", "superusers", "admins", "all"}
)

API_REQUESTS_PER_MINUTE = environment.number("API_REQUESTS_PER_MINUTE", 600)

# Mail and webhooks
EMAIL_URL = os.environ.get("EMAIL_URL", "")
EMAIL_CONFIGURED = bool(EMAIL_URL)
_mail = environment.mail_server(EMAIL_URL)
EMAIL_HOST, EMAIL_PORT = _mail["host"], _mail["port"]
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail["user"], _mail["password"]
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail["use_tls"], _mail["use_ssl"]
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = (
    os.environ.get("EMAIL_FROM") or f"journalscope@{_public.hostname or 'localhost'}"
)
# Networks beside the Internet that webhooks may lead to, such as `10.0.0.0/8` and `loopback`
WEBHOOK_NETWORKS = environment.networks("WEBHOOK_NETWORKS")
WEBHOOKS_OVER_HTTP = environment.flag("WEBHOOKS_OVER_HTTP")

# Times and files
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False
NUMBER_GROUPING = 3  # for `intcomma`; plain numbers stay plain, because they also stand in addresses
LANGUAGE_CODE = "en"
STATIC_URL = "static/"
# per data folder: two servers of one checkout do not clear each other's files
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# hashed names once `collectstatic` has run; straight from the source folders before (development, tests)
STATIC_IS_COLLECTED = environment.flag(
    "STATIC_IS_COLLECTED", (STATIC_ROOT / "staticfiles.json").exists() and not DEBUG
)
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not STATIC_IS_COLLECTED
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700  # also of collected static files
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "webapp.static_files.HashedNames"},
}

LOG_FORMAT = environment.choice("LOG_FORMAT", "text", {"text", "json"})
_home = __name__.removesuffix("webapp.settings")
_lines_for_machines = "INFO" if LOG_FORMAT == "json" else "WARNING"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"careful": {"()": "webapp.logs.RedactingFilter"}},
    "formatters": {
        "text": {"()": "webapp.logs.Text", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "webapp.logs.Json"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["careful"]}
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        **{f"{_home}{name}": {"level": "INFO"} for name in ("webapp", "workers", "spark")},
        **{
            f"{_home}{name}": {"level": _lines_for_machines}
            for name in ("webapp.requests", "workers.tracing")
        },
        "fontTools": {"level": "ERROR"},  # remarks on fonts that are as they are
        # its own handlers would mail or print what ours mask
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.server": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
    },
}
EVIDENCE_KEY_FILE = os.environ.get("EVIDENCE_KEY_FILE", "").strip()
EVIDENCE_FONT = os.environ.get("EVIDENCE_FONT", "").strip()
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "").strip()
