"""What a log tells of itself: transactions, epochs, cleanings, gaps. Must not judge."""
