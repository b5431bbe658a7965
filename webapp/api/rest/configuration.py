"""How the REST framework and the writer of its OpenAPI document behave here; `webapp.settings` takes both."""

from __future__ import annotations

from spark.terms.installation import version

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webapp.api.rest.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["webapp.api.rest.authentication.Allowed"],
    "DEFAULT_THROTTLE_CLASSES": ["webapp.api.rest.authentication.PerCaller"],
    "DEFAULT_RENDERER_CLASSES": ["webapp.api.rest.json.FastJson"],
    "DEFAULT_PARSER_CLASSES": ["webapp.api.rest.json.JsonBody"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "webapp.api.rest.json.AlwaysJson",
    "DEFAULT_SCHEMA_CLASS": "webapp.api.rest.schema.Documented",
    "EXCEPTION_HANDLER": "webapp.api.rest.errors.answer",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Journalscope",
    "DESCRIPTION": 'Everything the pages do. Errors are `{"error": sentence}`; lists have `next`.',
    "VERSION": version(),
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_PERMISSIONS": ["webapp.api.rest.authentication.Allowed"],
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "RunState": "webapp.api.rest.states.RUN_STATES",
        "ComparisonState": "webapp.api.rest.states.RESULT_STATES",
        "CaptureState": "webapp.api.rest.states.CAPTURE_STATES",
        "ClusterProtocol": "webapp.clusters.models.Cluster.Protocol",
        "TrialKind": "webapp.clusters.models.Trial.Kind",
        "ChannelWhat": "webapp.notifications.models.Channel.What",
        "DeliveryState": "webapp.notifications.models.Delivery.State",
        "FindingState": "webapp.review.states.FindingState",
        "FindingFilterState": "webapp.review.filters.STATES",
        "FindingFilterKind": "webapp.review.filters.KINDS",
        "FindingPresence": "webapp.review.states.Presence",
        "FindingFilterPresence": "webapp.review.filters.PRESENCES",
    },
    "AUTHENTICATION_WHITELIST": ["webapp.api.rest.authentication.TokenAuthentication"],
}
