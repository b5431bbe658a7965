"""Signing in through an OpenID provider, and the roles that its groups give."""
