"""From what happened to what is known."""
