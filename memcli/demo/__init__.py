"""The text that `mem demo` takes in: claims.jsonl, and tour.json that asks about them."""
