"""The pages of docs/, shown in the app."""
