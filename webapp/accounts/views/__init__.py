"""Views of accounts: signing in by a link, projects, their members and invitations, sessions."""
