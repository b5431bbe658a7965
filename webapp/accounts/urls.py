"""Signing in and out. Of django-allauth only what a closed installation needs: accounts are made by an admin."""

from __future__ import annotations

from allauth.account import views as allauth
from django.urls import path

from webapp.accounts import views

urlpatterns = [
    path("login/", allauth.login, name="account_login"),
    path("logout/", allauth.logout, name="account_logout"),
    path("signup/", allauth.signup, name="account_signup"),
    path("inactive/", allauth.account_inactive, name="account_inactive"),
    path("reauthenticate/", allauth.reauthenticate, name="account_reauthenticate"),
    path("password/change/", allauth.password_change, name="account_change_password"),
    path("password/set/", allauth.password_set, name="account_set_password"),
    path("once/<str:token>/", views.one_time_sign_in, name="one-time-sign-in"),
]
