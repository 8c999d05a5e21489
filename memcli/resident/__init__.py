"""The resident: a watcher that keeps the index current, and a server that answers at once."""
