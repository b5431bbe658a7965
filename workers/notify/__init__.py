"""What people are told outside the pages: mails and webhooks, sent when they are due."""
