"""Signing in and out, the second factor, sessions, projects. Of django-allauth only what a closed installation needs:
accounts are made by an invitation, an admin, or the OpenID provider.
"""

from __future__ import annotations

from allauth.account import views as allauth
from allauth.mfa.webauthn import views as keys
from allauth.socialaccount.views import login_cancelled
from django.conf import settings
from django.urls import include, path
from django.views.decorators.http import require_GET, require_http_methods
from django.views.generic import RedirectView

from webapp.accounts.provider import oidc
from webapp.accounts.views import links, members, projects, sessions

only_forms = require_http_methods(["GET", "HEAD", "POST"])

urlpatterns = [
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("signup/", allauth.signup, name="account_signup"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/set/", allauth.password_set, name="account_set_password"),
    path("oidc/<slug:provider_id>/login/", oidc.login, name="openid_connect_login"),
    path("oidc/<slug:provider_id>/login/callback/", oidc.callback, name="openid_connect_callback"),
    path("oidc/cancelled/", login_cancelled, name="socialaccount_login_cancelled"),
    # the page Security lists the keys
    path(
        "security/webauthn/",
        require_GET(RedirectView.as_view(pattern_name="mfa_index")),
        name="mfa_list_webauthn",
    ),
    # by their forms only: the library would delete a key for the method DELETE, and its recovery codes would stay
    path("security/webauthn/keys/<int:pk>/edit/", only_forms(keys.edit_webauthn), name="mfa_edit_webauthn"),
    path(
        "security/webauthn/keys/<int:pk>/remove/",
        only_forms(keys.remove_webauthn),
        name="mfa_remove_webauthn",
    ),
    path("security/", include("allauth.mfa.urls")),
    path("sessions/", sessions.sessions, name="sessions"),
    path("sessions/others/end/", sessions.end_others, name="sessions-end-others"),
    path("sessions/<int:session_id>/end/", sessions.end, name="session-end"),
    path("once/<str:token>/", links.one_time_sign_in, name="one-time-sign-in"),
    path("invitations/<str:token>/", links.open_invitation, name="invitation"),
    path("projects/", projects.my_projects, name="projects"),
    path("projects/new/", projects.create, name="project-create"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/rename/", projects.rename, name="project-rename"),
    path("projects/<slug:slug>/delete/", projects.delete, name="project-delete"),
    path("projects/<slug:slug>/due-days/", projects.due_days, name="project-due-days"),
    path("projects/<slug:slug>/masks/", projects.masks, name="project-masks"),
    path("projects/<slug:slug>/ticket/", projects.ticket, name="project-ticket"),
    path("projects/<slug:slug>/members/", members.add, name="member-add"),
    path("projects/<slug:slug>/members/<int:membership_id>/", members.change, name="member-change"),
    path("projects/<slug:slug>/members/<int:membership_id>/remove/", members.remove, name="member-remove"),
    path("projects/<slug:slug>/invitations/", members.invite, name="invite"),
    path(
        "projects/<slug:slug>/invitations/<int:invitation_id>/withdraw/",
        members.withdraw,
        name="invitation-withdraw",
    ),
]

if settings.SAML_METADATA_FILE:  # the packages for it are an extra
    from webapp.accounts.provider import saml

    urlpatterns += saml.urlpatterns
