"""Mail and webhooks about findings and shares."""
